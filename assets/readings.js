/* What is to be read at one place of the figure: for every line the drawn point that is nearest. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  /** Index of the point nearest to `x`; -1 without a point. Not by halves: a wall clock may go back. */
  function nearest(xs, x) {
    let found = -1;
    let least = Infinity;
    for (let k = 0; k < xs.length; k += 1) {
      const distance = Math.abs(xs[k] - x);
      if (distance < least) [found, least] = [k, distance];
    }
    return found;
  }

  /** A float as its file has it: of float32 the shortest number that is the same in float32. */
  function exact(value) {
    if (!Number.isFinite(value)) return tidewatch.numbers.value(value);
    if (Math.fround(value) !== value || Number.isInteger(value)) return String(value);
    const digits = [6, 7, 8, 9].find((count) => Math.fround(Number(value.toPrecision(count))) === value) ?? 9;
    return String(Number(value.toPrecision(digits)));
  }

  /** The reading of one line at `x`: {index, at, step, wall, value, smoothed, source, attempt}; null without a point.
   *  A line is {series, xs, smoothed: column or null}. */
  function reading({ series, xs, smoothed }, x) {
    const index = nearest(xs, x);
    if (index < 0) return null;
    const smooth = smoothed ? smoothed[index] : NaN;
    return {
      index, at: xs[index], step: series.steps[index], wall: series.walls[index], value: series.values[index],
      smoothed: Number.isFinite(smooth) ? smooth : null,
      source: tidewatch.columns.SOURCES[series.sources[index]] ?? "",
      attempt: series.attempts[index],
    };
  }

  /** The readings of all lines, and the one among them whose point is nearest to `x`: {head, rows: [{line, ...reading}]}. */
  function at(lines, x) {
    const rows = lines.map((line) => ({ line, ...reading(line, x) })).filter((row) => row.index !== undefined);
    const head = rows.reduce((best, row) => (!best || Math.abs(row.at - x) < Math.abs(best.at - x) ? row : best), null);
    return { head, rows };
  }

  tidewatch.readings = { nearest, exact, at };
})();
