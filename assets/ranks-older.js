/* A history that is too long to be held: after the first drawing it is asked for with its older columns joined. Each question has the
   server read one piece more, so that it is drawn from the newest step to the oldest. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  class RanksOlder {
    /** `ranks` is the page: held, questions, load(question, then), teller. */
    constructor(ranks) {
      Object.assign(this, { ranks, from: null, isReading: false });
    }

    /** Asks on as long as something is missing, and the last question brought some of it. */
    follow() {
      const { held, questions } = this.ranks;
      const from = held.top?.meta.exact_from ?? null;
      const goesOn = from !== null && (!questions.joins || from !== this.from);
      if (!goesOn) return this.stop();
      this.from = from;
      this.isReading = true;
      questions.join();
      return this.ranks.load(undefined, () => this.follow());
    }

    stop() {
      if (this.isReading) {
        this.isReading = false;
        this.ranks.teller.reason();
      }
    }
  }

  tidewatch.RanksOlder = RanksOlder;
})();
