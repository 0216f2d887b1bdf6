/* What the ranks page asks the server, and in which order: everything, what is below unfolded rows, what is newer. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const FEWEST = 50; // columns

  class RanksQuestions {
    /** `told`: {run, metric, count} of the page; `held`: what is there; `state()`: the page's view; `wide()`: px of the map. */
    constructor(told, held, state, wide) {
      Object.assign(this, { told, held, state, wide, fold: "none", newest: -Infinity, asked: FEWEST });
    }

    get metric() {
      return this.state().metric || this.told.metric;
    }

    get shared() {
      return tidewatch.state.get();
    }

    get view() {
      return tidewatch.view.read(this.shared.view);
    }

    /** The window in steps; null where it is not known yet how steps and clock go together. */
    get window() {
      const { top, m } = this.held;
      const stepAt = m ? (wall) => top.steps[Math.min(m - 1, top.walls.subarray(0, m).findIndex((one) => one >= wall) >>> 0)] : null;
      const newest = m ? Math.max(this.newest, top.meta.last_step ?? this.held.lastStep) : null;
      return tidewatch.ranksAhead.windowOf(this.view, this.shared.x, { newest, stepAt });
    }

    /** What is shown: another one begins with exact columns again. */
    get place() {
      return `${this.metric} ${this.shared.view}`;
    }

    /** From now on what is shown is asked for with older columns joined. */
    join() {
      this.joinedAt = this.place;
    }

    get joins() {
      return this.joinedAt === this.place;
    }

    get older() {
      return this.joins ? "joined" : "";
    }

    address(query = {}) {
      return tidewatch.ranksAhead.question({ ...this.told, metric: this.metric }, { ...this.state(), metric: "" }, query, this.wide(), this.fold);
    }

    ask(query, signal) {
      return tidewatch.ranksAhead.load(tidewatch.ranksAnswer.address(this.told.run, this.metric, { older: this.older, ...query }), signal);
    }

    json(path, query, signal) {
      return tidewatch.answers.json(tidewatch.address.ofRun(this.told.run, `/ranks${path}`, query), signal);
    }

    first(what, at, signal) {
      return this.json("/first", { what, at, ...tidewatch.ranksAnswer.named(this.metric) }, signal);
    }

    errors(signal) {
      return this.json("/errors", {}, signal);
    }

    /** What is known of each rank, which folded rows do not tell. */
    async ranks(signal) {
      const { top } = this.held;
      return top.isFolded ? (await this.ask({ fold: "none", columns: 1, older: "" }, signal)).rows : top.rows;
    }

    /** Everything in the window, kept; the answer says which level its rows are of. */
    async everything(signal) {
      const { state, told } = this;
      this.fold = tidewatch.ranksAhead.foldOf(state(), told.count);
      const block = this.take(await tidewatch.ranksAhead.load(this.address({ ...(await this.known(signal)), older: this.older }), signal));
      this.asked = Math.max(FEWEST, block.m);
    }

    /** The window, for which the run may have to be known roughly. */
    async known(signal) {
      const { window } = this;
      if (window) return window;
      this.take(await tidewatch.ranksAhead.load(this.address(), signal));
      return this.window ?? {};
    }

    take(block) {
      this.fold = block.meta.fold;
      this.held.take(block, block.isFolded ? this.fold : this.state().by || "node");
      return block;
    }

    /** What is below the rows that are unfolded and not here yet, kept. */
    async below(isOpen, signal) {
      const wanting = this.held.wanting(isOpen);
      if (!wanting.length || !this.held.m) return;
      const ranks = wanting.flatMap((one) => one.ranks);
      const query = { fold: "none", columns: this.asked, ranks, start: this.held.top.steps[0], end: this.held.lastStep };
      this.held.takeBelow(await this.ask(query, signal), wanting.map(({ id }) => id));
    }

    /** What is newer than what is held: [rows of the first level, rows of unfolded ones or null]. */
    newer(signal) {
      const { held } = this;
      const start = held.next;
      const ranks = held.top.isFolded ? held.top.rows.filter((row) => held.below.has(held.idOf(row))).flatMap((row) => row.ranks) : [];
      const below = ranks.length ? this.ask({ fold: "none", columns: 500, ranks, start, older: "" }, signal) : null;
      return Promise.all([tidewatch.ranksAhead.load(this.address({ start }), signal), below]);
    }
  }

  tidewatch.RanksQuestions = RanksQuestions;
})();
