/* The alerts of one run as the API tells them: read at once when the stream says that some are others now, and never while
   the tab is hidden. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const PAUSE_MS = 250; // between two readings: a burst of changes is read twice
  const SHARE = 5; // an answer that took 0.2 s (a thousand alerts) is followed by the next one 1 s later
  const RETRY_MS = 5_000;
  const CHECK_MS = 60_000; // a mute ends without anybody saying so

  /** ms until an acknowledgement ends, a minute at most. Pure but for the clock it is given (Unix seconds). */
  function patience(alerts, now) {
    const ends = alerts.map(({ ack }) => ack?.until).filter((until) => until > now);
    return Math.max(PAUSE_MS, Math.min(CHECK_MS, (Math.min(...ends) - now) * 1_000 + PAUSE_MS));
  }

  class RunAlerts {
    /** `tell(alerts, isJudged)` is called with each new state of them, and whether rules watch the run. */
    constructor(run, tell, until) {
      Object.assign(this, { run, tell, until, lastRead: -Infinity, pause: PAUSE_MS, said: "" });
      document.addEventListener("tidewatch:alerts", ({ detail }) => detail.run === run && this.readSoon(), until);
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
      this.pause = Math.max(PAUSE_MS, SHARE * (performance.now() - this.lastRead));
      this.isReading = false;
      if (this.until.signal.aborted) return;
      if (this.waiting) this.readSoon();
      else this.wait(wait);
    }

    /** Reads and tells; ms until it is worth another look. */
    async take() {
      const address = tidewatch.address.ofRun(this.run, "/alerts");
      const answer = await tidewatch.answers.json(address, this.until.signal).catch(() => null); // asked again
      if (!answer || this.until.signal.aborted) return RETRY_MS;
      const { alerts, judged } = answer;
      const said = JSON.stringify([alerts, judged]);
      if (said !== this.said) this.tell(alerts, judged);
      this.said = said;
      return patience(alerts, Date.now() / 1_000);
    }
  }

  tidewatch.runAlerts = { RunAlerts, patience };
})();
