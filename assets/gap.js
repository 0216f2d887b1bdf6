/* The generalisation gap: how far the evaluation's loss lies above the loss of the training around it. Pure.

   Against an evaluation at step s stands the median of the training losses of the last 50 that were logged up to
   s. Up to s, since the evaluated weights have seen those batches and no later ones; 50, since a single batch's loss is
   noise of the size of the gap itself; the median, since one spike among them says nothing of generalisation, and since
   of a reduced curve (lowest and highest of each bucket) the median is still in the middle, which a mean need not be. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const POINTS = 50;

  function median(values) {
    const sorted = Float64Array.from(values).sort();
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** The training loss that stands against an evaluation at `step`; null when none was logged before it. */
  function training({ steps, values }, step) {
    const found = [];
    for (let k = steps.length - 1; k >= 0 && found.length < POINTS; k -= 1) {
      if (steps[k] <= step && Number.isFinite(values[k])) found.push(values[k]);
    }
    return found.length ? median(found) : null;
  }

  /** Every evaluation's gap: [{step, wall, gap, trained, evaluated}], in order; those without one are left out. */
  function line(train, evaluated) {
    const found = [];
    evaluated.steps.forEach((step, k) => {
      const value = evaluated.values[k];
      const trained = Number.isFinite(value) ? training(train, step) : null;
      if (trained !== null) found.push({ step, wall: evaluated.walls[k], gap: value - trained, trained, evaluated: value });
    });
    return found;
  }

  /** The stretch of steps that holds the points against which an evaluation at `step` stands, were every point known. */
  function window({ firstStep, lastStep, total }, step) {
    const interval = total > 1 ? (lastStep - firstStep) / (total - 1) : 1;
    return { start: Math.floor(step - POINTS * Math.max(interval, 1)), end: step };
  }

  tidewatch.gap = { POINTS, training, line, window };
})();
