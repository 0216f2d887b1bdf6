/* Cells as pixels: one pixel a column and one, or three for highest, middle and lowest, a row; and the cells that are no
   number, which are told apart by patterns and not by colour alone. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const CLEAR = 0;
  const [OK, FROZEN] = [0, 6];
  const FAR = 3; // robust deviations from which on a folded row shows its extreme instead of its middle

  /** The number that a strip of a row shows: of three, the highest above and the lowest below. */
  function shown(line, column, show, strip, strips) {
    if (show === "deviation") return line.worst[column];
    if (strips === 3) return [line.high, line.mid, line.low][strip][column];
    const far = line.worst[column];
    if (far >= FAR) return line.high[column];
    return far <= -FAR ? line.low[column] : line.mid[column];
  }

  /** Colours of `lines` for the columns from `from` to before `to`, row by row: what an ImageData's 32-bit view takes. `look`:
   *  {show, scale, palette, plain} where `plain` is the colour of a number that is compared with nothing. Pure. */
  function pixels(lines, from, to, look, strips = 1) {
    const width = to - from;
    const found = new Uint32Array(width * lines.length * strips);
    lines.forEach((line, row) => {
      for (let strip = 0; strip < strips; strip++) fillStrip(found, (row * strips + strip) * width, line, { from, to, strip, strips }, look);
    });
    return found;
  }

  function fillStrip(found, offset, line, { from, to, strip, strips }, { show, scale, palette, plain }) {
    for (let column = from; column < to; column++) {
      const kind = line.kinds[column];
      if (kind !== OK && kind !== FROZEN) continue; // CLEAR: a pattern, or nothing
      const number = shown(line, column, show, strip, strips);
      found[offset + column - from] = number === number ? palette[scale.index(number)] : plain;
    }
  }

  /** Stretches of equal kind in a row that are no plain numbers: [[kind, from, to (exclusive)], …]. Pure. */
  function stretches(kinds, from, to) {
    const found = [];
    for (let column = from; column < to; ) {
      const kind = kinds[column];
      let end = column + 1;
      while (end < to && kinds[end] === kind) end++;
      if (kind > 1) found.push([kind, column, end]);
      column = end;
    }
    return found;
  }

  /* ---- patterns ---- */

  const SIZE = 6; // px

  function tile(draw, ground) {
    const canvas = Object.assign(document.createElement("canvas"), { width: SIZE, height: SIZE });
    const to = canvas.getContext("2d");
    if (ground) {
      to.fillStyle = ground;
      to.fillRect(0, 0, SIZE, SIZE);
    }
    draw(to);
    return canvas;
  }

  function stroke(to, colour, width, ...paths) {
    Object.assign(to, { strokeStyle: colour, lineWidth: width });
    for (const [[x, y], ...rest] of paths) {
      to.beginPath();
      to.moveTo(x, y);
      for (const [nextX, nextY] of rest) to.lineTo(nextX, nextY);
      to.stroke();
    }
  }

  const DRAWN = {
    2: (to, { card }) => stroke(to, card, 1.6, [[-1, 1], [1, -1]], [[-1, 7], [7, -1]], [[5, 7], [7, 5]]), // NaN: ////
    3: (to, { card }) => stroke(to, card, 1.3, [[0, 4.5], [3, 1.5], [6, 4.5]]), // +Inf: ^
    4: (to, { card }) => stroke(to, card, 1.3, [[0, 1.5], [3, 4.5], [6, 1.5]]), // −Inf: v
    5: (to, { faint }) => [[1, 1], [4, 4]].forEach(([x, y]) => Object.assign(to, { fillStyle: faint }).fillRect(x, y, 1.5, 1.5)), // zero: dots
    6: (to, { ink }) => Object.assign(to, { fillStyle: ink }).fillRect(2, 0, 1, SIZE), // frozen: |||| over its colour
  };

  /** Tiles by kind, in the colours of the theme: {ink, card, faint, line}. */
  function tiles(colours) {
    const grounds = { 2: colours.ink, 3: colours.ink, 4: colours.ink, 5: colours.line, 6: null };
    return Object.fromEntries(Object.entries(DRAWN).map(([kind, draw]) => [kind, tile((to) => draw(to, colours), grounds[kind])]));
  }

  /** Fills rectangles, {kind: [[x, y, width, height], …]}, each with the pattern of its kind. */
  function fill(to, found, patterns) {
    for (const [kind, rectangles] of Object.entries(found)) {
      to.fillStyle = to.createPattern(patterns[kind], "repeat");
      to.beginPath();
      for (const one of rectangles) to.rect(...one);
      to.fill();
    }
  }

  tidewatch.ranksPaint = { CLEAR, pixels, stretches, tiles, fill };
})();
