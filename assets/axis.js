/* What x counts: steps, samples, tokens, seconds since the start, or the wall clock (Unix seconds). Pure.

   `known` is what the page knows of the run: {began (Unix seconds of the first point, or null), samplesPerStep,
   tokensPerStep (or null), consumed: {steps, values} of consumed_samples (or null), clock: {steps, walls} of a curve}. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const KINDS = ["step", "samples", "tokens", "relative", "wall"];
  const isTime = (kind) => kind === "relative" || kind === "wall";

  const NOTHING = { began: null, samplesPerStep: null, tokensPerStep: null, consumed: null, clock: null };

  /** Straight lines between pairs of rising x; beyond the ends it goes on at the mean slope. Null without a point. */
  function between(xs, ys) {
    if (!xs.length) return () => null;
    const end = xs.length - 1;
    const slope = xs[end] > xs[0] ? (ys[end] - ys[0]) / (xs[end] - xs[0]) : 0;
    return (x) => {
      if (x <= xs[0]) return ys[0] - (xs[0] - x) * slope;
      if (x >= xs[end]) return ys[end] + (x - xs[end]) * slope;
      const k = above(xs, x);
      return ys[k - 1] + ((x - xs[k - 1]) / (xs[k] - xs[k - 1])) * (ys[k] - ys[k - 1]);
    };
  }

  /** Index of the first of rising `xs` that is above `x`. */
  function above(xs, x) {
    let [low, high] = [0, xs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (xs[middle] > x) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Pairs that rise strictly in both columns: what goes back (a restart, a clock that was set) is left out. */
  function rising(xs, ys) {
    const kept = [[], []];
    xs.forEach((x, k) => {
      if (!Number.isFinite(x) || !Number.isFinite(ys[k]) || x <= (kept[0].at(-1) ?? -Infinity) || ys[k] <= (kept[1].at(-1) ?? -Infinity)) return;
      kept[0].push(x);
      kept[1].push(ys[k]);
    });
    return kept;
  }

  const hasCount = (consumed) => consumed && rising(consumed.steps, consumed.values)[0].length > 1;

  /** Why the axis cannot be had: a key of the dictionary, or "" when it can. */
  function lacking(kind, known) {
    const { began, samplesPerStep, tokensPerStep, consumed } = { ...NOTHING, ...known };
    if (isTime(kind)) return began === null ? "x_lacks_clock" : "";
    if (kind === "samples") return samplesPerStep || hasCount(consumed) ? "" : "x_lacks_batch";
    if (kind === "tokens") return tokensPerStep ? "" : "x_lacks_length";
    return "";
  }

  /** step → x as [xs, ys] to go between, or a factor. */
  function scale(kind, { samplesPerStep, tokensPerStep, consumed, clock, began }) {
    if (isTime(kind)) {
      const [steps, walls] = clock ? rising(clock.steps, clock.walls) : [[], []];
      return [steps, kind === "wall" ? walls : walls.map((wall) => wall - began)];
    }
    if (kind === "step") return 1;
    const each = kind === "samples" ? 1 : tokensPerStep / samplesPerStep; // tokens of a sample
    if (hasCount(consumed) && Number.isFinite(each) && each > 0) {
      const [steps, counts] = rising(consumed.steps, consumed.values);
      return [steps, counts.map((count) => count * each)];
    }
    return kind === "samples" ? samplesPerStep : tokensPerStep;
  }

  const factored = (factor) => ({ at: (step) => step * factor, step: (x) => x / factor });
  const tabled = ([steps, xs]) => ({ at: between(steps, xs), step: between(xs, steps) });

  /** The axis of a kind; of steps where the kind cannot be had:
   *    at(step)        x of a step, between the points that are known (null when none is)
   *    step(x)         the step there, not rounded
   *    x(step, wall)   x of a point: null on an axis of time for one without a clock
   *    column(series)  x of all points of a series, NaN where there is none */
  function make(asked, known) {
    const all = { ...NOTHING, ...known };
    const kind = lacking(asked, all) ? "step" : asked;
    const made = scale(kind, all);
    const lines = typeof made === "number" ? factored(made) : tabled(made);
    const zero = kind === "relative" ? all.began : 0;
    const x = (step, wall) => (isTime(kind) ? (Number.isFinite(wall) ? wall - zero : null) : lines.at(step));
    return { kind, isTime: isTime(kind), zero, ...lines, x, column: (series) => column(kind, zero, lines, series) };
  }

  function column(kind, zero, lines, { steps, walls }) {
    if (kind === "step") return steps;
    if (isTime(kind)) return walls.map((wall) => wall - zero);
    return steps.map((step) => lines.at(step) ?? NaN);
  }

  /** The same stretch [start, end] on another axis; null where that cannot be told. */
  function convert([start, end], from, to) {
    if (from.isTime && to.isTime) return [start, end].map((x) => x + from.zero - to.zero);
    const found = [start, end].map((x) => from.step(x)).map((step) => (step === null ? null : to.at(step)));
    return found.every((x) => Number.isFinite(x)) && found[0] < found[1] ? found : null;
  }

  tidewatch.axis = { KINDS, isTime, between, lacking, make, convert };
})();
