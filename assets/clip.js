/* How high a panel reaches: everything in view, or, with outliers clipped, what most of it needs. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const MARGIN = 0.06; // of the height on each side, so that no line runs along the edge
  const TAIL = 0.01; // of the values on each side may be outliers
  const ROOM = 1; // times the height between those that lie beyond it without being outliers
  const FEWEST = 8; // of fewer values nobody can say which one is the outlier

  /** The values as they stand on the axis, sorted: finite, and on a logarithmic axis above zero, as logarithms. */
  function heights(columns, log) {
    const found = [];
    for (const values of columns) {
      for (const value of values) if (Number.isFinite(value) && !(log && value <= 0)) found.push(log ? Math.log10(value) : value);
    }
    return Float64Array.from(found).sort();
  }

  const quantile = (sorted, share) => sorted[Math.round(share * (sorted.length - 1))];

  /** Bounds without the outliers: a value outside the middle 98 % is one when it lies farther from it than that is high. */
  function robust(sorted) {
    const [low, high] = [quantile(sorted, TAIL), quantile(sorted, 1 - TAIL)];
    const reach = (high - low) * ROOM;
    if (sorted.length < FEWEST || !(reach > 0)) return [sorted[0], sorted.at(-1)];
    return [Math.max(sorted[0], low - reach), Math.min(sorted.at(-1), high + reach)];
  }

  function widened([low, high], log) {
    const margin = (high - low) * MARGIN || (log ? 0.1 : Math.abs(high) * 0.05 || 1);
    return [low - margin, high + margin];
  }

  /** Lowest and highest of the values, without sorting them; null without one. */
  function extremes(columns, log) {
    let [low, high] = [Infinity, -Infinity];
    for (const values of columns) {
      for (const value of values) {
        if (!Number.isFinite(value) || (log && value <= 0)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    return low > high ? null : log ? [Math.log10(low), Math.log10(high)] : [low, high];
  }

  /** [low, high] of the panel's axis (logarithms on a logarithmic one); null when there is nothing to show. */
  function range(columns, { log = false, clip = false } = {}) {
    const sorted = clip ? heights(columns, log) : [];
    const found = sorted.length ? robust(sorted) : extremes(columns, log);
    return found && widened(found, log);
  }

  /** Which finite values leave the axis: {above: indices, below: indices}. A value that has no logarithm is below. */
  function outside(values, [low, high], log) {
    const found = { above: [], below: [] };
    values.forEach((value, index) => {
      if (!Number.isFinite(value)) return;
      const height = log ? (value > 0 ? Math.log10(value) : -Infinity) : value;
      if (height > high) found.above.push(index);
      if (height < low) found.below.push(index);
    });
    return found;
  }

  /** The values of a column whose x lies in [low, high]. */
  function inView(xs, values, span) {
    if (!span) return values;
    return values.filter((_, index) => xs[index] >= span[0] && xs[index] <= span[1]);
  }

  tidewatch.clip = { range, outside, inView };
})();
