/* How often to draw: a lone point at once, a burst at most four times a second, and for a fifth of the
   time. Pure but for what it remembers of the last drawings. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const LEAST_MS = 250;
  const SHARE = 5; // a drawing of 100 ms is followed by the next one 500 ms after it began, at the earliest
  const REMEMBERED = 0.7; // of what earlier drawings took, so that one slow drawing does not slow the next ten
  const MOST_MS = 5_000;

  class Pace {
    constructor() {
      this.began = -Infinity;
      this.cost = 0; // ms that a drawing takes
    }

    /** ms between the beginnings of two drawings. */
    get interval() {
      return Math.min(MOST_MS, Math.max(LEAST_MS, SHARE * this.cost));
    }

    /** ms to wait at `now`; 0 after a pause. */
    wait(now) {
      return Math.max(0, this.began + this.interval - now);
    }

    /** A drawing that began at `began` took `ms`. */
    drew(began, ms) {
      this.began = began;
      this.cost = this.cost ? this.cost * REMEMBERED + ms * (1 - REMEMBERED) : ms;
    }
  }

  tidewatch.Pace = Pace;
})();
