/* What a line cannot show: stretches of NaN, infinities at the panel's edge, overflows on the loss scale. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const LIMIT = 200; // shapes a panel: past that a drawing is slower and nobody can tell them apart

  const kind = (value) => (Number.isNaN(value) ? "nan" : value === Infinity ? "up" : value === -Infinity ? "down" : "");

  /** Stretches of neighbouring points of one kind: [{kind: nan | up | down, start, end}], in steps. */
  function stretches(steps, values) {
    const found = [];
    let open = null;
    values.forEach((value, index) => {
      const now = kind(value);
      if (open && open.kind === now) open.end = steps[index];
      else open = now ? { kind: now, start: steps[index], end: steps[index] } : null;
      if (open && found[found.length - 1] !== open) found.push(open);
    });
    return found;
  }

  const HEIGHTS = { nan: [0, 1], up: [0.86, 1], down: [0, 0.14] };

  /** One Plotly shape: NaN shades the panel's height, an infinity is a red edge at the top or the bottom. */
  function shape(stretch, axis, colours) {
    const [y0, y1] = HEIGHTS[stretch.kind];
    const isNan = stretch.kind === "nan";
    return {
      type: "rect", layer: isNan ? "below" : "above",
      xref: "x", yref: `${axis} domain`, x0: stretch.start, x1: stretch.end, y0, y1,
      fillcolor: isNan ? colours.nan : colours.bad,
      line: isNan ? { color: colours.nanEdge, width: 1.5 } : { color: colours.bad, width: 2 },
    };
  }

  function shapes(series, axis, colours) {
    return stretches(series.steps, series.values).slice(-LIMIT).map((stretch) => shape(stretch, axis, colours));
  }

  /** Where the overflow flag was set, at the height of the loss scale then (or 1 where none is known). */
  function overflows(flags, scale) {
    const marks = { x: [], y: [] };
    let at = 0;
    flags.steps.forEach((step, index) => {
      if (!(flags.values[index] > 0)) return;
      while (at + 1 < scale.steps.length && scale.steps[at + 1] <= step) at += 1;
      marks.x.push(step);
      marks.y.push(Number.isFinite(scale.values[at]) ? scale.values[at] : 1);
    });
    return marks;
  }

  tidewatch.marks = { stretches, shapes, overflows };
})();
