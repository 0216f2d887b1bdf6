/* One drawing, from what the page holds to what Plotly is given: {data, layout}, and what to say of each panel. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const MARKS = 120; // of outliers at one edge of a panel; nearer ones lie on one another

  const AXIS = /^[xy]axis\d*$/; // xaxis, yaxis, yaxis2 …

  /** A copy of the layout in the theme's colours, for a figure that has no manners of its own (see hover.js, drag.js).
   *  `ticklabeloverflow` spares Plotly the measuring of every label at every drawing. */
  function coloured(layout, colour, size) {
    const painted = {
      ...layout, ...size, autosize: false, hovermode: false, dragmode: false, showlegend: false, uirevision: undefined,
      paper_bgcolor: colour("--card"), plot_bgcolor: colour("--card"),
      font: { color: colour("--ink2"), family: colour("--font"), size: 11.5 },
    };
    const lines = { gridcolor: colour("--grid"), linecolor: colour("--line"), showspikes: false, ticklabeloverflow: "allow" };
    for (const axis of Object.keys(layout).filter((name) => AXIS.test(name))) painted[axis] = { ...layout[axis], ...lines };
    return painted;
  }

  /** The x axis: numbers, or times with ticks of their own. */
  function xAxis(layout, axis, range, width) {
    const most = Math.max(2, Math.floor(width / 110));
    const ticks = range && tidewatch.ticks.of(axis.kind, range, most);
    const own = ticks ?? { tickformat: axis.kind === "step" ? ",d" : axis.isTime ? "" : "~s", nticks: most + 1 };
    return { ...layout.xaxis, type: "linear", fixedrange: true, autorange: !range, ...(range ? { range: [...range] } : {}), ...own };
  }

  /** Everything of one panel's axis that is in view: [[xs, ys] …] of its traces. */
  function columnsOf(traces, yaxis, range) {
    return traces.filter((one) => one.yaxis === yaxis).map(({ x, y }) => tidewatch.clip.inView(x, y, range));
  }

  /** Sets the heights of every panel to what is in view. */
  function setHeights(layout, traces, range, clip) {
    for (const yaxis of new Set(traces.map((one) => one.yaxis))) {
      const key = tidewatch.layout.axisKey(yaxis);
      const log = layout[key].type === "log";
      const found = tidewatch.clip.range(columnsOf(traces, yaxis, range), { log, clip });
      const spelled = found && layout[key].tickformat === "~g" ? tidewatch.ticks.format(log ? found.map((one) => 10 ** one) : found) : {};
      layout[key] = { ...layout[key], ...(found ? { range: found, autorange: false } : {}), ...spelled, showticklabels: found !== null };
    }
  }

  /** What of a trace leaves its panel, as one trace of marks at each edge where there are any. */
  function outliers(one, layout, range, held) {
    const axis = layout[tidewatch.layout.axisKey(one.yaxis)];
    if (one.meta.role !== "raw" || !axis.range) return { count: 0, marks: [] };
    const log = axis.type === "log";
    const { above, below } = tidewatch.clip.outside(one.y, axis.range, log);
    const seen = (k) => !range || (one.x[k] >= range[0] && one.x[k] <= range[1]);
    const [up, down] = [above.filter(seen), below.filter(seen)];
    const edge = (height) => (log ? 10 ** height : height);
    const marks = [[up, axis.range[1], "triangle-up"], [down, axis.range[0], "triangle-down"]].filter(([found]) => found.length);
    return { count: up.length + down.length, marks: marks.map(([found, height, symbol]) => mark(one, found, edge(height), symbol, held)) };
  }

  function mark(one, indices, height, symbol, held) {
    const shown = tidewatch.marks.thinned(indices, MARKS);
    return {
      ...one, x: shown.map((k) => one.x[k]), y: shown.map(() => height), mode: "markers", opacity: 1, cliponaxis: false,
      marker: { size: 8, symbol, color: held.colour("--bad") }, meta: { ...one.meta, role: "outside" },
    };
  }

  function shapes(held) {
    const { colour } = held;
    const colours = { nan: colour("--nan-shade"), nanEdge: colour("--bad-line"), bad: colour("--bad") };
    const rows = held.templates.filter(({ meta }) => meta.role === "raw");
    return rows.flatMap((one) => tidewatch.marks.shapes(tidewatch.lines.seriesOf(one, held).spans, held.axis, one.yaxis, colours));
  }

  /** What is to be said of each panel: Map(key → facts), summed over its lines; unit and last value are the first one's. */
  function facts(held, outside) {
    const told = new Map();
    for (const template of held.templates.filter(({ meta }) => meta.role === "raw")) {
      const { panel } = template.meta;
      const series = tidewatch.lines.seriesOf(template, held);
      const before = told.get(panel) ?? { total: 0, drawn: 0, nan: 0, inf: 0, folded: 0, outside: 0, unclocked: 0, unit: series.unit, last: held.last(template) };
      const ghosts = held.attempts === "all" ? tidewatch.lines.ghostOf(template, held).length : 0;
      told.set(panel, summed(before, series, ghosts, outside.get(template.yaxis) ?? 0, held.axis));
    }
    return told;
  }

  /** The last value of each panel alone: Map(key → value). */
  function lasts(held) {
    const told = new Map();
    for (const template of held.templates.filter(({ meta }) => meta.role === "raw")) {
      if (!told.has(template.meta.panel)) told.set(template.meta.panel, held.last(template));
    }
    return told;
  }

  function summed(before, series, ghosts, outside, axis) {
    const clockless = axis.isTime ? series.walls.reduce((count, wall) => count + !Number.isFinite(wall), 0) : 0;
    return {
      ...before,
      total: before.total + series.total, drawn: before.drawn + series.length + ghosts - clockless,
      nan: before.nan + series.nan, inf: before.inf + series.inf, folded: before.folded + series.folded, outside, unclocked: before.unclocked + clockless,
    };
  }

  /** The drawing of `held` (see lines.js) with `range` of x (null = Plotly's own), at `size` {width, height}:
   *  {data, layout, outside: Map(y axis → points outside)}. `held.layout` is the empty layout, `held.under` traces that
   *  lie beneath everything. */
  function draw(held, range, size) {
    const layout = coloured(held.layout, held.colour, size);
    layout.xaxis = xAxis(layout, held.axis, range, size.width);
    const data = [...(held.under ?? []), ...tidewatch.lines.traces(held)];
    setHeights(layout, data, range, held.clip);
    const outside = new Map();
    const marks = data.flatMap((one) => {
      const found = outliers(one, layout, range, held);
      if (found.count) outside.set(one.yaxis, (outside.get(one.yaxis) ?? 0) + found.count);
      return found.marks;
    });
    layout.shapes = shapes(held);
    return { data: [...data, ...marks], layout, outside };
  }

  tidewatch.figure = { draw, facts, lasts, coloured };
})();
