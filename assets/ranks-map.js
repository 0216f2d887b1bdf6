/* The map: ranks from the top, steps from the left, one canvas. It paints what is in sight, and of new columns only these;
   row labels are on the same canvas, for readers of screens there is a live region and the list of ranks. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const [LEAST_ROW, MOST_ROW] = [2, 24]; // px
  const MOST_HEIGHT = 620;
  const AXIS = 26; // px below the rows
  const LABEL = 13; // px that a label needs
  const STRIPS_FROM = 9; // px of a row from which on three strips are told apart
  const RIGHT = 10;
  const TICK_EVERY = 80; // px

  const colour = (name) => tidewatch.theme.colour(name);

  class RanksMap {
    /** `frame` scrolls and has the keyboard; in it stands a room as high as all rows, and in that the canvas. */
    constructor(frame) {
      this.frame = frame;
      this.room = frame.querySelector(".ranks-room");
      this.canvas = frame.querySelector("canvas");
      this.to = this.canvas.getContext("2d");
      this.small = document.createElement("canvas"); // one pixel a cell
      this.model = null;
      this.painted = 0; // columns that stand on the canvas
    }

    /* ---- measures ---- */

    get width() {
      return this.frame.clientWidth;
    }

    get gutter() {
      return this.width < 520 ? 92 : 168;
    }

    /** Room for columns in px, before anything is shown too. */
    get inner() {
      return Math.max(40, this.width - this.gutter - RIGHT);
    }

    get height() {
      return this.view + AXIS;
    }

    /** Measures that follow from the count of rows and the room there is. */
    measure() {
      const { rows } = this.model;
      const most = Math.max(200, Math.min(MOST_HEIGHT, Math.round(innerHeight * 0.62)));
      this.row = Math.max(LEAST_ROW, Math.min(MOST_ROW, Math.floor(most / Math.max(1, rows.length))));
      this.view = Math.min(rows.length * this.row, most);
      this.strips = this.model.look.show === "value" && this.row >= STRIPS_FROM && rows.some(({ isParent }) => isParent) ? 3 : 1;
      this.place();
      this.resize();
    }

    place() {
      const { columns, x, isLive } = this.model;
      this.capacity = tidewatch.ranksColumns.capacity(columns.m, isLive);
      this.places = tidewatch.ranksColumns.places(columns, x, [this.gutter, this.gutter + this.inner], this.capacity);
    }

    resize() {
      const scale = Math.min(2, devicePixelRatio || 1);
      const { width, height, canvas } = this;
      this.frame.style.height = `${height}px`;
      this.room.style.height = `${this.model.rows.length * this.row + AXIS}px`;
      const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
      if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
      Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
      this.to.setTransform(scale, 0, 0, scale, 0, 0);
    }

    /** First row in sight and the one behind the last. */
    get seen() {
      const first = Math.floor(this.frame.scrollTop / this.row);
      return [first, Math.min(this.model.rows.length, Math.ceil((this.frame.scrollTop + this.view) / this.row))];
    }

    /* ---- painting ---- */

    /** `model`: {rows, columns: {steps, walls, m}, x, isLive, look: {show, scale, palette, plain}, marks}. */
    show(model) {
      this.model = model;
      this.takeColours();
      this.measure();
      this.paint();
    }

    takeColours() {
      this.colours = { ink: colour("--ink"), ink2: colour("--ink2"), ink3: colour("--ink3"), card: colour("--card"), ground: colour("--ground"), line: colour("--line"), faint: colour("--ink3"), bad: colour("--bad"), warn: colour("--warn") };
      this.patterns = tidewatch.ranksPaint.tiles(this.colours);
      this.font = `11.5px ${getComputedStyle(document.body).fontFamily}`;
    }

    paint() {
      if (!this.model) return;
      const { to, colours, gutter, view, width, height } = this;
      to.clearRect(0, 0, width, height);
      to.fillStyle = colours.ground;
      to.fillRect(gutter, 0, this.inner, view);
      this.paintCells(0, this.model.columns.m);
      this.paintLabels();
      this.paintAxis();
    }

    /** New columns alone, where there is place for them; else everything moves once. */
    grow(from) {
      const { m } = this.model.columns;
      if (m > this.capacity || this.places.kind === "wall") {
        this.place();
        return this.paint();
      }
      const { starts, ends } = this.places;
      this.places = tidewatch.ranksColumns.places(this.model.columns, this.model.x, [this.gutter, this.gutter + this.inner], this.capacity);
      if (starts.length && from < starts.length) this.wipe(starts[from], ends[starts.length - 1]);
      this.paintCells(from, m);
      return this.paintAxis();
    }

    wipe(left, right) {
      this.to.fillStyle = this.colours.ground;
      this.to.fillRect(left, 0, right - left, this.view);
    }

    /** Columns from `from` to before `until` of the rows in sight. */
    paintCells(from, until) {
      if (until <= from) return;
      const [first, last] = this.seen;
      const lines = this.model.rows.slice(first, last).map((row) => row.line());
      if (!lines.length) return;
      this.fillSmall(lines, from, until);
      this.to.save();
      this.to.beginPath();
      this.to.rect(this.gutter, 0, this.inner, this.view);
      this.to.clip();
      this.paintColumns(first * this.row - this.frame.scrollTop, lines.length * this.row, from, until);
      this.paintPatterns(lines, first * this.row - this.frame.scrollTop, from, until);
      if (this.row >= STRIPS_FROM) this.part(first, last, this.places.starts[from], this.places.ends[until - 1]);
      this.to.restore();
    }

    /** A fine line between rows that are high enough for it. */
    part(first, last, left, right) {
      this.to.fillStyle = this.colours.card;
      for (let row = first; row <= last; row++) this.to.fillRect(left, row * this.row - this.frame.scrollTop - 0.5, right - left, 1);
    }

    fillSmall(lines, from, until) {
      const [wide, high] = [until - from, lines.length * this.strips];
      Object.assign(this.small, { width: wide, height: high });
      const image = new ImageData(wide, high);
      new Uint32Array(image.data.buffer).set(tidewatch.ranksPaint.pixels(lines, from, until, this.model.look, this.strips));
      this.small.getContext("2d").putImageData(image, 0, 0);
    }

    paintColumns(top, high, from, until) {
      this.to.imageSmoothingEnabled = false;
      const { starts, ends } = this.places;
      for (let column = from; column < until; column++) {
        this.to.drawImage(this.small, column - from, 0, 1, this.small.height, starts[column], top, Math.max(1, ends[column] - starts[column]), high);
      }
    }

    paintPatterns(lines, top, from, until) {
      const found = {};
      const { starts, ends } = this.places;
      lines.forEach(({ kinds }, row) => {
        for (const [kind, begin, end] of tidewatch.ranksPaint.stretches(kinds, from, until)) {
          (found[kind] ??= []).push([starts[begin], top + row * this.row, Math.max(1, ends[end - 1] - starts[begin]), this.row]);
        }
      });
      tidewatch.ranksPaint.fill(this.to, found, this.patterns);
    }

    /* ---- labels ---- */

    /** Rows in sight that get a label: what is odd first, then every k-th, none over another. */
    labelled() {
      const [first, last] = this.seen;
      const { every } = this;
      const taken = [];
      const middle = (at) => Math.max(LABEL / 2, (at + 0.5) * this.row - this.frame.scrollTop);
      const rows = this.model.rows.slice(first, last).map((row, k) => ({ row, at: first + k, y: middle(first + k) }));
      const wish = every === 1 ? rows : [...rows.filter(({ row }) => row.odd), ...rows.filter(({ at }) => at % every === 0)];
      return wish.filter(({ y }) => {
        const isFree = taken.every((other) => Math.abs(other - y) >= LABEL - 1);
        if (isFree) taken.push(y);
        return isFree;
      });
    }

    /** How many rows one label stands for. */
    get every() {
      return Math.ceil(LABEL / this.row);
    }

    paintLabels() {
      const { to, gutter, view } = this;
      to.save();
      to.beginPath();
      to.rect(0, 0, gutter, view);
      to.clip();
      to.font = this.font;
      to.textBaseline = "middle";
      for (const { row, y } of this.labelled()) this.paintLabel(row, y);
      to.restore();
    }

    paintLabel(row, y) {
      const { to, colours } = this;
      const left = 4 + 10 * row.depth;
      to.textAlign = "left";
      to.fillStyle = row.isParent ? colours.ink : colours.ink2;
      if (row.isParent) to.fillText(row.isOpen ? "▾" : "▸", left, y);
      to.fillText(tidewatch.ranksSays.label(row), left + 13, y, this.gutter - left - 30);
      if (row.odd) this.paintMark(row, y);
    }

    /** What is odd is marked by a sign, not by colour alone: "!" for bad, "·" for what wants a look. */
    paintMark(row, y) {
      const { to, colours, gutter } = this;
      const tone = tidewatch.ranksSays.TONES[row.state] ?? "bad";
      to.fillStyle = colours[tone];
      to.beginPath();
      to.moveTo(gutter - 13, y - 4.5);
      to.lineTo(gutter - 4, y);
      to.lineTo(gutter - 13, y + 4.5);
      to.fill();
    }

    paintAxis() {
      const { to, view, width, colours, gutter, inner } = this;
      to.clearRect(0, view, width, AXIS);
      to.fillStyle = to.strokeStyle = colours.ink3;
      to.font = this.font;
      Object.assign(to, { textBaseline: "top", textAlign: "center", lineWidth: 1 });
      for (const [px, text] of tidewatch.ranksColumns.ticks(this.places, this.model.columns, Math.max(3, Math.floor(inner / TICK_EVERY)))) {
        const half = to.measureText(text).width / 2;
        to.fillRect(Math.round(px), view, 1, 4);
        to.fillText(text, Math.max(gutter - 10 + half, Math.min(width - half, px)), view + 8);
      }
    }

    /* ---- places ---- */

    /** What is at a place of the frame, in px from its left and top: {row, column, part: label | cell | axis}; null for nothing. */
    at(left, top) {
      const { rows, columns } = this.model ?? { rows: [] };
      const row = Math.floor((top + this.frame.scrollTop) / this.row);
      if (!rows.length || top < 0 || top >= this.view || row >= rows.length) return null;
      if (left < this.gutter) return { row, column: -1, part: "label" };
      return columns.m ? { row, column: this.columnAt(left), part: "cell" } : null;
    }

    columnAt(left) {
      return tidewatch.ranksColumns.columnAt(this.places, left);
    }

    /** Where a cell stands within the room: {left, top, width, height}. */
    box(row, column) {
      const { starts, ends } = this.places;
      return { left: starts[column], top: row * this.row, width: Math.max(1, ends[column] - starts[column]), height: this.row };
    }

    /** Scrolls so that a row is in sight. */
    reveal(row) {
      const [top, bottom] = [row * this.row, (row + 1) * this.row];
      const { scrollTop } = this.frame;
      if (top < scrollTop) this.frame.scrollTop = Math.max(0, top - 2 * LABEL);
      if (bottom > scrollTop + this.view) this.frame.scrollTop = bottom - this.view + 2 * LABEL;
    }
  }

  tidewatch.RanksMap = RanksMap;
})();
