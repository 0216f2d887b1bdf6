/* Dash puts parts into the page and takes them away: {selector, start} in tidewatch.mounts is called with each element
   that appears, start(element) → the function that ends it. A part inside something hidden waits until that is shown. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  tidewatch.mounts ??= []; // filled by scripts that load before this one, and after it
  const running = new Map(); // element → the function that ends it

  function look() {
    for (const [element, end] of running) {
      if (element.isConnected) continue;
      running.delete(element);
      end();
    }
    for (const { selector, start } of tidewatch.mounts) {
      for (const element of document.querySelectorAll(selector)) {
        if (!running.has(element) && !element.parentElement.closest("[hidden]")) running.set(element, start(element));
      }
    }
  }

  tidewatch.arrivals.watch(look, ["hidden"]);
})();
