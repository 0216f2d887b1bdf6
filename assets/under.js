/* What lies behind the curves: corridors of earlier runs, and the generalisation gap as a band. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const BAND = 0.14; // opacity of a corridor

  /** "#2563d9" → "rgba(37, 99, 217, 0.14)". */
  function veiled(colour, opacity = BAND) {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    return `rgba(${red}, ${green}, ${blue}, ${opacity})`;
  }

  const line = (template, role, columns, style) => ({
    type: "scatter", xaxis: "x", yaxis: template.yaxis, mode: "lines", hoverinfo: "skip", connectgaps: false,
    ...columns, ...style, meta: { panel: template.meta.panel, metrics: template.meta.metrics, role, colour: template.meta.colour },
  });

  /** Rows of a baseline that have all three values and a place on the axis. */
  function corridor({ steps, low, mid, high }, axis) {
    const rows = Array.from(steps, (step, k) => [axis.at(step), low[k], mid[k], high[k]]);
    return rows.filter((row) => row.every((value) => Number.isFinite(value)));
  }

  /** One baseline {name, steps, low, mid, high, metric}: the band between low and high, and the middle, dashed. */
  function baseline(one, template, axis, colour) {
    const rows = corridor(one, axis);
    const [x, low, mid, high] = [0, 1, 2, 3].map((k) => rows.map((row) => row[k]));
    const ink = colour("--ink3");
    return [
      line(template, "band-low", { x, y: low }, { name: one.name, line: { width: 0 } }),
      line(template, "band-high", { x, y: high }, { name: one.name, line: { width: 0 }, fill: "tonexty", fillcolor: veiled(ink) }),
      line(template, "baseline", { x, y: mid }, { name: one.name, line: { width: 1, dash: "dash", color: ink } }),
    ];
  }

  /** The gap of each evaluation as the band from the training loss that stands against it up to its own. */
  function gap(found, template, axis, colour) {
    const rows = found.map((one) => ({ ...one, x: axis.x(one.step, one.wall) })).filter((one) => one.x !== null);
    const x = rows.map((one) => one.x);
    const shade = { line: { width: 0 }, fill: "tonexty", fillcolor: veiled(colour("--curve-eval")) };
    const dotted = { line: { width: 1.2, dash: "dot", color: colour("--curve-eval") }, text: rows.map((one) => one.gap) };
    return [
      line(template, "gap", { x, y: rows.map((one) => one.trained) }, dotted),
      line(template, "gap-band", { x, y: rows.map((one) => one.evaluated) }, shade),
    ];
  }

  /** Everything that lies under the curves of `held`. */
  function traces(held) {
    const first = (metric) => held.templates.find(({ meta }) => meta.role === "raw" && tidewatch.lines.metricOf({ meta }, held.series) === metric);
    const behind = held.baselines.filter(({ metric }) => first(metric));
    const bands = behind.flatMap((one) => baseline(one, first(one.metric), held.axis, held.colour));
    const gaps = held.gaps.length && first("eval_loss") ? gap(held.gaps, first("eval_loss"), held.axis, held.colour) : [];
    return [...bands, ...gaps];
  }

  tidewatch.under = { veiled, traces };
})();
