/* The curves of one run: history once, then what the stream brings. The page has one, as tidewatch.curves; the document
   hears "tidewatch:curves" {curves} when it starts and {curves: null} when it ends, "tidewatch:axis" {axis} after every
   drawing, and "tidewatch:drawn" {step, at, ms} once the newest step is on the screen. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const RETRY_MS = 2_000;
  const RELOADING = ["view", "x", "attempts"]; // fields of the state that change what is read, not only how it is drawn

  class Curves {
    /** `card` is the element that carries data-run, `host` the empty element in it for the figure. */
    constructor(card, host) {
      this.card = card;
      this.run = card.dataset.run;
      this.ended = new AbortController();
      this.held = new tidewatch.Held();
      this.queue = new tidewatch.Queue();
      this.pace = new tidewatch.Pace();
      this.plot = new tidewatch.Plot(host, () => this.redraw());
      this.scene = new tidewatch.Scene(this);
      this.late = new tidewatch.LateLines(this);
      this.stream = "connecting";
      this.streamed = new Set();
      this.axis = null;
      this.connect();
      this.scene.tellLoading();
      this.stopStream = tidewatch.stream.follow(this.run, (message) => this.hear(message), () => this.late.ask(this.scene.names));
      this.reload();
    }

    connect() {
      const until = { signal: this.ended.signal };
      const acts = { show: (start, end) => this.zoom(start, end), showAll: () => this.showAll(), began: () => this.hover.hide() };
      const source = () => this.scene.reading();
      this.hover = new tidewatch.hover.Hover(this.plot, source, until);
      this.drag = new tidewatch.drag.Drag(this.plot, acts, until);
      this.keys = new tidewatch.figureKeys.FigureKeys({ plot: this.plot, hover: this.hover, source, ...acts }, until);
      tidewatch.wheel.zoom(this.plot, acts.show, until);
      document.addEventListener("tidewatch:theme", () => this.scene.repaint(), until);
      document.addEventListener("tidewatch:refresh", () => this.reload(), until);
      document.addEventListener("tidewatch:state", ({ detail }) => this.changed(detail.changed), until);
      document.addEventListener("tidewatch:panels", () => this.changed(new Set()), until);
      document.addEventListener("visibilitychange", () => this.shown(), until);
    }

    end() {
      this.ended.abort();
      this.loading?.abort();
      this.stopStream();
      clearTimeout(this.timer);
      clearTimeout(this.retry);
      this.plot.end();
      tidewatch.liveness.forget();
    }

    get state() {
      return tidewatch.state.get();
    }

    get view() {
      return tidewatch.view.read(this.state.view);
    }

    get newest() {
      return this.held.newest;
    }

    /* ---- history ---- */

    /** Fetches the window again and draws it; of two at the same time the later one wins. */
    async reload() {
      this.loading?.abort();
      clearTimeout(this.retry);
      const loading = (this.loading = new AbortController());
      const answer = await this.fetch(loading.signal);
      if (this.loading !== loading) return;
      if (answer) await this.take(answer);
      if (this.loading !== loading) return; // while it was drawn the reader asked for another window
      this.loading = null;
      this.drawSoon();
      this.closeGap();
    }

    /** Reads again when the stream began after what history held: between the two something may be missing. */
    closeGap() {
      if (!this.loading && this.position && tidewatch.stream.isAfter(this.ready, this.position)) this.reload();
    }

    /** The answer for the view; null when the server did not answer, or not in time. */
    async fetch(signal) {
      try {
        const { attempts } = this.state;
        const wanted = { names: this.scene.names, attempts, window: await this.window(signal) };
        const answer = await tidewatch.history.load(this.run, wanted, signal);
        await tidewatch.library.ready();
        return answer;
      } catch (error) {
        if (!signal.aborted) this.failed(error);
        return null;
      }
    }

    /** A link may ask for an attempt that the run does not have: then all of them are shown as one. */
    failed(error) {
      const isOfOneAttempt = !["stitched", "all"].includes(this.state.attempts);
      if (error.status === 404 && isOfOneAttempt) tidewatch.state.set({ attempts: "stitched" }, { step: false });
      else if (!tidewatch.frozen.isOver()) this.retryLater(error);
    }

    /** What of the run the view shows; for a stretch of it the axis has to be known first. */
    async window(signal) {
      const { names } = this.scene;
      if (this.isUnknown(names)) this.held.survey(await tidewatch.history.survey(this.run, names, signal), names);
      return tidewatch.view.query(this.view, this.held.axis(this.state.x), this.newest);
    }

    /** Whether the run has to be looked at as a whole before the window: for the axis, or for newest values behind its end. */
    isUnknown(names) {
      const { kind } = this.view;
      const endsBefore = kind === "zoom" || Boolean(Number(this.state.attempts));
      if (endsBefore && names.some((name) => !this.held.surveyed.has(name))) return true;
      return kind !== "all" && (this.newest === -Infinity || (kind === "zoom" && this.held.axis(this.state.x).kind !== this.state.x));
    }

    retryLater(error) {
      tidewatch.liveness.tell("away", { reason: error.message });
      this.retry = setTimeout(() => this.reload(), RETRY_MS);
    }

    async take(answer) {
      this.position = answer.stream;
      this.held.take(answer, this.reachesEnd(answer), this.state.attempts === "all");
      await this.draw();
      this.tellState(this.stream);
      if (!this.details) this.learnDetails();
      if (!answer.curves.length) tidewatch.board.learn(this.run); // it begins with what it has instead
      this.scene.measureGap();
    }

    /** Whether new points belong to what is shown. */
    reachesEnd({ step, attempts }) {
      const chosen = Number(this.state.attempts); // NaN for stitched and all
      if (chosen && chosen !== (attempts.at(-1)?.attempt ?? 1)) return false;
      const { view } = this;
      if (view.kind !== "zoom") return true;
      const axis = this.held.axis(this.state.x);
      return tidewatch.view.reaches(view, axis.at(step ?? -Infinity) ?? -Infinity);
    }

    /** How the run is: after the first drawing, which does not wait for it. */
    async learnDetails() {
      this.details = await tidewatch.history.details(this.run, this.ended.signal).catch(() => null); // asked again with the next window
      this.tellState(this.stream);
    }

    /* ---- live ---- */

    hear(message) {
      if (message.kind === "state") this.tellState(message.state);
      if (message.kind === "ready") this.ready = message.id;
      if (message.kind === "ready") this.closeGap();
      if (message.kind === "reload") this.startAgain();
      if (message.kind === "points") this.enqueue(message);
    }

    startAgain() {
      this.details = null;
      return this.reload();
    }

    enqueue({ id, points }) {
      if (tidewatch.stream.isAfter(id, this.position)) this.position = id;
      for (const name of Object.keys(points)) this.streamed.add(name);
      this.queue.add(id, points, Date.now());
      this.drawSoon();
    }

    /** At once after a pause, else when enough time has passed since the last drawing (see pace.js). */
    drawSoon() {
      if (document.hidden || this.loading || this.timer || !this.queue.size) return;
      this.timer = setTimeout(() => this.drawQueue(), this.pace.wait(performance.now()));
    }

    shown() {
      if (document.hidden) return;
      if (this.queue.overran) this.reload();
      this.queue.overran = false;
      this.redraw();
      this.drawSoon();
    }

    async drawQueue() {
      this.timer = null;
      if (document.hidden || this.loading) return;
      const { points, heard } = this.queue.take();
      const taken = this.held.append(points);
      const { view } = this;
      if (view.kind === "last") this.held.trim(this.newest - view.steps);
      this.isLive ||= taken > 0;
      if (taken) await this.drawTaken();
      if (heard) tidewatch.liveness.behind(heard);
      this.late.soon(this.streamed);
      if (this.held.isLong) this.reload();
      else this.drawSoon();
    }

    /* ---- what the reader asks for ---- */

    zoom(start, end) {
      tidewatch.state.set({ view: tidewatch.view.spell(tidewatch.view.zoom(start, end)) });
    }

    showAll() {
      if (this.state.view !== "all") tidewatch.state.set({ view: "all" });
    }

    /** Counts x in another way; a zoom stays on the same points as far as these can be found there. */
    countIn(kind) {
      const { view } = this;
      const [from, to] = [this.state.x, kind].map((one) => this.held.axis(one));
      const range = view.kind === "zoom" ? tidewatch.axis.convert([view.start, view.end], from, to) : null;
      const spelled = range ? tidewatch.view.spell(tidewatch.view.zoom(...range)) : view.kind === "zoom" ? "all" : this.state.view;
      tidewatch.state.set({ x: kind, view: spelled });
    }

    /** Corridors of earlier runs: [{name, steps, low, mid, high, metric}], drawn behind the curve of `metric`. */
    setBaselines(baselines) {
      const isSomething = baselines.length || this.scene.baselines.length;
      this.scene.baselines = baselines;
      if (isSomething) this.redraw();
    }

    changed(fields) {
      const isMore = this.scene.list();
      if (isMore || RELOADING.some((field) => fields.has(field))) this.reload();
      else this.redraw();
    }

    /** Draws what is held again, once a frame at most. */
    redraw() {
      if (document.hidden || !this.plot.drawn) return;
      this.frame ??= requestAnimationFrame(() => {
        this.frame = null;
        if (!this.ended.signal.aborted) this.draw();
      });
    }

    /** The new points alone where that is enough, else everything. */
    async drawTaken() {
      const began = performance.now();
      if (!this.scene.extend()) return this.draw();
      this.tookSince(began, "end");
    }

    async draw() {
      const began = performance.now();
      const isFirst = !this.plot.drawn;
      await this.scene.draw();
      this.axis = this.scene.place();
      document.dispatchEvent(new CustomEvent("tidewatch:axis", { detail: { axis: this.axis } }));
      this.tookSince(began, isFirst ? null : "whole"); // making the figure says nothing of drawing it again
    }

    tookSince(began, kind) {
      const ms = performance.now() - began;
      if (kind) this.pace.drew(kind, began, ms);
      this.hover.follow();
      tidewatch.clock.along();
      this.tellDrawn(ms);
    }

    /* ---- what it tells the page ---- */

    tellState(state) {
      this.stream = state;
      tidewatch.liveness.tell(state, { finished: this.isOver });
    }

    get isOver() {
      return ["finished", "failed"].includes(this.details?.freshness?.state);
    }

    /** For whoever measures: the newest step that is on the screen, once the browser has painted it. */
    tellDrawn(ms) {
      const step = this.newest;
      requestAnimationFrame(() => setTimeout(() => {
        document.dispatchEvent(new CustomEvent("tidewatch:drawn", { detail: { step, at: Date.now(), ms } }));
      }));
    }
  }

  tidewatch.Curves = Curves;
})();
