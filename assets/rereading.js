/* Something of one run that people or rules change, as the API tells it: read at once when the stream says that some of it
   is other now, and never while the tab is hidden. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const PAUSE_MS = 250; // between two readings: a burst of changes is read twice
  const SHARE = 5; // an answer that took 0.2 s is followed by the next one 1 s later
  const RETRY_MS = 5_000;
  const CHECK_MS = 60_000; // without a word

  class Rereading {
    /** `about`: {path: "/alerts", event: "alerts", tell(answer): called with each answer that is other than the last,
     *  patience(answer): ms until it is worth another look, longest: ms between two readings that were asked for, at most}. */
    constructor(run, about, until) {
      Object.assign(this, { patience: () => CHECK_MS, longest: Infinity }, about, { run, until, lastRead: -Infinity, pause: PAUSE_MS, said: "" });
      document.addEventListener(`tidewatch:${this.event}`, ({ detail }) => detail.run === run && this.readSoon(), until);
      document.addEventListener("tidewatch:refresh", () => this.readSoon(), until);
      document.addEventListener("visibilitychange", () => this.waiting && this.readSoon(), until);
      until.signal.addEventListener("abort", () => clearTimeout(this.timer));
      this.readSoon();
    }

    readSoon() {
      this.waiting = true;
      if (document.hidden || this.isReading) return;
      this.wait(this.lastRead + this.pause - performance.now());
    }

    wait(ms) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.read(), Math.max(0, ms));
    }

    async read() {
      if (this.isReading) return;
      this.waiting = false;
      this.isReading = true;
      this.lastRead = performance.now();
      const wait = await this.take();
      this.pause = Math.min(this.longest, Math.max(PAUSE_MS, SHARE * (performance.now() - this.lastRead)));
      this.isReading = false;
      if (this.until.signal.aborted) return;
      if (this.waiting) this.readSoon();
      else if (!tidewatch.frozen?.is || (wait === RETRY_MS && !tidewatch.frozen.isOver())) this.wait(wait);
    }

    /** Reads and tells; ms until it is worth another look. */
    async take() {
      const address = tidewatch.address.ofRun(this.run, this.path);
      const answer = await tidewatch.answers.json(address, this.until.signal).catch(() => null); // asked again
      if (!answer || this.until.signal.aborted) return RETRY_MS;
      const said = JSON.stringify(answer);
      if (said !== this.said) this.tell(answer);
      this.said = said;
      return this.patience(answer);
    }
  }

  tidewatch.rereading = { Rereading, PAUSE_MS, CHECK_MS };
})();
