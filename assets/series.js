/* What the page holds of one metric: the points of the window that is shown, and what to say of them. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SPELLED = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity };

  const number = (value) => (typeof value === "string" ? SPELLED[value] : value);

  class Series {
    /** `columns` as columns.decode gives them; `reachesTheEnd` says that the window holds the newest point. */
    constructor(columns, reachesTheEnd = true) {
      this.steps = columns.steps;
      this.values = columns.values;
      this.sources = columns.sources;
      this.total = columns.meta.total ?? columns.steps.length;
      this.hiddenNan = columns.meta.hidden_nan ?? 0;
      this.nan = columns.values.filter(Number.isNaN).length;
      this.infinite = columns.values.filter((value) => Math.abs(value) === Infinity).length;
      this.reachesTheEnd = reachesTheEnd;
      this.average = null;
    }

    static empty() {
      return new Series({ steps: [], values: [], sources: [], meta: { total: 0 } });
    }

    get firstStep() {
      return this.steps.length ? this.steps[0] : Infinity;
    }

    get lastStep() {
      return this.steps.length ? this.steps[this.steps.length - 1] : -Infinity;
    }

    get last() {
      return this.values.length ? this.values[this.values.length - 1] : null;
    }

    /** Takes what is newer than the last point, in the stream's form [step, wall, value, source]; gives what it took. */
    append(points) {
      const taken = { steps: [], values: [], sources: [] };
      for (const [step, , value, source] of points) {
        if (step <= this.lastStep) continue;
        this.push(step, number(value), source, taken);
      }
      return taken;
    }

    push(step, value, source, taken) {
      for (const into of [this, taken]) {
        into.steps.push(step);
        into.values.push(value);
        into.sources.push(source);
      }
      this.total += 1;
      if (Number.isNaN(value)) this.nan += 1;
      else if (!Number.isFinite(value)) this.infinite += 1;
    }

    /** What a line can show: NaN and infinities are gaps in it (and marks beside it). */
    static drawable(values) {
      return values.map((value) => (Number.isFinite(value) ? value : null));
    }

    /** Smoothed values of the whole window; the average goes on from here with `smoothMore`. */
    smooth(weight, inLogSpace) {
      this.average = new tidewatch.smoothing.Average(weight, inLogSpace);
      return this.smoothMore(this.values);
    }

    smoothMore(values) {
      return values.map((value) => this.average.next(value));
    }
  }

  tidewatch.Series = Series;
})();
