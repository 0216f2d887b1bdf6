/* What the page holds of one curve: the points of the window that is shown, in columns that grow. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SPELLED = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity };
  const COLUMNS = { steps: Float64Array, walls: Float64Array, values: Float64Array, attempts: Int32Array, sources: Uint8Array };
  const NAMES = Object.keys(COLUMNS);

  const number = (value) => (typeof value === "string" ? SPELLED[value] : value);

  /** What a line cannot show of a value: nan, up, down, or "". */
  const kindOf = (value) => (Number.isNaN(value) ? "nan" : value === Infinity ? "up" : value === -Infinity ? "down" : "");

  class Series {
    /** `curve` as columns.decode gives it; `reachesTheEnd` says that the window holds the newest point. */
    constructor(curve, reachesTheEnd = true) {
      this.columns = Object.fromEntries(NAMES.map((name) => [name, curve[name]]));
      this.start = 0; // points before it have left the window
      this.end = curve.steps.length;
      this.total = curve.total ?? this.end;
      this.nan = curve.nan ?? 0;
      this.inf = curve.inf ?? 0;
      this.folded = curve.folded ?? 0; // points of which the store has no more than ends and extremes
      this.unit = curve.unit ?? "";
      this.spans = [...(curve.spans ?? [])];
      this.reachesTheEnd = reachesTheEnd;
    }

    static empty() {
      return new Series({ ...Object.fromEntries(NAMES.map((name) => [name, new COLUMNS[name](0)])), total: 0 });
    }

    column(name) {
      return this.columns[name].subarray(this.start, this.end);
    }

    get length() {
      return this.end - this.start;
    }

    get steps() {
      return this.column("steps");
    }

    get walls() {
      return this.column("walls");
    }

    get values() {
      return this.column("values");
    }

    get attempts() {
      return this.column("attempts");
    }

    get sources() {
      return this.column("sources");
    }

    get firstStep() {
      return this.length ? this.columns.steps[this.start] : Infinity;
    }

    get lastStep() {
      return this.length ? this.columns.steps[this.end - 1] : -Infinity;
    }

    get last() {
      return this.length ? this.columns.values[this.end - 1] : null;
    }

    /** Takes what is newer than the last point, in the stream's form [step, wall, value, source]; how many it took. */
    append(points) {
      const fresh = points.filter(([step]) => step > this.lastStep);
      this.makeRoom(fresh.length);
      let taken = 0;
      for (const [step, wall, value, source] of fresh) {
        if (step <= this.lastStep) continue; // two of one step in one batch
        this.push({ step, wall: wall ?? NaN, value: number(value), source });
        taken += 1;
      }
      return taken;
    }

    /** Columns come as views of the server's answer; the first point that is added moves them into room of their own. */
    makeRoom(more) {
      if (!more || this.end + more <= this.columns.steps.length) return;
      for (const name of NAMES) {
        const roomy = new COLUMNS[name](2 * (this.length + more) + 64);
        roomy.set(this.column(name));
        this.columns[name] = roomy;
      }
      this.end -= this.start;
      this.start = 0;
    }

    push({ step, wall, value, source }) {
      this.note(kindOf(value), step, wall);
      const { steps, walls, values, attempts, sources } = this.columns;
      const at = this.end;
      steps[at] = step;
      walls[at] = wall;
      values[at] = value;
      attempts[at] = at > this.start ? attempts[at - 1] : 0; // a new attempt is a reason to read history again
      sources[at] = tidewatch.columns.SOURCES.indexOf(source);
      this.end += 1;
      this.total += 1;
    }

    /** Counts a value that is not finite, and lengthens the stretch of its neighbours or opens one. */
    note(kind, step, wall) {
      if (!kind) return;
      if (kind === "nan") this.nan += 1;
      else this.inf += 1;
      const open = this.spans.at(-1);
      if (this.length && kindOf(this.last) === kind && open?.[0] === kind && open[2] === this.lastStep) {
        this.spans[this.spans.length - 1] = [kind, open[1], step, open[3], wall];
      } else {
        this.spans.push([kind, step, step, wall, wall]);
      }
    }

    /** Lets go of what lies before `step`, but for one point, so that the line reaches the panel's edge. */
    trim(step) {
      const { steps } = this.columns;
      while (this.length > 1 && steps[this.start + 1] < step) this.drop();
      this.spans = this.spans.filter((span) => span[2] >= step);
    }

    drop() {
      const kind = kindOf(this.columns.values[this.start]);
      this.start += 1;
      this.total -= 1;
      if (kind === "nan") this.nan -= 1;
      else if (kind) this.inf -= 1;
    }

    /** The points of one attempt, and those of the others: [Series, Series]. */
    split(attempt) {
      const mine = [];
      const others = [];
      this.attempts.forEach((one, index) => (one === attempt ? mine : others).push(index));
      return [this.pick(mine), this.pick(others)];
    }

    pick(indices) {
      const columns = Object.fromEntries(NAMES.map((name) => {
        const from = this.column(name);
        return [name, COLUMNS[name].from(indices, (index) => from[index])];
      }));
      const { total, nan, inf, folded, unit, spans } = this;
      return new Series({ ...columns, total, nan, inf, folded, unit, spans }, this.reachesTheEnd);
    }
  }

  Series.number = number;
  tidewatch.Series = Series;
})();
