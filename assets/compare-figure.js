/* Lines of several runs, panel under panel: what Plotly is given. Pure but for the theme's colours. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const PANELS = ["loss", "eval_loss", "lr", "grad_norm"]; // the usual ones, of which those are shown that a run has
  const MAIN = 300; // px of the first panel and of the others
  const OTHER = 130;
  const GAP = 40;
  const TOP = 26;
  const BOTTOM = 44;
  const MARKS = 60; // stretches that a line cannot show, of one run in one panel
  const LOG = new Set(["grad_norm"]); // logarithmic as on the run page

  /** The panels for a choice, out of the names that the runs have: [name…], a tag with "tag:" before it. */
  function panels(metric, metrics) {
    if (metric) return [metric];
    const known = new Set(metrics.filter((one) => one.kind === "metric").map((one) => one.name));
    const found = PANELS.filter((name) => known.has(name));
    return found.length ? found : metrics.slice(0, 1).map(({ kind, name }) => (kind === "tag" ? `tag:${name}` : name));
  }

  /** Steps of a run → places on the axis; null when the run does not say how many tokens a step is. */
  function places(steps, run, x) {
    if (x === "step") return Array.from(steps);
    if (x === "relative") return Array.from(steps, (step) => step - (run.first_step ?? 0));
    return run.tokens_per_step ? Array.from(steps, (step) => step * run.tokens_per_step) : null;
  }

  /** The steps of a run that a stretch of the axis covers, one more on each side; open without a stretch. */
  function window(view, run, x) {
    if (!view) return {};
    const scale = x === "tokens" ? run.tokens_per_step : 1;
    if (!scale) return {};
    const shift = x === "relative" ? run.first_step ?? 0 : 0;
    const { asked } = tidewatch.view;
    return { start: asked(Math.floor(view[0] / scale + shift) - 1), end: asked(Math.ceil(view[1] / scale + shift) + 1) };
  }

  const heights = (count) => (count ? [MAIN, ...Array(count - 1).fill(OTHER)] : []);
  const height = (count) => heights(count).reduce((sum, one) => sum + one + GAP, 0) - GAP + TOP + BOTTOM;

  /** Where each panel stands: [[bottom, top] …] as shares of the drawing's height, first panel uppermost. */
  function domains(count) {
    const inner = height(count) - TOP - BOTTOM;
    let top = inner;
    return heights(count).map((own) => {
      const domain = [Math.max(0, top - own) / inner, top / inner];
      top -= own + GAP;
      return domain;
    });
  }

  const axisName = (index, letter = "y") => (index ? `${letter}${index + 1}` : letter);

  function line(values, smooth, log) {
    if (!smooth) return Array.from(values, (value) => (Number.isFinite(value) ? value : null));
    const average = new tidewatch.smoothing.Average(smooth, log);
    return Array.from(values, (value) => average.next(value));
  }

  /** One trace of one run in one panel. `index` is the run's place, which gives its colour. */
  function trace(run, curve, { panel, index, state, colour }) {
    const x = places(curve.steps, run, state.x);
    if (!x) return null;
    const few = curve.n < 40; // an evaluation every thousand steps would be hardly a line
    return {
      type: "scatter", mode: few ? "lines+markers" : "lines", name: run.name, x, y: line(curve.values, state.smooth, isLog(panel.name, state)),
      xaxis: "x", yaxis: axisName(panel.index), meta: { run: run.run, panel: panel.name },
      visible: !state.hide.includes(run.run), connectgaps: false,
      line: { color: colour(tidewatch.palette.variable(index)), dash: tidewatch.palette.dash(index), width: 1.6 }, marker: { size: 4 },
      hovertemplate: `%{y:${tidewatch.ticks.reading(sizes(curve.values))}}<extra>%{fullData.name}</extra>`,
    };
  }

  /** The lowest and the highest of some values that can be drawn. */
  function sizes(values) {
    let [low, high] = [0, 0];
    for (const value of values) if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    return [low, high];
  }

  const isLog = (panel, state) => (panel === "loss" ? state.log : LOG.has(panel) || (state.metric === panel && state.log));

  const HEIGHTS = { nan: [0, 1], up: [0.88, 1], down: [0, 0.12] };

  /** What a line cannot show, in its run's colour: a stretch of NaN shades the panel, an infinity is a red edge. */
  function marks(run, curve, { panel, index, state, colour }) {
    if (state.hide.includes(run.run)) return [];
    return (curve.spans ?? []).slice(-MARKS).map(([kind, first, last]) => {
      const ends = places([first, last], run, state.x);
      if (!ends) return null;
      const own = colour(kind === "nan" ? tidewatch.palette.variable(index) : "--bad");
      const [y0, y1] = HEIGHTS[kind];
      return {
        type: "rect", layer: "below", xref: "x", yref: `${axisName(panel.index)} domain`, x0: ends[0], x1: ends[1], y0, y1,
        fillcolor: own, opacity: kind === "nan" ? 0.3 : 1, line: { color: own, width: kind === "nan" ? 1 : 2 },
      };
    }).filter(Boolean);
  }

  /** First and last place of all that is drawn; null when that is no stretch. Plotly would leave room for dots. */
  function extent(data) {
    const ends = data.flatMap(({ x }) => [x[0], x.at(-1)]);
    const found = [Math.min(...ends), Math.max(...ends)];
    return found[0] < found[1] && found.every(Number.isFinite) ? found : null;
  }

  /** Ticks of a logarithmic axis: of less than two and a half decades 1, 2 and 5, else as Plotly has them. */
  function logTicks(traces) {
    let [low, high] = [Infinity, 0];
    for (const { y } of traces) for (const value of y) if (value > 0) [low, high] = [Math.min(low, value), Math.max(high, value)];
    return high / low < 300 ? { dtick: "D2" } : {};
  }

  /** {data, layout}. `lines` is [{run, index, curves: Map(panel → curve)}]; `titles` names panels and the axis. */
  function figure(lines, names, state, { colour, titles, width }) {
    const data = names.flatMap((name, index) =>
      lines.map(({ run, index: place, curves }) => {
        const curve = curves.get(name);
        return curve?.n ? trace(run, curve, { panel: { name, index }, index: place, state, colour }) : null;
      }).filter(Boolean));
    const drawn = layout(names, state, { colour, titles, width, range: state.view ?? extent(data) });
    names.forEach((name, index) => {
      const traces = data.filter((one) => one.meta.panel === name);
      const spelled = tidewatch.ticks.format(sizes(traces.flatMap(({ y }) => y)));
      Object.assign(drawn[index ? `yaxis${index + 1}` : "yaxis"], spelled, isLog(name, state) ? logTicks(traces) : {});
    });
    drawn.shapes = names.flatMap((name, index) =>
      lines.flatMap(({ run, index: place, curves }) => marks(run, curves.get(name) ?? {}, { panel: { name, index }, index: place, state, colour })));
    return { data, layout: drawn };
  }

  function layout(names, state, { colour, titles, width, range }) {
    const places = domains(names.length);
    const ticks = { gridcolor: colour("--grid"), linecolor: colour("--line"), zeroline: false };
    const axes = names.map((name, index) => [index ? `yaxis${index + 1}` : "yaxis", {
      ...ticks, domain: places[index], anchor: "x", type: isLog(name, state) ? "log" : "linear", fixedrange: true,
      nticks: index ? 4 : 7,
    }]);
    const counted = range && state.x === "tokens" ? tidewatch.ticks.of("tokens", range, Math.max(2, Math.floor(width / 110))) : null;
    return {
      ...Object.fromEntries(axes), width, height: height(names.length), margin: { l: 58, r: 14, t: TOP, b: BOTTOM },
      xaxis: {
        ...ticks, anchor: axisName(names.length - 1), title: { text: titles.x, standoff: 6 }, showspikes: true, spikemode: "across",
        spikethickness: 1, spikedash: "solid", spikecolor: colour("--ink3"), spikesnap: "cursor",
        tickformat: ",d", ...counted, ...(range ? { range: [...range], autorange: false } : { autorange: true }),
      },
      annotations: names.map((name, index) => ({
        text: titles.panel(name), x: 0, xref: "paper", xanchor: "left", y: places[index][1], yref: "paper", yanchor: "bottom",
        showarrow: false, font: { size: 12.5, color: colour("--ink"), weight: 600 },
      })),
      hovermode: "x unified", hoversubplots: "axis", dragmode: "zoom", showlegend: false,
      paper_bgcolor: colour("--card"), plot_bgcolor: colour("--card"),
      font: { color: colour("--ink2"), family: colour("--font"), size: 11.5 },
      hoverlabel: { bgcolor: colour("--card"), bordercolor: colour("--line"), font: { color: colour("--ink"), size: 12 }, namelength: -1 },
    };
  }

  tidewatch.compareFigure = { panels, places, window, figure, domains, height };
})();
