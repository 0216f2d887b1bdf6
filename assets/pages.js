/* Dash puts pages in and takes them away; this starts and ends the curves with them. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const shown = new Map(); // card → {curves, graph}

  function end(card) {
    shown.get(card).curves.end();
    shown.delete(card);
    if (tidewatch.curves?.card === card) tidewatch.curves = null;
  }

  function start(card) {
    const graph = card.querySelector(".js-plotly-plot");
    if (card.closest("[hidden]")) return; // there is no such run yet
    if (!graph?._fullLayout?.xaxis || graph.classList.contains("dash-graph--pending")) return; // not drawn yet
    // dcc.Graph answers every relayout by drawing its own figure again, which is empty.
    graph.removeAllListeners();
    const curves = new tidewatch.Curves(card, graph);
    tidewatch.controls.connect(card, curves, { signal: curves.ended.signal });
    shown.set(card, { curves, graph });
    tidewatch.curves = curves;
  }

  function look() {
    for (const card of [...shown.keys()]) if (!card.isConnected) end(card);
    for (const card of document.querySelectorAll("[data-run]")) if (!shown.has(card)) start(card);
  }

  new MutationObserver(look).observe(document.documentElement, {
    subtree: true, childList: true, attributes: true, attributeFilter: ["hidden", "class"],
  });
})();
