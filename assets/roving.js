/* One tab stop for many buttons: the arrow keys go from one to the next, Home and End to the first and the last. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  /** Where an arrow leads in rows of places (px from the left): [row, index]; up and down lead to the nearest place in
   *  the next row that has one. The same place at an end. Pure. */
  function next(rows, [row, index], key) {
    const along = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (along) return [row, Math.max(0, Math.min(rows[row].length - 1, index + along))];
    if (key === "Home") return [row, 0];
    if (key === "End") return [row, rows[row].length - 1];
    const down = key === "ArrowDown" ? 1 : -1;
    let other = row + down;
    while (rows[other] && !rows[other].length) other += down;
    return rows[other] ? [other, nearest(rows[other], rows[row][index])] : [row, index];
  }

  function nearest(places, at) {
    let best = 0;
    places.forEach((place, index) => {
      if (Math.abs(place - at) < Math.abs(places[best] - at)) best = index;
    });
    return best;
  }

  const KEYS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);

  /** Makes `button` the one that Tab reaches. */
  function hold(buttons, button) {
    for (const one of buttons) one.tabIndex = one === button ? 0 : -1;
  }

  /** Moves the focus among `rows()`, lists of buttons with their places: [[{button, at}, …], …]. */
  function connect(container, rows, until) {
    container.addEventListener("keydown", (event) => {
      if (!KEYS.has(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
      const found = rows();
      const row = found.findIndex((one) => one.some(({ button }) => button === event.target));
      if (row < 0) return;
      event.preventDefault();
      event.stopPropagation(); // the page has uses of its own for arrows
      const from = [row, found[row].findIndex(({ button }) => button === event.target)];
      const [to, index] = next(found.map((one) => one.map(({ at }) => at)), from, event.key);
      found[to][index].button.focus();
    }, until);
    container.addEventListener("focusin", (event) => {
      const buttons = rows().flat().map(({ button }) => button);
      if (buttons.includes(event.target)) hold(buttons, event.target);
    }, until);
  }

  tidewatch.roving = { next, hold, connect };
})();
