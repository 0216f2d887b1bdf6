/* Where the columns of the map stand, in px: side by side, or where their time was. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const ROOM = 1.03; // of a run that goes on: so much wider than what there is, so that new columns have a place
  const GAP = 2; // usual pauses from which on a pause is seen as one

  /** Columns that fit before everything has to be drawn anew. */
  const capacity = (m, isLive) => (isLive ? Math.ceil(m * ROOM) + 2 : Math.max(1, m));

  /** Left and right edge of each column. `block`: {steps, walls, m}; [left, right] is the room. */
  function places(block, x, [left, right], room) {
    return (x === "wall" && byClock(block, left, right, room)) || sideBySide(block.m, left, right, room);
  }

  function sideBySide(m, left, right, room) {
    const wide = (right - left) / room;
    const edge = (k) => Math.round(left + k * wide);
    return { kind: "step", starts: Int32Array.from({ length: m }, (_, k) => edge(k)), ends: Int32Array.from({ length: m }, (_, k) => edge(k + 1)) };
  }

  /** Null where the columns have no clock, or one that goes back. */
  function byClock({ walls, m }, left, right, room) {
    if (m < 2) return null;
    const pauses = Float64Array.from({ length: m - 1 }, (_, k) => walls[k + 1] - walls[k]);
    if (!pauses.every((one) => one >= 0)) return null;
    const usual = Float64Array.from(pauses).sort()[(m - 1) >> 1];
    const [low, high] = [walls[0] - usual / 2, walls[m - 1] + usual / 2 + usual * (room - m)];
    if (!(high > low)) return null;
    const px = (wall) => Math.round(left + ((wall - low) / (high - low)) * (right - left));
    const reach = (pause) => (pause > usual * GAP ? usual / 2 : pause / 2);
    const starts = Int32Array.from({ length: m }, (_, k) => px(walls[k] - (k ? reach(pauses[k - 1]) : usual / 2)));
    const ends = Int32Array.from({ length: m }, (_, k) => Math.max(starts[k] + 1, px(walls[k] + (k < m - 1 ? reach(pauses[k]) : usual / 2))));
    return { kind: "wall", starts, ends, range: [low, high], px };
  }

  /** The column at a place, or the nearest one. */
  function columnAt({ starts, ends }, px) {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= px) low = middle;
      else high = middle - 1;
    }
    const next = low + 1;
    return next < starts.length && px - ends[low] > starts[next] - px ? next : low;
  }

  const STEPS = [1, 2, 5];

  /** Steps that are round numbers, at most `most` of them. */
  function round(first, last, most) {
    const rough = Math.max(1, (last - first) / Math.max(1, most));
    const unit = 10 ** Math.floor(Math.log10(rough));
    const gap = (STEPS.find((one) => one * unit >= rough) ?? 10) * unit;
    const found = [];
    for (let step = Math.ceil(first / gap) * gap; step <= last; step += gap) found.push(step);
    return found;
  }

  /** [[px, text], …] below the map. */
  function ticks(found, { steps, m }, most) {
    if (!m) return [];
    if (found.kind === "wall") {
      const { tickvals, ticktext } = tidewatch.ticks.of("wall", found.range, most) ?? { tickvals: [], ticktext: [] };
      return tickvals.map((wall, k) => [found.px(wall), ticktext[k].replace("<br>", " ")]);
    }
    const at = (step) => tidewatch.ranksAnswer.columnAt({ steps, m }, step);
    return round(steps[0], steps[m - 1], most).map((step) => [(found.starts[at(step)] + found.ends[at(step)]) / 2, tidewatch.numbers.count(step)]);
  }

  tidewatch.ranksColumns = { capacity, places, columnAt, ticks, round };
})();
