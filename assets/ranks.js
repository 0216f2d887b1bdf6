/* The page of a run's ranks: reads the map, draws it, follows the run, and keeps everything that is chosen in the address.
   "tidewatch:ranks-drawn" {rows, columns, at, ms} on the document says that something new is on the screen. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const RETRY_MS = 3_000;
  const WIDE = 1_200; // px of a window in which the map has place for all columns, so that nothing has to be measured first
  const LINES = 400; // rows that a scale is taken from
  const SHARED = ["x", "view"];
  const whenIdle = globalThis.requestIdleCallback ?? ((act) => setTimeout(act, 50));

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
      this.teller = new tidewatch.RanksTold(this);
      this.build({ signal: this.ended.signal });
      this.listen({ signal: this.ended.signal });
      this.teller.controls();
      if (!this.told.metric) return this.teller.empty();
      this.older = new tidewatch.RanksOlder(this);
      this.live = new tidewatch.RanksLive(this);
      this.load();
    }

    build(until) {
      const choose = (rank, step) => this.choose(rank, step);
      this.controls = new tidewatch.ranksControls.RanksControls(this.page);
      this.questions = new tidewatch.RanksQuestions(this.told, this.held, () => this.state, () => this.map.inner);
      const acts = {
        toggle: (row) => this.toggle(row), zoom: (from, to) => this.zoom(from, to), showAll: () => this.share({ view: "all" }), close: () => this.close(),
        choose: (row, column) => this.choose(row.value, this.held.top.steps[column]), read: (row, column) => tidewatch.ranksTelling.place(this.rows[row], column, this.held.top),
      };
      this.hands = new tidewatch.RanksHands(this.map, this.find(".ranks-said"), acts, until);
      this.panel = new tidewatch.ranksPanel.RanksPanel(this.find(".ranks-side"), (query, signal) => this.questions.ask(query, signal), { close: () => this.close(), choose }, until);
      this.list = new tidewatch.ranksList.RanksList(this.find(".ranks-all"), { choose, filter: (state) => this.set({ state, listed: "" }), more: (listed) => this.set({ listed: String(listed) }) }, until);
      this.first = new tidewatch.ranksCards.FirstCard(this.find(".ranks-first-card"), (what, at, signal) => this.questions.first(what, at, signal), { choose, what: (what) => this.set({ what }), at: (at) => this.set({ what_at: at }) }, until);
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
      document.addEventListener("visibilitychange", () => document.hidden || this.live?.more(), until);
      addEventListener("popstate", () => this.again(), until);
      this.resized = new ResizeObserver(() => this.width !== map.width && this.draw());
      this.resized.observe(map.frame);
      until.signal.addEventListener("abort", () => this.resized.disconnect());
    }

    end() {
      this.ended.abort();
      this.loading?.abort();
      this.live?.end();
      clearTimeout(this.timer);
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
      tidewatch.trail.go(tidewatch.ranksState.encode(this.state, location.search), true);
      this.changed(Object.keys(changes).filter((name) => before[name] !== this.state[name]));
    }

    /** Changes what the view shares with the curves. */
    share(changes) {
      tidewatch.state.set(changes);
    }

    shared(changed) {
      this.teller.controls();
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
      this.teller.controls();
      if (has("by") && !this.held.top?.isFolded) this.held.by = this.state.by || "node"; // no server is needed for that
      if (has("metric") || (has("by") && this.held.top?.isFolded)) this.load();
      else if (has("show", "by", "folds")) this.unfold();
      if (has("rank")) this.teller.chosen();
      if (has("state", "listed")) this.showList();
      if (has("what", "what_at")) this.first.load(this.state.what, this.state.what_at);
    }

    toggle(row) {
      this.set({ folds: tidewatch.ranksState.turned(this.state.folds, row.id) });
    }

    zoom(from, to) {
      const { steps, walls } = this.held.top;
      const column = this.isByClock ? walls : steps;
      if (to > from) this.share({ view: `${column[from]}..${column[to]}` });
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
    async load(question = (signal) => this.readAll(signal), then = () => this.learn().catch(() => {}).then(() => this.older.follow())) {
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
        whenIdle(then); // what the drawing did not wait for; asked again with the next answer
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
      this.teller.notice(error.message, true);
      if (![400, 404, 410].includes(error.status)) this.timer = setTimeout(() => this.load(), RETRY_MS);
    }

    /** A question for what is newer was not answered; the next one may be. */
    failedOnce(error) {
      if (!this.ended.signal.aborted) this.teller.notice(error.message, true);
    }

    /** All may be others: the run may be over, or have other metrics. */
    startAgain() {
      this.learnt = null;
      return this.load();
    }

    async learn() {
      const { signal } = this.ended;
      const { metric } = this.questions;
      if (signal.aborted) return;
      this.ranks = await this.questions.ranks(signal);
      this.showList();
      this.teller.chosen();
      if (this.learnt === metric) return;
      this.learnt = metric;
      this.first.load(this.state.what, this.state.what_at);
      this.errors.load(signal);
      await this.controls.offer(this.told.run, metric, signal);
      await this.live.learn(signal);
    }

    showList() {
      this.list.show(this.ranks, this.state.state, this.layout, Number(this.state.listed) || undefined);
    }

    get layout() {
      return this.held.top?.meta.layout;
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
      this.map.show({ rows: this.rows, columns: top, x: this.isByClock ? "wall" : "step", isLive: this.live.reachesEnd, look: this.look });
      this.hands.follow();
      tidewatch.ranksLegend.fill(this.find(".ranks-legend"), { look: this.look, patterns: this.map.patterns, lines, note: tidewatch.ranksTelling.rows(this.rows, this.map) });
      this.teller.controls();
      this.find(".ranks-layout").textContent = tidewatch.ranksTelling.layout(this.layout);
      this.teller.reason();
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
