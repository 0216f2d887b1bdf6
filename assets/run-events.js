/* What happened in a run, as the events route tells it: read at the start, when the stream says that something came, and
   never while the tab is hidden. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const PAUSE_MS = 1_500; // between two readings: a burst of overflows is read once
  const SHARE = 10; // an answer that took 0.5 s is followed by the next one 5 s later
  const LONGEST_MS = 8_000;
  const RETRY_MS = 5_000;
  const MOST = 20_000; // the newest; that is what the store has at hand

  class RunEvents {
    /** `tell(events, more)` is called with each new state: oldest first, and whether older ones were left out. */
    constructor(run, tell, until) {
      this.run = run;
      this.tell = tell;
      this.until = until;
      this.lastRead = -Infinity;
      this.pause = PAUSE_MS;
      const ours = ({ detail }) => detail.run === run && this.readSoon();
      document.addEventListener("tidewatch:events", ours, until);
      document.addEventListener("tidewatch:refresh", () => this.readSoon(), until);
      document.addEventListener("visibilitychange", () => this.waiting && this.readSoon(), until);
      until.signal.addEventListener("abort", () => clearTimeout(this.timer));
      this.readSoon();
    }

    readSoon() {
      this.waiting = true;
      if (document.hidden || this.timer) return;
      this.timer = setTimeout(() => this.read(), Math.max(0, this.lastRead + this.pause - performance.now()));
    }

    async read() {
      this.waiting = false;
      this.lastRead = performance.now();
      try {
        const told = await tidewatch.answers.json(tidewatch.address.ofRun(this.run, "/events", { limit: MOST }), this.until.signal);
        this.pause = Math.min(LONGEST_MS, Math.max(PAUSE_MS, SHARE * (performance.now() - this.lastRead)));
        this.tell(told.events, told.more);
        this.timer = null;
      } catch {
        this.timer = this.until.signal.aborted || tidewatch.frozen?.isOver() ? null : setTimeout(() => this.read(), RETRY_MS);
      }
      if (this.waiting && !this.timer) this.readSoon();
    }
  }

  tidewatch.RunEvents = RunEvents;
})();
