/* One rank's curve over the band of the others in its group, as an SVG picture. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SVG = "http://www.w3.org/2000/svg";
  const [WIDTH, HEIGHT] = [320, 150];
  const EDGE = { left: 4, right: 4, top: 8, bottom: 18 };

  /** Lowest, middle and highest value of the others at each step. Pure. */
  function band(block, own) {
    const indexes = block.rows.map((_, index) => index).filter((index) => index !== own);
    return tidewatch.ranksFold.line(tidewatch.ranksFold.filled(tidewatch.ranksFold.begun(indexes, block.m), block));
  }

  /** The lowest and the highest number that the picture has to show: of the curve all, unless one is far beyond the rest. Pure. */
  function reach(columns) {
    const found = columns.flatMap((column) => [...column]).filter(Number.isFinite).sort((one, other) => one - other);
    if (!found.length) return [0, 1];
    const at = (share) => found[Math.round((found.length - 1) * share)];
    const [low, high] = [at(0.01), at(0.99)];
    const wide = high - low || Math.abs(high) || 1;
    return [Math.max(found[0], low - 2 * wide), Math.min(found.at(-1), high + 2 * wide)].map((one, k) => (found[0] === found.at(-1) ? one + (k - 0.5) : one));
  }

  /** Path of a column of numbers, broken where there is none. Pure. */
  function path(xs, ys) {
    let pen = "M";
    const parts = [];
    xs.forEach((x, k) => {
      if (!Number.isFinite(ys[k])) pen = "M";
      else parts.push(`${pen}${x.toFixed(1)} ${ys[k].toFixed(1)}`);
      if (Number.isFinite(ys[k])) pen = "L";
    });
    return parts.join("");
  }

  /** The closed shapes between two columns of numbers, one a stretch where both have some. Pure. */
  function area(xs, highs, lows) {
    const shapes = [];
    for (let k = 0; k < xs.length; ) {
      let end = k;
      while (end < xs.length && Number.isFinite(highs[end]) && Number.isFinite(lows[end])) end++;
      if (end > k + 1) shapes.push(`${path(xs.slice(k, end), highs.slice(k, end))}${path(xs.slice(k, end).reverse(), lows.slice(k, end).reverse()).replace("M", "L")}Z`);
      k = end + 1;
    }
    return shapes.join("");
  }

  function element(name, attributes, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  /** The picture. `own`: the rank's row in the block; `step`: where the chosen cell is; `said`: the picture in words. */
  function drawn(block, own, step, said) {
    const line = tidewatch.ranksAnswer.line(block, own);
    const others = band(block, own);
    const [low, high] = reach([line.mid, others.low, others.high]);
    const inner = [WIDTH - EDGE.left - EDGE.right, HEIGHT - EDGE.top - EDGE.bottom];
    const [first, last] = [block.steps[0], block.steps[block.m - 1]];
    const x = (at) => EDGE.left + (last > first ? (at - first) / (last - first) : 0.5) * inner[0];
    const y = (value) => (Number.isFinite(value) ? EDGE.top + (1 - Math.max(-0.03, Math.min(1.03, (value - low) / (high - low || 1)))) * inner[1] : NaN);
    const xs = Array.from(block.steps.subarray(0, block.m), x);
    const ys = (column) => Array.from(column, y);
    const lost = xs.filter((_, k) => line.kinds[k] >= 2 && line.kinds[k] <= 4);
    return element("svg", { class: "ranks-curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": said },
      element("path", { class: "band", d: area(xs, ys(others.high), ys(others.low)) }),
      element("path", { class: "middle", d: path(xs, ys(others.mid)) }),
      ...lost.map((at) => element("path", { class: "lost", d: `M${at.toFixed(1)} ${EDGE.top}V${HEIGHT - EDGE.bottom}` })),
      element("path", { class: "here", d: `M${x(step).toFixed(1)} ${EDGE.top - 4}V${HEIGHT - EDGE.bottom}` }),
      element("path", { class: "own", d: path(xs, ys(line.mid)) }),
      ...texts([low, high], [first, last]));
  }

  function texts([low, high], [first, last]) {
    const value = tidewatch.numbers.value;
    const count = tidewatch.numbers.count;
    const text = (x, y, anchor, said) => element("text", { x, y, "text-anchor": anchor }, said);
    return [
      text(EDGE.left + 2, EDGE.top + 8, "start", value(high)), text(EDGE.left + 2, HEIGHT - EDGE.bottom - 4, "start", value(low)),
      text(EDGE.left, HEIGHT - 4, "start", count(first)), text(WIDTH - EDGE.right, HEIGHT - 4, "end", count(last)),
    ];
  }

  tidewatch.ranksCurve = { band, reach, path, area, drawn };
})();
