/* One connection to a run's event stream. Used by the page and by the SharedWorker, so it touches no document. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const RETRY_MS = 2_000;
  const TRIES_BEFORE_POLLING = 3;

  /** Calls tell({kind: "points", id, points} | {kind: "reload"} | {kind: "state", state}) until `close`.
   *  States: live, reconnecting, refused (the stream does not come through; the page should poll meanwhile). */
  class Feed {
    constructor(url, tell) {
      this.url = url;
      this.tell = tell;
      this.failures = 0;
      this.missed = false;
      this.open();
    }

    open() {
      this.source = new EventSource(this.url);
      this.source.onopen = () => this.opened();
      this.source.onerror = () => this.failed();
      this.source.addEventListener("points", (event) => {
        this.tell({ kind: "points", id: event.lastEventId, points: JSON.parse(event.data).points });
      });
      this.source.addEventListener("reload", () => this.tell({ kind: "reload" }));
    }

    opened() {
      this.failures = 0;
      this.state = "live";
      this.tell({ kind: "state", state: "live" });
      if (this.missed) this.tell({ kind: "reload" });
      this.missed = false;
    }

    failed() {
      this.failures += 1;
      this.state = this.failures >= TRIES_BEFORE_POLLING ? "refused" : "reconnecting";
      this.tell({ kind: "state", state: this.state });
      if (this.source.readyState !== EventSource.CLOSED) return; // the browser itself reconnects and resumes
      this.missed = true; // a new EventSource does not know where the old one stopped
      this.timer = setTimeout(() => this.open(), RETRY_MS);
    }

    close() {
      clearTimeout(this.timer);
      this.source.close();
    }
  }

  tidewatch.Feed = Feed;
})();
