/* What is drawn of what is held: the panels, the view, the corridors and the gap, as one drawing. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const ROOM = 0.04; // of the run's length, kept free at its end while points come
  const LEAST_FILLED = 0.9; // less, and the room is that of another axis
  const REST_MS = 2_000; // between two times that the heads are told all

  class Scene {
    /** `curves` has the card, the plot, what is held, and the state of the view. */
    constructor(curves) {
      this.curves = curves;
      this.baselines = [];
      this.exact = null; // {step, trained} against the newest evaluation, where the window is reduced
      this.palette = new Map();
      this.list();
    }

    /** The panels as the state has them; whether another line is to be read. */
    list() {
      const state = tidewatch.state.get();
      const before = this.names?.join();
      this.panels = tidewatch.board.listed();
      const options = { x: state.x, logged: new Set(state.log), heights: tidewatch.panels.heights(state, innerHeight) };
      this.base = tidewatch.layout.build(this.panels, options);
      this.names = tidewatch.layout.names(this.base.data);
      tidewatch.panelHead.arrange(this.curves.card, this.panels, this.base.places);
      return this.names.join() !== before;
    }

    /** Before anything was read the heads say so. */
    tellLoading() {
      for (const { key } of this.panels) tidewatch.panelHead.tell(this.curves.card, key, { state: "loading", total: 0, last: null });
    }

    colour(name) {
      if (!this.palette.has(name)) this.palette.set(name, tidewatch.theme.colour(name));
      return this.palette.get(name);
    }

    repaint() {
      this.palette.clear();
      this.curves.redraw();
    }

    /** Everything that a drawing needs (see lines.js and figure.js). */
    get drawing() {
      const { held } = this.curves;
      const state = tidewatch.state.get();
      const drawing = {
        templates: this.base.data, layout: this.base.layout, series: held.series, ghosts: held.ghosts, axis: held.axis(state.x),
        smoothing: state.smooth, attempts: state.attempts, clip: state.clip, baselines: this.baselines,
        colour: (name) => this.colour(name), last: (template) => held.lasts.get(tidewatch.lines.metricOf(template, held.series)) ?? null,
      };
      drawing.gaps = state.gap ? this.gaps : [];
      return { ...drawing, under: tidewatch.under.traces(drawing) };
    }

    /** [low, high] of x that the view means; null where there is no stretch. */
    stretch(axis) {
      const { held, view } = this.curves;
      const first = view.kind === "last" ? axis.at(held.newest - view.steps) : null;
      const extent = held.extent(axis);
      return tidewatch.view.range(view, extent, first === null ? null : Math.max(first, extent[0]));
    }

    /** The same, of what is drawn. */
    get seen() {
      return this.drawn ? this.stretch(this.drawn.axis) : null;
    }

    /** [low, high] of x to show. While points come, all of the run is shown with some room at its end, so that most of
     *  them need no other axis. */
    range(axis) {
      const { view, isLive } = this.curves;
      const range = this.stretch(axis);
      return range && view.kind === "all" && isLive ? this.roomy(range) : range;
    }

    roomy([low, high]) {
      if (!this.room || this.room[0] !== low || this.room[1] < high || high < low + (this.room[1] - low) * LEAST_FILLED) {
        this.room = [low, high + (high - low) * ROOM];
      }
      return [...this.room];
    }

    async draw() {
      this.drawn = this.drawing;
      await this.curves.plot.draw(this.drawn, this.range(this.drawn.axis), this.base.height);
      this.tell();
    }

    /** Draws new points alone, where that is enough; false when everything has to be drawn. */
    extend() {
      const { plot, view } = this.curves;
      if (view.kind === "last" || !plot.drawn || !this.drawn) return false; // the window slides
      const drawing = this.drawing;
      if (drawing.axis.kind !== this.drawn.axis.kind || !plot.extend(tidewatch.lines.traces(drawing))) return false;
      this.drawn = drawing;
      this.tellEnds();
      return true;
    }

    /** The last values with every point; how many points there are, a word far from the lines' ends, every other second. */
    tellEnds() {
      clearTimeout(this.telling);
      if (performance.now() - this.told > REST_MS) return this.tell();
      for (const [panel, last] of tidewatch.figure.lasts(this.drawn)) tidewatch.panelHead.tellLast(this.curves.card, panel, last);
      this.telling = setTimeout(() => this.tell(), REST_MS);
    }

    tell() {
      clearTimeout(this.telling);
      this.told = performance.now();
      const { plot, card } = this.curves;
      const { gap } = this;
      for (const [panel, told] of tidewatch.figure.facts(this.drawn, plot.outside)) {
        tidewatch.panelHead.tell(card, panel, { ...told, gap: panel === gap?.panel ? gap : null });
      }
    }

    /** Where things stand along x, for the strip and the ribbon. */
    place() {
      const { curves: { plot }, drawn: { axis } } = this;
      const x = (step, wall) => axis.x(step, wall) ?? (step === null ? null : axis.at(step));
      const { left, right } = plot.margin;
      return { kind: axis.kind, range: plot.range, left, right, width: plot.width, x, px: (at) => plot.px(at), step: axis.step };
    }

    /** What can be read under the crosshair. */
    reading() {
      const { held } = this.curves;
      const lines = this.drawn ? tidewatch.lines.readable(this.drawn) : [];
      return { lines, axis: this.drawn?.axis, began: held.known.began, extra: (step) => this.extra(step) };
    }

    /** The gap of the evaluation at a step, where the reader wants to see it. */
    extra(step) {
      const found = this.drawn.gaps.find((one) => one.step === step);
      return found ? [{ name: tidewatch.words.say("gap"), text: tidewatch.numbers.value(found.gap) }] : [];
    }

    /* ---- the generalisation gap ---- */

    get trained() {
      return this.curves.held.series.get("loss") ?? tidewatch.Series.empty();
    }

    get evaluated() {
      return this.curves.held.series.get("eval_loss") ?? tidewatch.Series.empty();
    }

    /** Of every evaluation in view; of the newest one exact (see measureGap). */
    get gaps() {
      return tidewatch.gap.line(this.trained, this.evaluated).map((one) => (one.step === this.exact?.step ? this.corrected(one) : one));
    }

    corrected(one) {
      return { ...one, trained: this.exact.trained, gap: one.evaluated - this.exact.trained };
    }

    /** {panel, value, step} at the newest evaluation; null without one. */
    get gap() {
      const { evaluated } = this;
      const newest = tidewatch.gap.line(this.trained, evaluated.length > 1 ? evaluated.pick([evaluated.length - 1]) : evaluated).at(-1);
      const panel = this.base.data.find((trace) => trace.meta.metrics[0] === "eval_loss")?.meta.panel;
      if (!newest || !panel) return null;
      const { gap, step } = newest.step === this.exact?.step ? this.corrected(newest) : newest;
      return { panel, value: gap, step };
    }

    /** Of a reduced window the points before the newest evaluation are read in full. */
    async measureGap() {
      const { trained, evaluated, curves: { run, ended } } = this;
      if (!evaluated.length || trained.total <= trained.length || evaluated.lastStep === this.exact?.step) return;
      const step = evaluated.lastStep;
      const window = tidewatch.gap.window(trained, step);
      const answer = await tidewatch.columns.load(run, ["loss"], window, ended.signal).catch(() => null);
      const found = answer?.curves[0] ? tidewatch.gap.training(answer.curves[0], step) : null;
      this.exact = found === null ? null : { step, trained: found };
      if (found === null || !this.drawn) return;
      if (tidewatch.state.get().gap) this.curves.redraw();
      else this.tell(); // only a number has changed
    }
  }

  tidewatch.Scene = Scene;
})();
