/* The alerts of one run as the API tells them. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const { Rereading, PAUSE_MS, CHECK_MS } = tidewatch.rereading;

  /** ms until an acknowledgement ends, a minute at most: a mute ends without anybody saying so. Pure but for the clock it
   *  is given (Unix seconds). */
  function patience(alerts, now) {
    const ends = alerts.map(({ ack }) => ack?.until).filter((until) => until > now);
    return Math.max(PAUSE_MS, Math.min(CHECK_MS, (Math.min(...ends) - now) * 1_000 + PAUSE_MS));
  }

  class RunAlerts extends Rereading {
    /** `tell(alerts, isJudged)` is called with each new state of them, and whether rules watch the run. */
    constructor(run, tell, until) {
      const about = { path: "/alerts", event: "alerts" };
      super(run, { ...about, tell: ({ alerts, judged }) => tell(alerts, judged), patience: ({ alerts }) => patience(alerts, Date.now() / 1_000) }, until);
    }
  }

  tidewatch.runAlerts = { RunAlerts, patience };
})();
