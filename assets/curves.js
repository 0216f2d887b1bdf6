/* The curves of one run: history once, then what the stream brings, at most four drawings a second. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const DRAW_MS = 250;
  const RETRY_MS = 2_000;
  const APPENDED_BEFORE_RELOAD = 1_000; // then the window is reduced anew, so that it stays as light as it began
  const QUEUED_AT_MOST = 20_000; // points kept for a hidden tab; past that it reads history when it is shown

  class Curves {
    /** `card` is the element that carries data-run, `graph` the plot inside it that Dash made, empty. */
    constructor(card, graph) {
      this.card = card;
      this.run = card.dataset.run;
      this.plot = new tidewatch.Plot(graph);
      this.view = tidewatch.view.all();
      this.views = 0;
      this.series = new Map();
      this.units = new Map();
      this.newest = -Infinity;
      this.appended = 0;
      this.queue = new Map();
      this.lastDrawn = -Infinity;
      this.stream = "connecting";
      this.ended = new AbortController();
      this.listen(graph);
      this.stopStream = tidewatch.stream.follow(this.run, (message) => this.hear(message), () => this.poll());
      this.reload();
    }

    listen(graph) {
      const until = { signal: this.ended.signal };
      document.addEventListener("tidewatch:theme", () => this.plot.repaint(), until);
      document.addEventListener("tidewatch:refresh", () => this.reload(), until);
      document.addEventListener("visibilitychange", () => this.shown(), until);
      graph.on("plotly_relayout", (event) => this.relaid(event));
      graph.on("plotly_doubleclick", () => this.show(tidewatch.view.all()));
      tidewatch.wheel.zoom(graph, (start, end) => this.show(tidewatch.view.zoom(start, end)), until);
    }

    end() {
      this.ended.abort();
      this.loading?.abort();
      this.stopStream();
      clearTimeout(this.timer);
      clearTimeout(this.retry);
      tidewatch.liveness.forget();
    }

    /* ---- history ---- */

    /** Fetches the window again and draws it; of two at the same time the later one wins. */
    async reload() {
      this.loading?.abort();
      clearTimeout(this.retry);
      const loading = (this.loading = new AbortController());
      const loaded = await this.fetch(loading.signal);
      if (this.loading !== loading) return;
      if (loaded) await this.take(loaded);
      if (this.loading !== loading) return; // while it was drawn the reader asked for another window
      this.loading = null;
      this.drawSoon();
      this.closeGap();
    }

    /** Reads again when the stream began after what history held: between the two something may be missing. */
    closeGap() {
      if (!this.loading && this.position && tidewatch.stream.isAfter(this.ready, this.position)) this.reload();
    }

    /** What history holds of the view; null when the server did not answer, or not in time. */
    async fetch(signal) {
      const wanted = { metrics: this.plot.metrics, ghosted: this.plot.ghosted, view: this.view };
      try {
        return await tidewatch.history.load(this.run, wanted, signal);
      } catch (error) {
        if (!signal.aborted) this.retryLater(error);
        return null;
      }
    }

    retryLater(error) {
      tidewatch.liveness.tell("away", { reason: error.message });
      this.retry = setTimeout(() => this.reload(), RETRY_MS);
    }

    async take({ details, series, ghosts, newest, position }) {
      this.position = position;
      this.series = series;
      this.newest = newest;
      this.units = new Map(details.metrics.map((one) => [one.metric, one.unit]));
      this.finished = ["finished", "failed"].includes(details.freshness?.state);
      this.appended = 0;
      this.plot.hold(series, ghosts);
      await this.drawAll();
      this.tellState(this.stream);
    }

    /** The x axis as it should be now; null as long as there is no stretch of steps to show. */
    get range() {
      const first = Math.min(...[...this.series.values()].map((series) => series.firstStep));
      return tidewatch.view.range(this.view, first, this.newest);
    }

    async drawAll() {
      await this.plot.draw(this.range, this.views);
      this.tellHeads();
      this.tellDrawn();
    }

    /* ---- live ---- */

    hear(message) {
      if (message.kind === "state") this.tellState(message.state);
      if (message.kind === "ready") this.ready = message.id;
      if (message.kind === "ready") this.closeGap();
      if (message.kind === "reload") this.reload();
      if (message.kind === "points") this.enqueue(message);
    }

    enqueue({ id, points }) {
      if (tidewatch.stream.isAfter(id, this.position)) this.position = id;
      for (const [metric, list] of Object.entries(points)) {
        const queued = this.queue.get(metric) ?? [];
        queued.push(...list);
        this.queue.set(metric, queued);
        if (queued.length > QUEUED_AT_MOST) this.overran = true;
      }
      if (this.overran) this.queue.clear();
      this.heard ??= { id, at: Date.now() }; // of a batch the oldest, which waited longest
      this.drawSoon();
    }

    /** At once after a pause, else when a quarter of a second has passed since the last drawing. */
    drawSoon() {
      if (document.hidden || this.loading || this.timer || !this.queue.size) return;
      const wait = Math.max(0, this.lastDrawn + DRAW_MS - performance.now());
      this.timer = setTimeout(() => this.drawQueue(), wait);
    }

    shown() {
      if (document.hidden) return;
      if (this.overran) this.reload();
      this.overran = false;
      this.drawSoon();
    }

    async drawQueue() {
      this.timer = null;
      if (document.hidden || this.loading) return;
      this.lastDrawn = performance.now();
      const taken = this.takeQueue();
      if (taken.size) await this.plot.extend(taken, this.view.kind === "zoom" ? null : this.range);
      this.tellBehind();
      this.tellHeads();
      this.tellDrawn();
      if (this.appended > APPENDED_BEFORE_RELOAD) this.reload();
      else this.drawSoon();
    }

    /** What of the queue is new: Map(metric → {steps, values, sources}). */
    takeQueue() {
      const taken = new Map();
      for (const [metric, points] of this.queue) {
        if (!this.series.has(metric)) this.series.set(metric, tidewatch.Series.empty());
        const series = this.series.get(metric);
        const added = series.append(points);
        if (added.steps.length) taken.set(metric, added);
        this.newest = Math.max(this.newest, series.lastStep);
        this.appended += added.steps.length;
      }
      this.queue.clear();
      return taken;
    }

    /** Without a stream: what is newer than the last point, metric by metric. */
    async poll() {
      if (document.hidden || this.loading) return;
      const known = [...this.series].filter(([, series]) => series.steps.length);
      if (!known.length) this.reload();
      const asked = known.map(async ([metric, series]) => [metric, await this.newer(metric, series.lastStep + 1)]);
      const answered = (await Promise.allSettled(asked)).filter((one) => one.status === "fulfilled");
      this.enqueue({ id: "", points: Object.fromEntries(answered.map((one) => one.value)) });
    }

    async newer(metric, start) {
      const query = { start, points: 2_000, attempt: "latest" };
      const { steps, walls, values, sources } = await tidewatch.columns.load(this.run, metric, query);
      return steps.map((step, k) => [step, walls[k], values[k], sources[k]]);
    }

    /* ---- what the reader asks for ---- */

    relaid(event) {
      const view = tidewatch.view.asked(event);
      if (view) this.show(view);
    }

    show(view) {
      this.view = view;
      if (view.kind !== "zoom") this.views += 1;
      tidewatch.controls.tellView(this.card, view);
      return this.reload();
    }

    smoothBy(weight) {
      this.plot.smoothing = weight;
      return this.drawAll();
    }

    setLossAxis(type) {
      this.plot.setLossAxis(type);
      return this.drawAll();
    }

    /* ---- what it tells the page ---- */

    tellState(state) {
      this.stream = state;
      tidewatch.liveness.tell(state, { finished: this.finished });
    }

    tellBehind() {
      if (this.heard) tidewatch.liveness.behind(this.heard);
      this.heard = null;
    }

    tellHeads() {
      for (const { panel, series, metric } of this.plot.heads()) {
        tidewatch.panelHead.tell(this.card, panel, series, this.units.get(metric) ?? "");
      }
    }

    /** For whoever measures: the newest step that is on the screen, once the browser has painted it. */
    tellDrawn() {
      const step = this.newest;
      requestAnimationFrame(() => setTimeout(() => {
        document.dispatchEvent(new CustomEvent("tidewatch:drawn", { detail: { step, at: Date.now() } }));
      }));
    }
  }

  tidewatch.Curves = Curves;
})();
