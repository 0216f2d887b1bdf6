/* Steps of the browser's history within one page: every change of the view is one, so that "back" undoes it; what is changed many times in a
   row (a slider that is moved, a word that is typed) is one together. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SOON_MS = 1_500;
  let slid = { what: "", at: -Infinity };

  /** Whether a change goes on with the one before. */
  function goesOn(step, what) {
    const before = slid;
    slid = { what: step === "slide" ? what : "", at: performance.now() };
    return step === "slide" && before.what === what && slid.at - before.at < SOON_MS;
  }

  /** The address has another query. `step`: true for a step, "slide" for one that may go on with the change of `what` before
   *  it, false for what belongs to the step that was made. */
  function go(query, step, what = "") {
    const spelled = tidewatch.frozen.is && query === "" ? tidewatch.frozen.bare : query;
    if (spelled === location.search) return;
    const isStep = Boolean(step) && !goesOn(step, what);
    history[isStep ? "pushState" : "replaceState"](history.state, "", location.pathname + spelled + location.hash);
  }

  tidewatch.trail = { go };
})();
