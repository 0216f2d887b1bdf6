/* Dash puts pages in and takes them away; this starts and ends the curves with them. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const shown = new Map(); // card → curves

  function tell(curves) {
    tidewatch.curves = curves;
    document.dispatchEvent(new CustomEvent("tidewatch:curves", { detail: { curves } }));
  }

  function end(card) {
    const curves = shown.get(card);
    curves.end();
    shown.delete(card);
    if (tidewatch.curves === curves) tell(null);
  }

  function start(card) {
    if (card.closest("[hidden]")) return; // there is no such run yet
    const host = card.querySelector(".curves");
    if (!host) return;
    const curves = new tidewatch.Curves(card, host);
    shown.set(card, curves);
    tidewatch.controls.connect(card, curves, { signal: curves.ended.signal });
    tell(curves);
  }

  function look() {
    for (const card of [...shown.keys()]) if (!card.isConnected) end(card);
    for (const card of document.querySelectorAll("[data-run]")) if (!shown.has(card)) start(card);
  }

  tidewatch.arrivals.watch(look, ["hidden"]);
})();
