/* One connection to a run's event stream. Used by the page and by the SharedWorker, so it touches no document. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const RETRY_MS = 2_000;
  const TRIES_BEFORE_POLLING = 3;
  const REST_MS = 5_000; // out of sight for so long, and the connection is given up; seen again, it goes on from there

  /** Calls tell({kind: "ready" | "points" | "reload", id, points?, events?, alerts?, notes?} | {kind: "state", state}) until `close`.
   *  "ready" says where the stream begins: history read before that id lacks something. Ids are those of the store's
   *  stream. States: live, reconnecting, refused (the stream does not come through; the page should poll meanwhile). */
  class Feed {
    constructor(url, tell) {
      this.url = url;
      this.tell = tell;
      this.failures = 0;
      this.position = null;
      this.open();
    }

    /** With a position it goes on from there: nothing between is lost, or the server says to read history again. */
    open() {
      this.isResting = false;
      this.source = new EventSource(this.position ? `${this.url}?since=${encodeURIComponent(this.position)}` : this.url);
      this.source.onopen = () => this.opened();
      this.source.onerror = () => this.failed();
      for (const kind of ["ready", "points", "reload"]) {
        this.source.addEventListener(kind, (event) => this.hear(kind, event));
      }
    }

    hear(kind, event) {
      this.position = event.lastEventId;
      const { points, events, alerts, notes } = kind === "points" ? JSON.parse(event.data) : {};
      this.tell({ kind, id: event.lastEventId, points, events, alerts, notes });
    }

    opened() {
      this.failures = 0;
      this.state = "live";
      this.tell({ kind: "state", state: "live" });
    }

    failed() {
      this.failures += 1;
      this.state = this.failures >= TRIES_BEFORE_POLLING ? "refused" : "reconnecting";
      this.tell({ kind: "state", state: this.state });
      if (this.source.readyState !== EventSource.CLOSED) return; // the browser itself reconnects and resumes
      this.timer = setTimeout(() => this.open(), RETRY_MS);
    }

    /** Whether somebody looks at what it brings. */
    see(isSeen) {
      clearTimeout(this.resting);
      if (!isSeen) this.resting = setTimeout(() => this.rest(), REST_MS);
      else if (this.isResting) this.open();
    }

    rest() {
      this.close();
      this.isResting = true;
    }

    close() {
      clearTimeout(this.resting);
      clearTimeout(this.timer);
      this.source.close();
    }
  }

  tidewatch.Feed = Feed;
})();
