/* The figure on the page: draws series into the traces that app/figures/curves.py laid out, and appends to them. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const NOTHING = { x: [], y: [], customdata: [] };

  class Plot {
    /** `graph` is the element that Dash drew the empty figure into. */
    constructor(graph) {
      this.graph = graph;
      this.smoothing = 0;
      this.hold(new Map(), new Map());
    }

    hold(series, ghosts) {
      this.series = series;
      this.ghosts = ghosts;
    }

    get traces() {
      return this.graph.data;
    }

    /** Every metric that some trace could show. */
    get metrics() {
      return [...new Set(this.traces.flatMap((trace) => trace.meta.metrics))];
    }

    /** The metrics whose earlier attempts are drawn too. */
    get ghosted() {
      return this.ofRole("ghost").map((trace) => trace.meta.metrics[0]);
    }

    ofRole(role) {
      return this.traces.filter((trace) => trace.meta.role === role);
    }

    metricOf(trace) {
      return tidewatch.figure.metricOf(trace, this.series);
    }

    seriesOf(trace) {
      return this.series.get(this.metricOf(trace)) ?? tidewatch.Series.empty();
    }

    held(trace) {
      const ghosts = this.ghosts.get(this.metricOf(trace)) ?? NOTHING;
      return { series: this.seriesOf(trace), ghosts, scale: this.series.get("loss_scale") ?? tidewatch.Series.empty() };
    }

    isPaired({ meta: { panel, role, metrics } }) {
      return role === "raw" && this.ofRole("smooth").some(
        ({ meta }) => meta.panel === panel && meta.metrics[0] === metrics[0],
      );
    }

    trace(trace) {
      const inLogSpace = tidewatch.figure.isLog(this.graph.layout, trace);
      return {
        ...trace,
        ...tidewatch.figure.columns(trace, this.held(trace), this.smoothing, inLogSpace),
        ...tidewatch.figure.visibility(trace, this.smoothing, this.isPaired(trace)),
        ...tidewatch.figure.hover(trace, this.smoothing),
        ...tidewatch.figure.paint(trace, tidewatch.theme.colour),
      };
    }

    /** Draws everything; `range` is [start, end] in steps, or null to show all. A new `revision` lets go of the
     *  zoom that the reader's own hands made (Plotly's uirevision). */
    draw(range, revision) {
      const layout = tidewatch.figure.coloured(this.graph.layout, tidewatch.theme.colour);
      this.setRange(layout, range);
      this.setTicks(layout);
      layout.uirevision = revision;
      layout.shapes = this.shapes();
      return Plotly.react(this.graph, this.traces.map((trace) => this.trace(trace)), layout);
    }

    setRange(layout, range) {
      layout.xaxis.autorange = range === null;
      if (range) layout.xaxis.range = range;
    }

    /** An empty panel has no values to number its axis with. */
    setTicks(layout) {
      for (const { axis, filled } of this.filled()) layout[axis].showticklabels = filled;
    }

    filled() {
      const axes = new Map();
      for (const trace of this.ofRole("raw")) {
        const axis = trace.yaxis.replace("y", "yaxis");
        axes.set(axis, axes.get(axis) || this.seriesOf(trace).steps.length > 0);
      }
      return [...axes].map(([axis, filled]) => ({ axis, filled }));
    }

    repaint() {
      const layout = tidewatch.figure.coloured(this.graph.layout, tidewatch.theme.colour);
      layout.shapes = this.shapes();
      const painted = this.traces.map((trace) => ({ ...trace, ...tidewatch.figure.paint(trace, tidewatch.theme.colour) }));
      return Plotly.react(this.graph, painted, layout);
    }

    shapes() {
      const { colour } = tidewatch.theme;
      const colours = { nan: colour("--nan-shade"), nanEdge: colour("--bad-line"), bad: colour("--bad") };
      return this.ofRole("raw").flatMap((trace) => tidewatch.marks.shapes(this.seriesOf(trace), trace.yaxis, colours));
    }

    setLossAxis(type) {
      Object.assign(this.graph.layout.yaxis, { type, autorange: true });
    }

    /** Appends what the series took, Map(metric → {steps, values, sources}). `range` moves the window along; it is
     *  written into the layout that this drawing reads anyway, since a relayout would draw everything twice. */
    async extend(taken, range) {
      const update = { x: [], y: [], customdata: [] };
      const indices = [];
      this.traces.forEach((trace, index) => {
        const added = this.added(trace, taken);
        if (!added) return;
        for (const key of Object.keys(update)) update[key].push(added[key]);
        indices.push(index);
      });
      if (!indices.length) return;
      if (range) this.setRange(this.graph.layout, range);
      this.setTicks(this.graph.layout);
      await Plotly.extendTraces(this.graph, update, indices);
      await this.remark(taken);
    }

    /** What a trace gains; nothing when its window ends before the new points, or it is not drawn now. */
    added(trace, taken) {
      const { role } = trace.meta;
      const points = taken.get(this.metricOf(trace));
      const series = this.seriesOf(trace);
      if (!points || !series.reachesTheEnd || role === "ghost" || role === "marks") return null;
      if (role === "smooth" && (this.smoothing === 0 || !series.average)) return null;
      return tidewatch.figure.additions(trace, series, points);
    }

    /** Draws the marks anew when a batch brought something that a line cannot show. */
    async remark(taken) {
      const strange = [...taken.values()].some(({ values }) => values.some((value) => !Number.isFinite(value)));
      if (strange) await Plotly.relayout(this.graph, { shapes: this.shapes() });
      if (!taken.get("overflow")?.values.some((value) => value > 0)) return;
      const index = this.traces.findIndex((trace) => trace.meta.role === "marks");
      const marks = tidewatch.figure.columns(this.traces[index], this.held(this.traces[index]), 0, false);
      await Plotly.restyle(this.graph, { x: [marks.x], y: [marks.y] }, [index]);
    }

    /** Panels with the metric that speaks for each: [{panel, series, metric}]. */
    heads() {
      const seen = new Set();
      const first = this.ofRole("raw").filter(({ meta }) => !seen.has(meta.panel) && seen.add(meta.panel));
      return first.map((trace) => ({
        panel: trace.meta.panel, series: this.seriesOf(trace), metric: this.metricOf(trace),
      }));
    }
  }

  tidewatch.Plot = Plot;
})();
