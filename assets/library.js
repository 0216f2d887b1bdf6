/* The plot library, which is run when there is nothing else to do, or a drawing waits for it. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const LATER_MS = 3_000; // after the page is there, on pages that do not draw with it
  let loading = null;

  const link = () => document.getElementById("plot-library"); // app/index.py

  function load() {
    return new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = link().href;
      script.onload = () => done();
      script.onerror = () => {
        loading = null; // the next drawing tries again
        failed(new Error(tidewatch.words.say("answer_none")));
      };
      document.head.append(script);
    });
  }

  /** Resolves when there is Plotly. */
  const ready = () => (globalThis.Plotly ? Promise.resolve() : (loading ??= load()));

  const whenIdle = globalThis.requestIdleCallback ?? setTimeout;
  if (link()?.rel === "preload") addEventListener("DOMContentLoaded", () => whenIdle(() => ready().catch(() => {})));

  if (link()?.rel === "later") addEventListener("load", () => setTimeout(() => (link().rel = "prefetch"), LATER_MS));

  tidewatch.library = { ready };
})();
