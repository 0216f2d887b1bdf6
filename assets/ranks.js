/* The page of a run's ranks: reads the map, draws it, follows the run, and keeps everything that is chosen in the address.
   "tidewatch:ranks-drawn" {rows, columns, at, ms} on the document says that something new is on the screen. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const EVERY_MS = 1_000; // between two questions for new columns
  const RETRY_MS = 3_000;
  const GROWN = 1.25; // times the columns that were asked for, from which on they are put together anew
  const WIDE = 1_200; // px of a window in which the map has place for all columns, so that nothing has to be measured first
  const LINES = 400; // rows that a scale is taken from
  const LOSSES = ["loss", "local_loss", "device_local_loss"]; // that one pipeline stage alone computes
  const SHARED = ["x", "view"];
  const whenIdle = globalThis.requestIdleCallback ?? ((act) => setTimeout(act, 50));
  const say = (key, values) => tidewatch.words.say(key, values);

  const newestOf = (points) => Math.max(-Infinity, ...Object.values(points ?? {}).flatMap((rows) => rows.map(([step]) => step)));

  /** Whole sentences one after the other; Chinese has no blank between them. */
  const together = (sentences) => sentences.filter(Boolean).join(tidewatch.words.language() === "zh" ? "" : " ");

  /** At most LINES of many rows, evenly. */
  function some(rows) {
    const every = Math.ceil(rows.length / LINES) || 1;
    return rows.filter((_, k) => k % every === 0).map((row) => row.line());
  }

  class Ranks {
    constructor(page) {
      this.page = page;
      this.told = tidewatch.ranksAhead.told(page);
      this.map = new tidewatch.RanksMap(page.querySelector(".ranks-scroll"));
      if (this.told.metric) tidewatch.ranksAhead.begin(page, innerWidth < WIDE ? this.map.inner : Infinity);
      this.ended = new AbortController();
      this.state = tidewatch.ranksState.decode(location.search);
      this.held = new tidewatch.ranksHeld.RanksHeld();
      this.ranks = []; // what is known of each rank, as soon as it has been asked for
      this.find = (name) => page.querySelector(name);
      this.build({ signal: this.ended.signal });
      this.listen({ signal: this.ended.signal });
      this.tellControls();
      if (!this.told.metric) return this.empty();
      this.stopStream = tidewatch.stream.follow(this.told.run, (message) => this.hear(message), () => this.more());
      this.load();
    }

    build(until) {
      const choose = (rank, step) => this.choose(rank, step);
      this.controls = new tidewatch.ranksControls.RanksControls(this.page);
      this.questions = new tidewatch.RanksQuestions(this.told, this.held, () => this.state, () => this.map.inner);
      const acts = {
        toggle: (row) => this.toggle(row), zoom: (from, to) => this.zoom(from, to), showAll: () => this.share({ view: "all" }), close: () => this.close(),
        choose: (row, column) => this.choose(row.value, this.held.top.steps[column]), read: (row, column) => this.read(row, column),
      };
      this.hands = new tidewatch.RanksHands(this.map, this.find(".ranks-said"), acts, until);
      this.panel = new tidewatch.ranksPanel.RanksPanel(this.find(".ranks-side"), (query, signal) => this.questions.ask(query, signal), { close: () => this.close(), choose }, until);
      this.list = new tidewatch.ranksList.RanksList(this.find(".ranks-all"), { choose, filter: (state) => this.set({ state }) }, until);
      this.first = new tidewatch.ranksCards.FirstCard(this.find(".ranks-first-card"), (what, at, signal) => this.questions.first(what, at, signal), { choose, what: (what) => this.set({ what }) }, until);
      this.errors = new tidewatch.ranksCards.ErrorsCard(this.find(".ranks-errors-card"), (signal) => this.questions.errors(signal), { choose }, until);
    }

    listen(until) {
      const { page, map } = this;
      page.addEventListener("click", (event) => this.click(event.target.closest("button")), until);
      this.find("#ranks-metric").addEventListener("change", (event) => this.set({ metric: event.target.value, show: "" }), until);
      map.frame.addEventListener("scroll", () => (this.scrolling ??= requestAnimationFrame(() => this.scrolled())), until);
      document.addEventListener("tidewatch:theme", () => this.draw(), until);
      document.addEventListener("tidewatch:refresh", () => this.load(), until);
      document.addEventListener("tidewatch:state", ({ detail }) => SHARED.some((one) => detail.changed.has(one)) && this.shared(detail.changed), until);
      document.addEventListener("visibilitychange", () => document.hidden || this.more(), until);
      addEventListener("popstate", () => this.again(), until);
      this.resized = new ResizeObserver(() => this.width !== map.width && this.draw());
      this.resized.observe(map.frame);
      until.signal.addEventListener("abort", () => this.resized.disconnect());
    }

    end() {
      this.ended.abort();
      this.loading?.abort();
      this.stopStream?.();
      clearTimeout(this.timer);
      tidewatch.liveness.forget();
    }

    /* ---- what the reader does ---- */

    click(button) {
      const { by, show, x, fold, all } = button?.dataset ?? {};
      if (by) this.set({ by: by === "node" ? "" : by, folds: "" });
      if (show) this.set({ show });
      if (x) this.share({ x, view: "all" });
      if (fold) this.set({ folds: this.foldsOfAll(fold === "open") });
      if (all !== undefined) this.share({ view: "all" });
    }

    /** The folds where every row is open, or none is. */
    foldsOfAll(open) {
      return open === this.openAtFirst ? "" : tidewatch.ranksState.ALL;
    }

    /** Changes the view of this page; the address follows, as a step of the browser's history. */
    set(changes) {
      const before = this.state;
      this.state = { ...before, ...changes };
      const query = tidewatch.ranksState.encode(this.state, location.search);
      if (query !== location.search) history.pushState(history.state, "", location.pathname + query + location.hash);
      this.changed(Object.keys(changes).filter((name) => before[name] !== this.state[name]));
    }

    /** Changes what the view shares with the curves. */
    share(changes) {
      tidewatch.state.set(changes, { step: true });
    }

    shared(changed) {
      this.tellControls();
      if (changed.has("view")) this.load();
      else this.draw();
    }

    again() {
      if (!this.page.isConnected) return;
      const before = this.state;
      this.state = tidewatch.ranksState.decode(location.search);
      this.changed(Object.keys(before).filter((name) => before[name] !== this.state[name]));
    }

    changed(names) {
      const has = (...some) => some.some((one) => names.includes(one));
      this.tellControls();
      if (has("by") && !this.held.top?.isFolded) this.held.by = this.state.by || "node"; // no server is needed for that
      if (has("metric") || (has("by") && this.held.top?.isFolded)) this.load();
      else if (has("show", "by", "folds")) this.unfold();
      if (has("rank")) this.tellChosen();
      if (has("state")) this.list.show(this.ranks, this.state.state, this.layout);
      if (has("what")) this.first.load(this.state.what);
    }

    toggle(row) {
      this.set({ folds: tidewatch.ranksState.turned(this.state.folds, row.id) });
    }

    zoom(from, to) {
      const { steps, walls } = this.held.top;
      const column = this.isByClock ? walls : steps;
      if (to > from) this.share({ view: tidewatch.view.spell(tidewatch.view.zoom(column[from], column[to])) });
    }

    choose(rank, step) {
      const at = step ?? tidewatch.ranksState.cell(this.state.rank)?.step ?? this.held.lastStep;
      this.set({ rank: `${rank}@${Math.round(Number.isFinite(at) ? at : 0)}` });
      if (innerWidth < 1100) this.find(".ranks-side").scrollIntoView({ block: "nearest" });
    }

    close() {
      if (!this.state.rank) return false; // the key is somebody else's
      this.set({ rank: "" });
      return this.map.frame.focus({ preventScroll: true });
    }

    /* ---- reading ---- */

    get isByClock() {
      return tidewatch.state.get().x === "wall";
    }

    /** Runs `question` with a signal that the next one aborts, and draws what it brought; gives whether it did. */
    async load(question = (signal) => this.readAll(signal)) {
      this.loading?.abort();
      clearTimeout(this.timer);
      this.timer = null;
      const loading = (this.loading = new AbortController());
      this.page.setAttribute("aria-busy", "true");
      try {
        await question(loading.signal);
        if (this.loading !== loading) return;
        this.loading = null;
        this.draw();
        whenIdle(() => this.learn().catch(() => {})); // what the drawing did not wait for; asked again with the next answer
      } catch (error) {
        if (!loading.signal.aborted) this.failed(error);
      }
      this.page.removeAttribute("aria-busy");
    }

    async readAll(signal) {
      await this.questions.everything(signal);
      await this.questions.below(this.isOpen, signal);
    }

    unfold() {
      if (!this.held.wanting(this.isOpen).length) return this.draw();
      return this.load((signal) => this.questions.below(this.isOpen, signal));
    }

    failed(error) {
      this.loading = null;
      this.notice(error.message, true);
      if (error.status !== 404 && error.status !== 400) this.timer = setTimeout(() => this.load(), RETRY_MS);
    }

    async learn() {
      const { signal } = this.ended;
      const { metric } = this.questions;
      if (signal.aborted) return;
      this.ranks = await this.questions.ranks(signal);
      this.list.show(this.ranks, this.state.state, this.layout);
      this.tellChosen();
      if (this.learnt === metric) return;
      this.learnt = metric;
      this.first.load(this.state.what);
      this.errors.load(signal);
      await this.controls.offer(this.told.run, metric, signal);
    }

    get layout() {
      return this.held.top?.meta.layout;
    }

    /* ---- live ---- */

    hear(message) {
      if (message.kind === "state") tidewatch.liveness.tell(message.state);
      if (message.kind === "reload") this.load();
      if (message.kind !== "points") return;
      this.heard = { id: message.id, at: Date.now() };
      this.questions.newest = Math.max(this.questions.newest, newestOf(message.points));
      this.moreSoon();
    }

    moreSoon() {
      if (document.hidden || this.timer || this.loading || !this.reachesEnd) return;
      this.timer = setTimeout(() => this.more(), Math.max(0, EVERY_MS - (performance.now() - (this.lastAsked ?? -EVERY_MS))));
    }

    get reachesEnd() {
      return this.questions.view.kind !== "zoom";
    }

    async more() {
      this.timer = null;
      if (document.hidden || this.loading || !this.held.top || !this.reachesEnd) return;
      if (!this.held.m) return this.load();
      this.lastAsked = performance.now();
      try {
        await this.takeMore(this.held.top);
      } catch (error) {
        if (!this.ended.signal.aborted) this.notice(error.message, true);
      }
    }

    async takeMore(top) {
      const { held } = this;
      const [newer, below] = await this.questions.newer(this.ended.signal);
      if (this.loading || held.top !== top) return undefined; // something else is shown by now
      const [last, states] = [held.lastStep, held.states];
      const from = held.append(newer, below);
      if (from === null || held.m > this.questions.asked * GROWN) return this.load();
      if (states === held.states) this.grow(from);
      else this.draw(), await this.learn();
      if (this.heard) tidewatch.liveness.behind(this.heard);
      if (this.questions.newest > held.lastStep && held.lastStep > last) this.moreSoon(); // some ranks write later
      return undefined;
    }

    /* ---- drawing ---- */

    get openAtFirst() {
      return this.told.count <= tidewatch.ranksAhead.MANY;
    }

    get isOpen() {
      return (id) => tidewatch.ranksState.isOpen(this.state.folds, id, this.openAtFirst);
    }

    /** What is shown: what was chosen, else deviations where ranks may be compared. */
    get show() {
      return this.state.show || (this.held.compares ? "deviation" : "value");
    }

    draw() {
      const { top } = this.held;
      if (!top) return;
      const began = performance.now();
      this.width = this.map.width;
      this.rows = this.held.rows(this.isOpen);
      const lines = some(this.rows);
      const scale = tidewatch.ranksScale.of(this.show, lines);
      const plain = tidewatch.ranksScale.packed(tidewatch.ranksScale.channels(tidewatch.theme.colour("--line")));
      this.look = { show: this.show, scale, palette: tidewatch.ranksScale.paletteOf(this.show, tidewatch.theme.current()), plain, unit: top.meta.unit };
      this.map.show({ rows: this.rows, columns: top, x: this.isByClock ? "wall" : "step", isLive: this.reachesEnd, look: this.look });
      this.hands.follow();
      tidewatch.ranksLegend.fill(this.find(".ranks-legend"), { look: this.look, patterns: this.map.patterns, lines, note: this.labelNote() });
      this.tellControls();
      this.find(".ranks-layout").textContent = this.layoutTold();
      this.notice(this.reason(), false);
      this.drawn(began);
    }

    /** New columns alone. */
    grow(from) {
      const began = performance.now();
      this.map.grow(from);
      this.hands.mark();
      this.drawn(began);
    }

    drawn(began) {
      const detail = { rows: this.rows.length, columns: this.held.m, at: Date.now(), ms: performance.now() - began };
      document.dispatchEvent(new CustomEvent("tidewatch:ranks-drawn", { detail }));
    }

    scrolled() {
      this.scrolling = null;
      this.map.paint();
    }

    /* ---- telling ---- */

    /** What the picture itself does not say of its rows. */
    labelNote() {
      const { every, strips } = this.map;
      const values = { rows: tidewatch.numbers.count(this.rows.length), every: tidewatch.numbers.count(every) };
      return together([
        say(every > 1 ? "ranks_labels_every" : "ranks_labels_all", values),
        this.rows.some(({ odd }) => odd) ? say("ranks_marked") : "",
        this.rows.some(({ isParent }) => isParent) ? say(strips === 3 ? "ranks_folded_three" : "ranks_folded_far") : "",
      ]);
    }

    /** How the run is spread, and who says so. */
    layoutTold() {
      const { origin, ...axes } = this.layout ?? {};
      const parts = ["dp", "tp", "pp", "cp", "ep"].filter((axis) => axes[axis] > 1 || axis === "dp").map((axis) => `${axis.toUpperCase()} ${tidewatch.numbers.count(axes[axis])}`);
      return origin ? say(`ranks_layout_${origin}`, { layout: parts.join(" · ") }) : "";
    }

    /** Why there is nothing to see, or why ranks are not compared. */
    reason() {
      const { meta, m } = this.held.top;
      if (!m) return say("ranks_no_points");
      const apart = meta.comparable ? "" : say(meta.reason ? `ranks_apart_${meta.reason}` : "ranks_apart");
      const stages = meta.reason === "tp" && meta.layout.pp > 1 && LOSSES.includes(meta.metric) ? say("ranks_apart_pp") : "";
      const left = meta.exact_from ? say("ranks_exact_from", { step: tidewatch.numbers.count(meta.exact_from) }) : "";
      return together([apart, stages, left]);
    }

    notice(text, isBad) {
      const element = this.find(".ranks-notice");
      if (element.textContent !== text) element.textContent = text;
      element.classList.toggle("bad", isBad);
    }

    empty() {
      this.notice(say("ranks_no_metric"), false);
      this.page.dataset.state = "empty";
    }

    read(at, column) {
      const row = this.rows[at];
      const name = tidewatch.ranksSays.name(row);
      const where = row.meta ? [row.meta.host, tidewatch.ranksSays.place(row.meta, this.layout)].filter(Boolean).join(say("comma")) : "";
      const state = row.state && row.state !== "ok" ? tidewatch.ranksSays.stateWord(row.state) : row.isParent && row.odd ? say("ranks_odd_of", { odd: tidewatch.numbers.count(row.odd), count: tidewatch.numbers.count(row.count) }) : "";
      const title = [name, where, state].filter(Boolean).join(" · ");
      if (column < 0) return { title, text: row.isParent ? say(row.isOpen ? "ranks_click_fold" : "ranks_click_unfold", { count: tidewatch.numbers.count(row.count) }) : "" };
      return { title, text: tidewatch.ranksSays.when(this.held.top, column), hint: tidewatch.ranksSays.reading(row, row.line(), column) };
    }

    tellChosen() {
      const cell = tidewatch.ranksState.cell(this.state.rank);
      if (!cell) return this.panel.clear();
      this.mark(cell);
      if (!this.ranks.length) return undefined; // told when they are known
      const { steps, m } = this.held.top;
      return this.panel.show(this.ranks, cell.rank, cell.step, { layout: this.layout, metric: this.questions.metric, start: m ? steps[0] : "", end: m ? steps[m - 1] : "" });
    }

    /** The frame of the chosen cell, as far as its row is in sight. */
    mark({ rank, step }) {
      const at = (this.rows ?? []).findIndex((row) => row.meta?.rank === rank);
      if (at >= 0) this.hands.moveTo(at, tidewatch.ranksAnswer.columnAt(this.held.top, step), false);
    }

    tellControls() {
      const { view, x } = tidewatch.state.get();
      const { metric } = this.questions;
      this.controls.tell({ by: this.state.by || "node", show: this.show, x: x === "wall" ? "wall" : "step", metric, isWhole: view === "all" });
    }
  }

  (tidewatch.mounts ??= []).push({
    selector: "[data-ranks]",
    start(page) {
      const ranks = new Ranks(page);
      tidewatch.ranks = ranks;
      return () => {
        ranks.end();
        if (tidewatch.ranks === ranks) tidewatch.ranks = null;
      };
    },
  });
})();
