/* From the series of a run to Plotly's traces: which trace shows which metric, with which values and colours. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SMOOTHED_RAW_OPACITY = 0.28;

  /** The metric that fills a trace: the first of its candidates that the run has, else the first. */
  function metricOf(trace, known) {
    return trace.meta.metrics.find((metric) => known.has(metric)) ?? trace.meta.metrics[0];
  }

  const isLog = (layout, trace) => layout[trace.yaxis.replace("y", "yaxis")].type === "log";

  /** x, y and customdata of one trace; a smoothed trace starts its running average here. */
  function columns(trace, held, smoothing, inLogSpace) {
    if (trace.meta.role === "ghost") return held.ghosts;
    if (trace.meta.role === "marks") {
      const marks = tidewatch.marks.overflows(held.series, held.scale);
      return { ...marks, customdata: marks.x.map(() => "") };
    }
    const { series } = held;
    const smooth = trace.meta.role === "smooth";
    const y = smooth ? series.smooth(smoothing, inLogSpace) : tidewatch.Series.drawable(series.values);
    return { x: [...series.steps], y, customdata: [...series.sources] };
  }

  /** Appends for one trace: the same for the points that `series.append` took. */
  function additions(trace, series, taken) {
    const smooth = trace.meta.role === "smooth";
    const y = smooth ? series.smoothMore(taken.values) : tidewatch.Series.drawable(taken.values);
    return { x: taken.steps, y, customdata: taken.sources };
  }

  /** With smoothing the average is drawn strong and the points behind it faint; without, the points alone. */
  function visibility(trace, smoothing, paired) {
    if (trace.meta.role === "smooth") return { visible: smoothing > 0, opacity: 1 };
    return { visible: true, opacity: paired && smoothing > 0 ? SMOOTHED_RAW_OPACITY : 1 };
  }

  function hover(trace, smoothing) {
    if (trace.hoverinfo === "skip") return {};
    const source = trace.meta.role === "raw" ? " (%{customdata})" : "";
    const name = trace.meta.role === "smooth" ? tidewatch.words.say("smoothed", { name: trace.name }) : trace.name;
    return { hovertemplate: `${name}: %{y:.5~g}${source}<extra></extra>` };
  }

  function paint(trace, colour) {
    const value = colour(trace.meta.colour);
    return { line: { ...trace.line, color: value }, marker: { ...trace.marker, color: value } };
  }

  const AXIS = /^[xy]axis\d*$/; // xaxis, yaxis, yaxis2 …

  /** A copy of the layout in the theme's colours. The card's own colour stands behind the plot: a transparent one
   *  would draw a white halo on the crosshair in the dark. */
  function coloured(layout, colour) {
    const family = colour("--font");
    const painted = {
      ...layout,
      paper_bgcolor: colour("--card"),
      plot_bgcolor: colour("--card"),
      font: { color: colour("--ink2"), family, size: 11.5 },
      hoverlabel: {
        bgcolor: colour("--card"), bordercolor: colour("--line"), font: { color: colour("--ink"), family, size: 12 },
      },
    };
    const lines = { gridcolor: colour("--grid"), linecolor: colour("--line"), spikecolor: colour("--ink3") };
    for (const axis of Object.keys(layout).filter((name) => AXIS.test(name))) {
      painted[axis] = { ...layout[axis], ...lines };
    }
    return painted;
  }

  tidewatch.figure = { metricOf, isLog, columns, additions, visibility, hover, paint, coloured };
})();
