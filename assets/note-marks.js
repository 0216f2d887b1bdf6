/* Notes along the curves' axis: a bubble in the lane under the figure, of a stretch with a bar as long as it, near ones
   together as a count; and over the panels a thin line or band for each. HTML: Plotly draws nothing more, and nothing anew. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const make = (...parts) => tidewatch.elements.make(...parts);
  const MOST = 150; // lines over the panels: more would hide the curves
  const THIN = 3; // px: a band is no narrower

  /** The notes as clusters.marks takes them: placed by their steps. Pure. */
  const spans = (notes) => notes.map((note) => ({ note, key: note.id, at: { step: note.first, last: note.last, wall: null }, times: note.last > note.first ? 2 : 1 }));

  /** px of a note on the axis, cut at its ends: {left, width}, of a step without width; null out of view. Pure. */
  function stretch({ first, last }, axis) {
    const [low, high] = [Math.min(...axis.range), Math.max(...axis.range)];
    const [from, to] = [axis.x(first, null), axis.x(last, null)];
    if (!Number.isFinite(from) || !Number.isFinite(to) || to < low || from > high) return null;
    const left = axis.px(Math.max(low, from));
    return { left, width: last > first ? Math.max(THIN, axis.px(Math.min(high, to)) - left) : 0 };
  }

  class NoteMarks {
    /** `lane` is the row under the axis, `figure` the element of the panels; `act` = {point(mark | null), open(mark)} is told
     *  what the reader does with a mark {at, notes, from, to}. */
    constructor(lane, figure, act, until) {
      Object.assign(this, { lane, act, marks: new Map(), lines: new Map() });
      this.layer = figure.appendChild(make("div", { class: "note-layer", "aria-hidden": "true" }));
      tidewatch.roving.connect(lane, () => [this.stops()], until);
      for (const kind of ["pointerover", "focusin"]) lane.addEventListener(kind, ({ target }) => act.point(this.of(target)), until);
      for (const kind of ["pointerleave", "focusout"]) lane.addEventListener(kind, () => act.point(null), until);
      lane.addEventListener("click", ({ target }) => this.of(target) && act.open(this.of(target)), until);
    }

    end() {
      this.layer.remove();
      for (const { button } of this.marks.values()) button.remove();
    }

    of(target) {
      const button = target.closest?.("button[data-note-mark]");
      return (button && this.marks.get(button.dataset.noteMark)?.mark) ?? null;
    }

    stops() {
      return [...this.marks.values()].map(({ button, mark }) => ({ button, at: mark.at })).sort((one, other) => one.at - other.at);
    }

    /** Draws `notes` along `axis` (tidewatch.curves.axis), and `drafts` over the panels alone; `strong` are the ids of those
     *  that are pointed at, open, or being written. */
    draw(notes, drafts, axis, strong) {
      this.lane.hidden = !notes.length;
      this.drawLane(notes, axis, strong);
      this.drawLines([...drafts, ...notes], axis, strong);
    }

    drawLane(notes, axis, strong) {
      const kept = new Map();
      const hadFocus = this.lane.contains(document.activeElement) && document.activeElement.dataset.noteMark;
      for (const { events, ...mark } of tidewatch.clusters.marks(spans(notes), axis)) {
        const key = events[0].key;
        const button = this.marks.get(key)?.button ?? this.lane.appendChild(this.button(key));
        const entry = { button, mark: { ...mark, notes: events.map(({ note }) => note) } };
        this.dress(entry, axis, strong);
        kept.set(key, entry);
      }
      for (const [key, { button }] of this.marks) if (!kept.has(key)) button.remove();
      this.marks = kept;
      const buttons = this.stops().map(({ button }) => button);
      if (hadFocus && !kept.has(hadFocus)) buttons[0]?.focus({ preventScroll: true });
      if (!buttons.some(({ tabIndex }) => tabIndex === 0)) tidewatch.roving.hold(buttons, buttons.at(-1));
    }

    button(key) {
      const button = make("button", { class: "event-mark note-mark", type: "button", tabindex: "-1", "data-note-mark": key });
      button.append(tidewatch.eventShapes.draw(tidewatch.noteWords.LOOK), make("span"));
      return button;
    }

    /** Only what changed is written: this runs with every drawing of the curves. */
    dress({ button, mark }, axis, strong) {
      const { notes, at, from, to } = mark;
      const edge = axis.left + (notes.length > 1 ? 12 : 6); // past it the mark would cover the lane's name
      const long = to > from ? Math.max(0, axis.px(Math.min(to, Math.max(...axis.range))) - Math.max(edge, at)) : 0;
      button.style.setProperty("--at", `${Math.max(edge, at).toFixed(1)}px`);
      button.style.setProperty("--long", `${long.toFixed(1)}px`);
      button.classList.toggle("chosen", notes.some(({ id }) => strong.has(id)));
      const said = JSON.stringify(notes.map(({ id, version, first, last }) => [id, version, first, last]));
      if (button.dataset.said === said) return;
      button.dataset.said = said;
      button.classList.toggle("many", notes.length > 1);
      button.lastChild.textContent = notes.length > 1 ? tidewatch.numbers.count(notes.length) : "";
      button.setAttribute("aria-label", tidewatch.noteWords.label(notes));
    }

    drawLines(notes, axis, strong) {
      const wanted = [...notes].sort((one, other) => strong.has(other.id) - strong.has(one.id)).slice(0, MOST);
      const kept = new Map();
      for (const note of wanted) {
        const place = stretch(note, axis);
        if (place) kept.set(note.id, this.line(note.id, place, strong.has(note.id)));
      }
      for (const [id, line] of this.lines) if (!kept.has(id)) line.remove();
      this.lines = kept;
    }

    line(id, { left, width }, isStrong) {
      const line = this.lines.get(id) ?? this.layer.appendChild(make("div"));
      const name = `note-line${width ? " band" : ""}${isStrong ? " strong" : ""}`;
      if (line.className !== name) line.className = name;
      line.style.left = `${left.toFixed(1)}px`;
      line.style.width = `${width.toFixed(1)}px`;
      return line;
    }
  }

  tidewatch.noteMarks = { NoteMarks, stretch };
})();
