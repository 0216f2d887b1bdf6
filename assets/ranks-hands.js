/* Pointer and keyboard on the map: reading, choosing, folding, brushing. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const LEAST = 6; // px; less is a click
  const APART = 14; // px between pointer and box
  const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], PageUp: [-10, 0], PageDown: [10, 0] };

  const clamped = (number, most) => Math.max(0, Math.min(most, number));

  function made(parent, name) {
    const element = parent.appendChild(document.createElement("div"));
    element.className = name;
    element.hidden = true;
    return element;
  }

  function put(element, { left, top, width, height }) {
    Object.assign(element.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    element.hidden = false;
  }

  class RanksHands {
    /** `acts`: toggle(row), choose(row, column), zoom(first column, last column), showAll(), close() → whether it did anything,
     *  read(row, column) → {title, text}. */
    constructor(map, live, acts, until) {
      Object.assign(this, { map, live, acts, focus: null, anchor: null });
      const { frame, room } = map;
      this.cell = made(room, "ranks-cell");
      this.brush = made(room, "ranks-brush");
      this.tip = made(frame.parentElement, "ranks-tip");
      frame.addEventListener("pointermove", (event) => this.move(event), until);
      frame.addEventListener("pointerleave", () => this.leave(), until);
      frame.addEventListener("pointerdown", (event) => this.press(event), until);
      frame.addEventListener("pointerup", (event) => this.release(event), until);
      frame.addEventListener("pointercancel", () => this.stop(), until);
      frame.addEventListener("dblclick", (event) => this.at(event)?.part === "cell" && acts.showAll(), until);
      frame.addEventListener("keydown", (event) => this.key(event), until);
      frame.addEventListener("focus", () => this.focus || this.moveTo(0, (map.model?.columns.m ?? 1) - 1, false), until);
    }

    place(event) {
      const { left, top } = this.map.frame.getBoundingClientRect();
      return [event.clientX - left, event.clientY - top];
    }

    at(event) {
      return this.map.at(...this.place(event));
    }

    /* ---- reading ---- */

    move(event) {
      if (this.from !== undefined && this.drag(event)) return;
      if (event.buttons && event.pointerType !== "touch") return;
      this.pointer = this.place(event);
      this.frame ??= requestAnimationFrame(() => this.look());
    }

    look() {
      this.frame = null;
      const found = this.pointer && this.map.at(...this.pointer);
      if (!found) return this.leave();
      this.map.frame.style.cursor = found.part === "label" ? (this.map.model.rows[found.row].isParent ? "pointer" : "default") : "crosshair";
      this.tell(this.acts.read(found.row, found.column));
      return undefined;
    }

    tell({ title, text, hint }) {
      const { tip } = this;
      tip.replaceChildren(...[title, text, hint].filter(Boolean).map((one, k) => {
        const line = document.createElement(k ? "div" : "b");
        line.textContent = one;
        return line;
      }));
      tip.hidden = false;
      const [x, y] = this.pointer;
      const room = this.map.width - x - APART;
      const left = room > tip.offsetWidth ? x + APART : Math.max(0, x - APART - tip.offsetWidth);
      tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(y + APART)}px)`;
    }

    leave() {
      this.pointer = null;
      this.tip.hidden = true;
    }

    /* ---- choosing and brushing ---- */

    press(event) {
      if (event.button !== 0) return;
      const found = this.at(event);
      this.pressed = found;
      if (found?.part !== "cell" || event.pointerType === "touch") return; // a finger scrolls
      this.from = this.place(event)[0];
      this.map.frame.setPointerCapture(event.pointerId);
    }

    drag(event) {
      const { map } = this;
      const ends = [this.from, this.place(event)[0]].map((px) => Math.max(map.gutter, Math.min(map.gutter + map.inner, px))).sort((one, other) => one - other);
      if (ends[1] - ends[0] < LEAST) return false;
      this.leave();
      this.brushed = ends;
      put(this.brush, { left: ends[0], top: map.frame.scrollTop, width: ends[1] - ends[0], height: map.view });
      return true;
    }

    release(event) {
      const [brushed, pressed] = [this.brushed, this.pressed];
      this.stop();
      if (brushed) return this.acts.zoom(...brushed.map((px) => this.map.columnAt(px)));
      const found = this.at(event);
      if (!found || !pressed || found.row !== pressed.row || event.button !== 0) return undefined;
      const row = this.map.model.rows[found.row];
      this.moveTo(found.row, Math.max(0, found.column), false);
      if (row.isParent) return this.acts.toggle(row);
      return this.acts.choose(row, found.part === "cell" ? found.column : this.map.model.columns.m - 1);
    }

    stop() {
      Object.assign(this, { from: undefined, brushed: null, pressed: null, anchor: null });
      this.brush.hidden = true;
    }

    /* ---- keyboard ---- */

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.map.model?.rows.length) return;
      const done = this.does(event);
      if (done === false) return;
      event.preventDefault();
      event.stopPropagation(); // the page has uses of its own for some keys
    }

    does({ key, shiftKey }) {
      if (MOVES[key]) return this.step(MOVES[key], shiftKey);
      if (key === "Home" || key === "End") return this.moveTo(this.focus?.row ?? 0, key === "Home" ? 0 : Infinity);
      if (key === "Enter" || key === " ") return this.enter();
      if (key === "+" || key === "=" || key === "-") return this.fold(key !== "-");
      if (key === "0") return this.acts.showAll();
      if (key === "Escape") return this.escape();
      return false;
    }

    step([down, right], isBrush) {
      const at = this.focus ?? { row: 0, column: 0 };
      if (isBrush && right) this.anchor ??= at.column;
      else this.anchor = null;
      this.moveTo(at.row + down, at.column + right);
      this.markBrush();
    }

    markBrush() {
      this.brush.hidden = this.anchor === null;
      if (this.anchor === null) return;
      const [one, other] = [this.anchor, this.focus.column].sort((a, b) => a - b).map((column) => this.map.box(this.focus.row, column));
      put(this.brush, { left: one.left, top: this.map.frame.scrollTop, width: other.left + other.width - one.left, height: this.map.view });
    }

    enter() {
      const { row, column } = this.focus ?? { row: 0, column: 0 };
      if (this.anchor !== null && this.anchor !== column) {
        const ends = [this.anchor, column].sort((one, other) => one - other);
        this.stop();
        return this.acts.zoom(...ends);
      }
      const chosen = this.map.model.rows[row];
      return chosen.isParent ? this.acts.toggle(chosen) : this.acts.choose(chosen, column);
    }

    /** Unfolds the row, or folds it, or what it is in. */
    fold(open) {
      const { rows } = this.map.model;
      let at = this.focus?.row ?? 0;
      if (!open && !(rows[at].isParent && rows[at].isOpen)) at = rows.findLastIndex((row, k) => k < at && row.depth < rows[at].depth);
      const row = rows[at];
      if (!row?.isParent || row.isOpen === open) return undefined;
      this.moveTo(at, this.focus?.column ?? 0, false);
      return this.acts.toggle(row);
    }

    escape() {
      if (this.anchor !== null) return this.stop();
      return this.acts.close();
    }

    /** Puts the focused cell somewhere; `aloud` lets a reader of screens hear of it. */
    moveTo(row, column, aloud = true) {
      const { rows, columns } = this.map.model ?? { rows: [] };
      if (!rows.length || !columns.m) return;
      this.focus = { row: clamped(row, rows.length - 1), column: clamped(column, columns.m - 1) };
      this.focus.id = rows[this.focus.row].id;
      this.map.reveal(this.focus.row);
      this.mark();
      if (aloud) this.speak();
    }

    speak() {
      const { title, text, hint } = this.acts.read(this.focus.row, this.focus.column);
      this.live.textContent = [title, text, hint].filter(Boolean).join(tidewatch.words.say("comma"));
    }

    mark() {
      if (this.focus) put(this.cell, this.map.box(this.focus.row, this.focus.column));
    }

    /** After the rows became others the focus stays at its row, as far as that is still in sight. */
    follow() {
      const { rows, columns } = this.map.model;
      if (!this.focus || !rows.length || !columns.m) return this.hide();
      const at = rows.findIndex(({ id }) => id === this.focus.id);
      this.focus = { id: rows[Math.max(0, at)].id, row: Math.max(0, at), column: clamped(this.focus.column, columns.m - 1) };
      return this.mark();
    }

    hide() {
      this.focus = null;
      this.cell.hidden = true;
    }
  }

  tidewatch.RanksHands = RanksHands;
})();
