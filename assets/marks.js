/* What a line cannot show: stretches of NaN, infinities at the panel's edge, lone points, overflows, outliers. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const HEIGHTS = { nan: [0, 1], up: [0.86, 1], down: [0, 0.14] };

  /** [start, end] of a span ([kind, first step, last step, first wall, last wall]) in units of x; null without a clock. */
  function placed([, first, last, from, until], axis) {
    const [start, end] = [axis.x(first, from), axis.x(last, until)];
    return start === null || end === null ? null : [start, end];
  }

  /** One path for all stretches of a kind: Plotly draws a shape of many boxes as quickly as one of a single box. */
  function outline(stretches, [y0, y1]) {
    return stretches.map(([x0, x1]) => `M${x0},${y0}L${x1},${y0}L${x1},${y1}L${x0},${y1}Z`).join("");
  }

  function shape(kind, stretches, yaxis, colours) {
    const isNan = kind === "nan";
    return {
      type: "path", layer: isNan ? "below" : "above", xref: "x", yref: `${yaxis} domain`, name: kind,
      path: outline(stretches, HEIGHTS[kind]),
      fillcolor: isNan ? colours.nan : colours.bad,
      line: isNan ? { color: colours.nanEdge, width: 1.5 } : { color: colours.bad, width: 2 },
    };
  }

  /** The shapes of one panel: NaN shades its height, an infinity is a red edge at the top or the bottom. */
  function shapes(spans, axis, yaxis, colours) {
    return Object.keys(HEIGHTS).flatMap((kind) => {
      const stretches = spans.filter((span) => span[0] === kind).map((span) => placed(span, axis)).filter(Boolean);
      return stretches.length ? [shape(kind, stretches, yaxis, colours)] : [];
    });
  }

  /** Finite points without a finite neighbour, which no line shows: their indices. */
  function lone(values) {
    const found = [];
    for (let k = 0; k < values.length; k += 1) {
      if (Number.isFinite(values[k]) && !Number.isFinite(values[k - 1]) && !Number.isFinite(values[k + 1])) found.push(k);
    }
    return found;
  }

  /** Where the overflow flag was set, at the height of the loss scale then (or 1 where none is known):
   *  {indices of the flags, heights}. */
  function overflows(flags, scale) {
    const marks = { indices: [], heights: [] };
    let at = 0;
    flags.steps.forEach((step, index) => {
      if (!(flags.values[index] > 0)) return;
      while (at + 1 < scale.steps.length && scale.steps[at + 1] <= step) at += 1;
      marks.indices.push(index);
      marks.heights.push(Number.isFinite(scale.values[at]) ? scale.values[at] : 1);
    });
    return marks;
  }

  /** At most `most` of some indices, evenly over them: marks that lie on one another say no more than one. */
  function thinned(indices, most) {
    if (indices.length <= most) return indices;
    return Array.from({ length: most }, (_, k) => indices[Math.floor((k * indices.length) / most)]);
  }

  tidewatch.marks = { shapes, lone, overflows, thinned };
})();
