/* Ctrl or Alt and the wheel zoom the steps around the pointer; the plain wheel scrolls the page. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SETTLED_MS = 150;

  /** The range after `notches` (negative = closer) around `at`. Pure. */
  function zoomed([start, end], at, notches) {
    const factor = Math.exp(notches * 0.15);
    return [at - (at - start) * factor, at + (end - at) * factor];
  }

  /** Calls `show(start, end)` once the wheel has come to rest. */
  function zoom(graph, show, until) {
    let wanted = null;
    let timer = null;
    const turn = (event) => {
      if (!event.ctrlKey && !event.altKey) return;
      event.preventDefault();
      const axis = graph._fullLayout.xaxis; // Plotly has no public way from pixels to a value
      const at = axis.p2d(event.clientX - graph.getBoundingClientRect().left - axis._offset);
      wanted = zoomed(wanted ?? axis.range, at, Math.sign(event.deltaY));
      clearTimeout(timer);
      timer = setTimeout(() => {
        show(...wanted);
        wanted = null;
      }, SETTLED_MS);
    };
    graph.addEventListener("wheel", turn, { passive: false, ...until });
  }

  tidewatch.wheel = { zoom, zoomed };
})();
