/* What comes while the ranks page is open: new columns are asked for when the stream says that steps came, at most once a second. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const EVERY_MS = 1_000; // between two questions
  const GROWN = 1.25; // times the columns that were asked for, from which on they are put together anew
  const LATE = 3; // questions without an answer that is newer, while other ranks are farther
  const OVER = ["finished", "failed"];

  const newestOf = (points) => Math.max(-Infinity, ...Object.values(points ?? {}).flatMap((rows) => rows.map(([step]) => step)));

  class RanksLive {
    /** `ranks` is the page: held, questions, and load(), grow(from), draw(), learn(), failedOnce(error). */
    constructor(ranks) {
      Object.assign(this, { ranks, timer: null, asking: false, late: 0, askedAt: -Infinity });
      this.stop = tidewatch.stream.follow(ranks.told.run, (message) => this.hear(message), () => this.more());
    }

    end() {
      clearTimeout(this.timer);
      this.stop();
      tidewatch.liveness.forget();
    }

    hear(message) {
      if (message.kind === "state") this.tell(message.state);
      if (message.kind === "reload") this.ranks.startAgain();
      if (message.kind !== "points") return;
      this.heard = { id: message.id, at: Date.now() };
      const { questions } = this.ranks;
      questions.newest = Math.max(questions.newest, newestOf(message.points));
      this.late = 0;
      this.moreSoon();
    }

    /** How the stream is; of a run that is over, that it is. */
    tell(state = this.state) {
      this.state = state;
      if (state) tidewatch.liveness.tell(state, { finished: this.isOver });
    }

    get isOver() {
      return OVER.includes(this.details?.freshness?.state);
    }

    async learn(signal) {
      this.details = await tidewatch.history.details(this.ranks.told.run, signal);
      this.tell();
    }

    /** Whether new columns belong to what is shown. */
    get reachesEnd() {
      return this.ranks.questions.view.kind !== "zoom";
    }

    get rests() {
      return document.hidden || this.asking || this.ranks.loading || !this.ranks.held.top || !this.reachesEnd;
    }

    moreSoon() {
      if (this.timer || this.rests) return;
      this.timer = setTimeout(() => this.more(), Math.max(0, EVERY_MS - (performance.now() - this.askedAt)));
    }

    async more() {
      clearTimeout(this.timer);
      this.timer = null;
      if (this.rests) return;
      if (!this.ranks.held.m) return this.ranks.load();
      Object.assign(this, { asking: true, askedAt: performance.now() });
      await this.take().catch((error) => this.ranks.failedOnce(error));
      this.asking = false;
      this.goOn();
    }

    async take() {
      const { ranks } = this;
      const { held, questions } = ranks;
      const { top, lastStep, states } = held;
      const [newer, below] = await questions.newer(ranks.ended.signal);
      if (ranks.loading || held.top !== top) return undefined; // something else is shown by now
      const from = held.append(newer, below);
      if (from === null || held.m > questions.asked * GROWN) return ranks.load();
      this.late = held.lastStep > lastStep ? 0 : this.late + 1;
      if (this.heard) tidewatch.liveness.behind(this.heard);
      if (states === held.states) return ranks.grow(from);
      ranks.draw();
      return ranks.learn();
    }

    /** Some ranks write later than the one that the stream tells of. */
    goOn() {
      if (this.ranks.questions.newest > this.ranks.held.lastStep && this.late < LATE) this.moreSoon();
    }
  }

  tidewatch.RanksLive = RanksLive;
})();
