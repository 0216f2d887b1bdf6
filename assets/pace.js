/* How often to draw: a lone point at once, a burst at most four times a second, and for a fifth of the time at most.
   Pure but for what it remembers of the last drawings. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const LEAST_MS = 250;
  const MOST_MS = 2_000;
  const SHARE = 5; // a drawing of 100 ms is followed by the next one 500 ms after it began, at the earliest
  const REMEMBERED = 3; // drawings, and of each kind; the quickest of them counts, since a slow one was merely interrupted

  class Pace {
    constructor() {
      this.began = -Infinity;
      this.took = { whole: [], end: [] }; // ms of the last drawings of everything, and of new points alone
      this.kinds = []; // of the last drawings: a whole one among ends that cost nothing does not slow down all of them
    }

    /** ms that one of the last drawings took, on average. */
    get cost() {
      const sum = this.kinds.reduce((all, kind) => all + Math.min(...this.took[kind]), 0);
      return this.kinds.length ? sum / this.kinds.length : 0;
    }

    /** ms between the beginnings of two drawings. */
    get interval() {
      return Math.min(MOST_MS, Math.max(LEAST_MS, SHARE * this.cost));
    }

    /** ms to wait at `now`; 0 after a pause. */
    wait(now) {
      return Math.max(0, this.began + this.interval - now);
    }

    /** A drawing of a kind (whole, end) that began at `began` took `ms`. */
    drew(kind, began, ms) {
      this.kinds = [...this.kinds, kind].slice(-REMEMBERED);
      this.began = began;
      this.took[kind] = [...this.took[kind], ms].slice(-REMEMBERED);
    }
  }

  tidewatch.Pace = Pace;
})();
