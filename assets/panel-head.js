/* The line of text over each panel: title, unit, how much is drawn, last value. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const { count, value } = tidewatch.numbers;

  /** "1,337 points, 1,337 drawn, 12 NaN": what the panel holds, and that nothing is hidden. Pure. */
  function note(series) {
    if (!series.total) return tidewatch.words.say("no_points");
    const said = [tidewatch.words.say("drawn", { total: count(series.total), drawn: count(series.steps.length) })];
    const nan = series.nan + series.hiddenNan;
    if (nan) said.push(`${count(nan)} NaN`);
    if (series.infinite) said.push(`${count(series.infinite)} Inf`);
    return said.join(", ");
  }

  function write(head, selector, text) {
    const element = head.querySelector(selector);
    if (element.textContent !== text) element.textContent = text;
  }

  /** Puts the series' words into the head of `panel`. */
  function tell(card, panel, series, unit, live) {
    const head = card.querySelector(`[data-panel="${panel}"]`);
    write(head, ".note", note(series));
    write(head, ".unit", unit);
    write(head, ".last", value(live ?? series.last));
    head.classList.toggle("unhealthy", series.last !== null && !Number.isFinite(series.last));
  }

  tidewatch.panelHead = { note, tell };
})();
