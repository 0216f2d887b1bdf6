/* Exponential smoothing as TensorBoard and W&B do it: debiased, so that the first points are not pulled to zero. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  /** A running average of weight 0 to 0.999; `next` takes a value and gives the average, null for a gap.
   *  In log space (for a log axis) a value of zero or less has no logarithm and is a gap. */
  class Average {
    constructor(weight, inLogSpace = false) {
      this.weight = weight;
      this.inLogSpace = inLogSpace;
      this.sum = 0;
      this.mass = 0;
    }

    next(value) {
      const given = this.inLogSpace && value > 0 ? Math.log(value) : value;
      if (value === null || !Number.isFinite(value) || (this.inLogSpace && value <= 0)) return null;
      this.sum = this.sum * this.weight + given * (1 - this.weight);
      this.mass = this.mass * this.weight + (1 - this.weight);
      const average = this.sum / this.mass;
      return this.inLogSpace ? Math.exp(average) : average;
    }
  }

  /** A column of averages; NaN stands for a gap. */
  function smooth(values, weight, inLogSpace = false) {
    const average = new Average(weight, inLogSpace);
    return Float64Array.from(values, (value) => average.next(value) ?? NaN);
  }

  tidewatch.smoothing = { Average, smooth };
})();
