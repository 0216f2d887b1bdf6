/* What the page holds of a run: the lines of the window, the tails of earlier attempts, and how x is counted. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const LONGEST = 3_500; // points of a line; a longer one is read again, reduced, so that it stays as light as it began
  const COLUMNS = ["steps", "walls", "values", "attempts", "sources"];

  class Held {
    constructor() {
      this.series = new Map(); // name → Series of the window
      this.ghosts = new Map(); // name → Series of earlier attempts
      this.lasts = new Map(); // name → the newest value there is, also where the window ends before it
      this.known = { began: null, samplesPerStep: null, tokensPerStep: null, consumed: null, clock: null };
      this.attempts = [];
      this.newest = -Infinity;
      this.surveyed = new Set(); // names whose newest value is known, or that there are none
    }

    /** Learns from an answer what holds for the whole run. */
    learn(answer) {
      this.attempts = answer.attempts;
      this.newest = Math.max(answer.step ?? -Infinity, ...answer.curves.map((curve) => curve.last_step ?? -Infinity));
      const curves = new Map(answer.curves.map((curve) => [tidewatch.columns.nameOf(curve), curve]));
      this.known = {
        began: answer.began ?? null,
        samplesPerStep: answer.axes.samples_per_step, tokensPerStep: answer.axes.tokens_per_step,
        consumed: this.counted(curves.get(tidewatch.history.CONSUMED)), clock: this.clockOf([...curves.values()]),
      };
    }

    /** Learns from the whole run, roughly: also the newest value of each line, which a window that ends before does not
     *  have. */
    survey(answer, names) {
      this.learn(answer);
      this.surveyed = new Set(names);
      for (const curve of answer.curves) this.lasts.set(tidewatch.columns.nameOf(curve), new tidewatch.Series(curve, true).last);
    }

    /** Samples consumed by step; what was known before where a window holds too little of it. */
    counted(curve) {
      return curve?.steps.length > 1 ? curve : this.known.consumed;
    }

    /** The curve that says most of when which step was done. */
    clockOf(curves) {
      const clocked = curves.filter(({ steps, walls }) => steps.length > 1 && Number.isFinite(walls[0]) && Number.isFinite(walls[walls.length - 1]));
      return clocked.reduce((best, one) => (!best || one.steps.length > best.steps.length ? one : best), null) ?? this.known.clock;
    }

    /** Takes the window's lines; `reaches` says that it holds the newest point. With `apart` the newest attempt is the
     *  line and the earlier ones are its ghosts. */
    take(answer, reaches, apart) {
      this.learn(answer);
      if (reaches) this.surveyed = new Set([...answer.curves.map(tidewatch.columns.nameOf), ...answer.missing]);
      const named = answer.curves.map((curve) => [tidewatch.columns.nameOf(curve), new tidewatch.Series(curve, reaches)]);
      const newest = answer.attempts.at(-1)?.attempt ?? 1;
      const split = new Map(named.map(([name, series]) => [name, apart ? series.split(newest) : [series, null]]));
      this.series = new Map([...split].map(([name, [series]]) => [name, series]));
      this.ghosts = apart ? new Map([...split].map(([name, [, others]]) => [name, others])) : tails(answer);
      this.known.consumed = this.counted(this.series.get(tidewatch.history.CONSUMED));
      this.known.clock = this.clockOf([...this.series.values()]);
      for (const [name, series] of this.series) if (reaches || !this.lasts.has(name)) this.lasts.set(name, series.last);
    }

    /** Takes Map(name → rows of the stream); how many points were new. */
    append(points) {
      let taken = 0;
      for (const [name, rows] of points) taken += this.extend(name, rows);
      return taken;
    }

    extend(name, rows) {
      if (!this.series.has(name)) this.series.set(name, tidewatch.Series.empty());
      const series = this.series.get(name);
      if (!rows.length) return 0;
      this.newest = Math.max(this.newest, rows.at(-1)[0]);
      if (!series.reachesTheEnd) return this.remember(name, rows);
      const taken = series.append(rows);
      this.lasts.set(name, series.last);
      return taken;
    }

    /** The window ends before the points: only the newest value is kept. */
    remember(name, rows) {
      this.lasts.set(name, tidewatch.Series.number(rows.at(-1)[2]));
      return rows.length;
    }

    /** Lets go of what lies before a step. */
    trim(step) {
      for (const series of this.series.values()) series.trim(step);
    }

    get isLong() {
      return [...this.series.values()].some((series) => series.length > LONGEST);
    }

    axis(kind) {
      return tidewatch.axis.make(kind, this.known);
    }

    /** [low, high] of x over all points, [Infinity, -Infinity] without one. */
    extent(axis) {
      const extent = [Infinity, -Infinity];
      for (const series of [...this.series.values(), ...this.ghosts.values()]) {
        for (const x of axis.column(series)) {
          if (x < extent[0]) extent[0] = x;
          if (x > extent[1]) extent[1] = x;
        }
      }
      return extent;
    }
  }

  /** Abandoned tails, one Series a name: the attempts one after the other. */
  function tails(answer) {
    const parts = new Map();
    for (const ghost of answer.ghosts) {
      const name = answer.curves.find((curve) => curve.name === ghost.name);
      const key = name ? tidewatch.columns.nameOf(name) : ghost.name;
      parts.set(key, [...(parts.get(key) ?? []), ghost]);
    }
    return new Map([...parts].map(([name, ghosts]) => [name, joined(ghosts)]));
  }

  function joined(ghosts) {
    const columns = COLUMNS.map((column) => {
      const length = ghosts.reduce((sum, ghost) => sum + ghost[column].length, 0);
      const all = new ghosts[0][column].constructor(length);
      let at = 0;
      for (const ghost of ghosts) {
        all.set(ghost[column], at);
        at += ghost[column].length;
      }
      return [column, all];
    });
    return new tidewatch.Series({ ...Object.fromEntries(columns), total: 0 });
  }

  tidewatch.Held = Held;
})();
