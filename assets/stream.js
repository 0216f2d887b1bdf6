/* The page's end of the stream: through the SharedWorker, else an EventSource of its own, else a poll every 2 s. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const ALIVE_MS = 20_000;
  const POLL_MS = 2_000;

  function overWorker(url, tell) {
    const shell = document.getElementById("shell");
    const worker = new SharedWorker(shell.dataset.worker, { name: "tidewatch-stream" });
    worker.port.onmessage = ({ data }) => tell(data);
    worker.port.postMessage({ kind: "watch", url });
    const sign = setInterval(() => worker.port.postMessage({ kind: "alive" }), ALIVE_MS);
    const leave = () => worker.port.postMessage({ kind: "leave" });
    const see = () => worker.port.postMessage({ kind: "seen", isSeen: !document.hidden });
    see();
    addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", see);
    return () => {
      clearInterval(sign);
      removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", see);
      leave();
    };
  }

  function overEventSource(url, tell) {
    const feed = new tidewatch.Feed(url, tell);
    const see = () => feed.see(!document.hidden);
    see();
    document.addEventListener("visibilitychange", see);
    return () => {
      document.removeEventListener("visibilitychange", see);
      feed.close();
    };
  }

  /** Watches a run and calls `tell` as Feed does; `poll` is called every 2 s while no stream comes through.
   *  Of a snapshot nothing comes. Gives the function that ends it. "tidewatch:events" on the document (detail {run}) says that the run's events, or
   *  anything about it, may be others now, "tidewatch:alerts" that its alerts may, "tidewatch:notes" the same of its notes. */
  function follow(run, tell, poll) {
    if (tidewatch.frozen?.is) return () => {}; // nothing happens to it
    let timer = null;
    const happened = (what) => document.dispatchEvent(new CustomEvent(`tidewatch:${what}`, { detail: { run } }));
    const ask = () => {
      poll();
      ["events", "alerts", "notes"].forEach(happened);
    };
    const listen = (message) => {
      if (message.events || message.kind === "reload") happened("events");
      for (const what of ["alerts", "notes"]) if (message[what] || message.kind === "reload" || message.kind === "ready") happened(what);
      if (message.kind === "state" && message.state === "refused") timer ??= setInterval(ask, POLL_MS);
      if (message.kind === "state" && message.state === "live") timer = clearInterval(timer) ?? null;
      tell(message);
    };
    const url = tidewatch.address.ofRun(run, "/stream");
    const leave = typeof SharedWorker === "function" ? overWorker(url, listen) : overEventSource(url, listen);
    const stop = () => {
      clearInterval(timer);
      document.removeEventListener("tidewatch:ended", stop);
      leave();
    };
    document.addEventListener("tidewatch:ended", stop); // the session is over, and the server would refuse
    return stop;
  }

  /** Whether one stream id ("<ms>-<n>") is later than another; a missing one is earlier than all. Pure. */
  function isAfter(one, other) {
    const [ms, n] = (one ?? "0-0").split("-").map(Number);
    const [otherMs, otherN] = (other ?? "0-0").split("-").map(Number);
    return ms === otherMs ? n > otherN : ms > otherMs;
  }

  tidewatch.stream = { follow, isAfter };
})();
