/* Ctrl or Alt and the wheel zoom around the pointer; the plain wheel scrolls the page. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SETTLED_MS = 120;

  /** The range after `notches` (negative = closer) around `at`. Pure. */
  const zoomed = (range, at, notches) => tidewatch.view.scaled(range, Math.exp(notches * 0.15), at);

  /** Calls `show(start, end)` once the wheel has come to rest over the element of the plot. */
  function zoom(plot, show, until) {
    let wanted = null;
    let timer = null;
    const turn = (event) => {
      if ((!event.ctrlKey && !event.altKey) || !plot.range) return;
      event.preventDefault();
      const at = plot.x(event.clientX - plot.graph.getBoundingClientRect().left);
      const notches = Math.sign(event.deltaY || event.deltaX); // with Alt some browsers turn the wheel sideways
      wanted = zoomed(wanted ?? plot.range, at, notches);
      clearTimeout(timer);
      timer = setTimeout(() => {
        show(...wanted);
        wanted = null;
      }, SETTLED_MS);
    };
    plot.host.parentElement.addEventListener("wheel", turn, { passive: false, ...until });
  }

  tidewatch.wheel = { zoom, zoomed };
})();
