/* From the series of a run to Plotly's traces. A template is an empty trace of layout.js, whose meta says which metric
   fills it in which role; `held` is what the page has: {series: Map, ghosts: Map, axis, smoothing, attempts, colour}. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const FAINT = 0.28; // opacity of the points behind their average
  const OLDER = { width: 0.8, opacity: 0.55 };

  /** The metric that fills a template: the first of its candidates that the run has, else the first. */
  const metricOf = (template, known) => template.meta.metrics.find((metric) => known.has(metric)) ?? template.meta.metrics[0];

  const empty = () => tidewatch.Series.empty();
  const seriesOf = (template, held) => held.series.get(metricOf(template, held.series)) ?? empty();
  const ghostOf = (template, held) => held.ghosts.get(metricOf(template, held.series)) ?? empty();

  /** Columns with a gap wherever the attempt changes: on an axis of time a restart is a pause, not a line. */
  function parted(xs, ys, attempts) {
    const [x, y] = [[], []];
    xs.forEach((one, k) => {
      if (k && attempts[k] !== attempts[k - 1]) {
        x.push(one);
        y.push(NaN);
      }
      x.push(one);
      y.push(ys[k]);
    });
    return { x, y };
  }

  const hasOneAttempt = (attempts) => !attempts.length || attempts[0] === attempts.at(-1);

  function drawn(series, ys, { axis }, apart = axis.isTime) {
    const xs = axis.column(series);
    return apart && !hasOneAttempt(series.attempts) ? parted(xs, ys, series.attempts) : { x: xs, y: ys };
  }

  function painted(template, held, style = {}) {
    const colour = held.colour(style.colour ?? template.meta.colour);
    const line = { ...template.line, ...style.line, color: colour };
    return { line, marker: { ...template.marker, ...style.marker, color: colour } };
  }

  /** What else a trace needs: nothing of Plotly's own hover, which readings.js and hover.js replace. */
  function trace(template, held, columns, style = {}) {
    return {
      ...template, ...columns, ...painted(template, held, style),
      hoverinfo: "skip", hovertemplate: undefined, customdata: undefined,
      mode: style.mode ?? template.mode, opacity: style.opacity ?? 1,
      meta: { ...template.meta, ...style.meta },
    };
  }

  const isLog = (template, layout) => layout[tidewatch.layout.axisKey(template.yaxis)].type === "log";

  function isPaired({ meta }, templates) {
    return templates.some((other) => other.meta.role === "smooth" && other.meta.panel === meta.panel && other.meta.metrics[0] === meta.metrics[0]);
  }

  /** The average of a series as it is drawn and read; null where it is not smoothed. */
  function smoothed(template, series, held) {
    if (!held.smoothing || !isPaired(template, held.templates)) return null;
    return tidewatch.smoothing.smooth(series.values, held.smoothing, isLog(template, held.layout));
  }

  /** The points, and those among them that no line would show. */
  function raw(template, held) {
    const series = seriesOf(template, held);
    const faint = held.smoothing > 0 && isPaired(template, held.templates);
    const lines = [trace(template, held, drawn(series, series.values, held), { opacity: faint ? FAINT : 1 })];
    const lone = template.mode === "lines" ? tidewatch.marks.lone(series.values) : [];
    return lone.length ? [...lines, points(template, held, series, lone)] : lines;
  }

  function points(template, held, series, indices) {
    const xs = held.axis.column(series);
    const columns = { x: indices.map((k) => xs[k]), y: indices.map((k) => series.values[k]) };
    return trace(template, held, columns, { mode: "markers", marker: { size: 5 }, meta: { role: "lone" } });
  }

  /** The colour of a line whose earlier attempts a template shows. */
  function colourOf(template, { templates }) {
    const own = templates.find(({ meta }) => meta.role === "raw" && meta.panel === template.meta.panel && meta.metrics[0] === template.meta.metrics[0]);
    return (own ?? template).meta.colour;
  }

  function smooth(template, held) {
    const series = seriesOf(template, held);
    const values = smoothed(template, series, held);
    return values ? [trace(template, held, drawn(series, values, held))] : [];
  }

  /** Earlier attempts: abandoned tails in grey, or, where all attempts are shown, each as a thin line of its own. */
  function ghost(template, held) {
    const series = ghostOf(template, held);
    if (!series.length) return [];
    const own = held.attempts === "all" ? { colour: colourOf(template, held), opacity: OLDER.opacity, line: { width: OLDER.width } } : {};
    return [trace(template, held, drawn(series, series.values, held, true), own)];
  }

  function overflow(template, held) {
    const flags = seriesOf(template, held);
    const { indices, heights } = tidewatch.marks.overflows(flags, held.series.get("loss_scale") ?? empty());
    const xs = held.axis.column(flags);
    return [trace(template, held, { x: indices.map((k) => xs[k]), y: heights })];
  }

  const ROLES = { raw, smooth, ghost, marks: overflow };

  /** Where all attempts are shown, a template for the earlier ones of every line that has none. */
  function completed(templates, attempts) {
    if (attempts !== "all") return templates;
    const has = (one) => templates.some(({ meta }) => meta.role === "ghost" && meta.metrics[0] === one.meta.metrics[0] && meta.panel === one.meta.panel);
    return templates.flatMap((one) => (one.meta.role === "raw" && !has(one) ? [{ ...one, meta: { ...one.meta, role: "ghost" } }, one] : [one]));
  }

  /** All traces of the figure; the older lie under the newer. */
  function traces(held) {
    return completed(held.templates, held.attempts).flatMap((template) => ROLES[template.meta.role]?.(template, held) ?? []);
  }

  /** The lines that can be read under the crosshair: [{template, series, xs, smoothed, attempt?}]. */
  function readable(held) {
    const lines = [];
    for (const template of completed(held.templates, held.attempts)) {
      const { role } = template.meta;
      if (role !== "raw" && !(role === "ghost" && held.attempts === "all")) continue;
      const series = role === "ghost" ? ghostOf(template, held) : seriesOf(template, held);
      const average = role === "raw" ? smoothed(template, series, held) : null;
      if (series.length) lines.push({ template, series, xs: held.axis.column(series), smoothed: average, older: role === "ghost" });
    }
    return lines;
  }

  tidewatch.lines = { metricOf, seriesOf, ghostOf, colourOf, traces, readable };
})();
