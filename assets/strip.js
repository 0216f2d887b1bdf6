/* The event strip: marks under the curves' axis, in lanes, close ones together as a count; chips that filter them. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const shapes = () => tidewatch.eventShapes;

  const create = (name, className, text = "") => {
    const element = document.createElement(name);
    element.className = className;
    element.textContent = text;
    return element;
  };

  /** Kinds with how often each happened, in the order of their lanes: [{kind, count}]. Pure. */
  function kinds(events) {
    const counts = new Map();
    for (const { kind, times } of events) counts.set(kind, (counts.get(kind) ?? 0) + (times ?? 1));
    const { LANES, KINDS, look } = shapes();
    const known = Object.keys(KINDS);
    const rank = (kind) => LANES.indexOf(look({ kind }).lane) * 100 + (known.indexOf(kind) + 100) % 100;
    return [...counts].map(([kind, count]) => ({ kind, count })).sort((one, other) => rank(one.kind) - rank(other.kind));
  }

  class Strip {
    /** `root` has .strip-lanes and .strip-chips; `act` = {point(mark | null), open(mark)} is told what the reader does. */
    constructor(root, act, until) {
      this.lanes = root.querySelector(".strip-lanes");
      this.chips = root.querySelector(".strip-chips");
      this.act = act;
      this.events = [];
      this.byLane = new Map();
      this.marks = new Map(); // key → {button, mark, lane}
      tidewatch.roving.connect(this.lanes, () => this.rows(), until);
      for (const kind of ["pointerover", "focusin"]) this.lanes.addEventListener(kind, (event) => this.point(event.target), until);
      for (const kind of ["pointerleave", "focusout"]) this.lanes.addEventListener(kind, () => act.point(null), until);
      this.lanes.addEventListener("click", (event) => this.open(event.target), until);
      this.chips.addEventListener("click", (event) => this.filter(event.target.closest("button")), until);
    }

    /** Takes the events of `clusters.placed`. */
    hold(events) {
      this.events = events;
      this.byLane = new Map();
      for (const event of events) {
        const { lane } = shapes().look(event);
        if (!this.byLane.has(lane)) this.byLane.set(lane, []);
        this.byLane.get(lane).push(event);
      }
      this.tellChips();
    }

    /** The lists of buttons that the arrows walk through. */
    rows() {
      const { LANES } = shapes();
      const rows = LANES.map(() => []);
      for (const { button, mark, lane } of this.marks.values()) rows[LANES.indexOf(lane)].push({ button, at: mark.at });
      return rows.map((row) => row.sort((one, other) => one.at - other.at)).filter((row) => row.length);
    }

    of(target) {
      const button = target.closest?.("button[data-mark]");
      return (button && this.marks.get(button.dataset.mark)) ?? null;
    }

    point(target) {
      this.act.point(this.of(target));
    }

    open(target) {
      const found = this.of(target);
      if (found) this.act.open(found.mark);
    }

    /* ---- marks ---- */

    /** Draws what of the events is not filtered out, along `axis` (tidewatch.curves.axis). */
    draw(axis, quiet) {
      const kept = new Map();
      const focused = this.of(document.activeElement);
      for (const lane of shapes().LANES) {
        const events = this.byLane.get(lane) ?? [];
        const shown = quiet.length ? events.filter((event) => !quiet.includes(event.kind)) : events;
        this.drawLane(lane, tidewatch.clusters.marks(shown, axis), axis, kept);
      }
      for (const [key, { button }] of this.marks) if (!kept.has(key)) button.remove();
      this.marks = kept;
      if (focused && !focused.button.isConnected) this.refocus(focused);
      this.lanes.parentElement.hidden = !this.events.length;
      const buttons = [...kept.values()].map(({ button }) => button);
      if (!buttons.some((button) => button.tabIndex === 0)) tidewatch.roving.hold(buttons, buttons.at(-1));
    }

    /** The mark that had the focus has become part of another, or parted: the nearest of its lane takes it. */
    refocus({ lane, mark }) {
      const near = [...this.marks.values()].filter((one) => one.lane === lane);
      near.sort((one, other) => Math.abs(one.mark.at - mark.at) - Math.abs(other.mark.at - mark.at));
      near[0]?.button.focus({ preventScroll: true });
    }

    drawLane(lane, marks, axis, kept) {
      const row = this.lanes.querySelector(`[data-lane="${lane}"]`);
      row.hidden = !this.byLane.has(lane);
      for (const mark of marks) {
        const key = `${lane} ${mark.events[0].key}`;
        const button = this.marks.get(key)?.button ?? row.appendChild(this.button(key));
        this.dress(button, mark, axis);
        kept.set(key, { button, mark, lane });
      }
    }

    button(key) {
      const button = create("button", "event-mark");
      button.type = "button";
      button.tabIndex = -1;
      button.dataset.mark = key;
      return button;
    }

    /** Shape, count and place; only what changed is written, since this runs with every drawing of the curves. */
    dress(button, mark, axis) {
      const { events, at, from, to } = mark;
      const long = to > from ? Math.max(0, axis.px(Math.min(to, Math.max(...axis.range))) - at) : 0;
      const edge = axis.left + (events.length > 1 ? 12 : 4); // past it the mark would cover the lane's name
      button.style.setProperty("--at", `${Math.max(edge, at).toFixed(1)}px`);
      button.style.setProperty("--long", `${long.toFixed(1)}px`);
      const said = `${events.length} ${events[0].key} ${events.at(-1).key}`;
      if (button.dataset.said === said) return;
      button.dataset.said = said;
      const look = shapes().look(shapes().heaviest(events));
      button.className = `event-mark tone-${look.tone || "plain"}${events.length > 1 ? " many" : ""}`;
      button.replaceChildren(shapes().draw(look));
      const { label, short, times } = tidewatch.eventWords;
      if (events.length > 1) button.append(create("span", "", short(times(events))));
      button.setAttribute("aria-label", label(events));
    }

    /** The mark that holds an event at this step, of a rank if one is given; null when none is in view. */
    at(step, rank) {
      const holds = ({ at, ranks }) => at.step <= step && step <= at.last && (!ranks?.length || ranks.includes(rank));
      return [...this.marks.values()].find(({ mark }) => mark.events.some(holds)) ?? null;
    }

    /* ---- filter ---- */

    tellChips() {
      const { quiet } = tidewatch.state.get();
      const wanted = kinds(this.events);
      const spelled = JSON.stringify([wanted, quiet]);
      if (this.spelled === spelled) return;
      this.spelled = spelled;
      const focused = document.activeElement?.dataset?.kind;
      this.chips.replaceChildren(...wanted.map((one) => this.chip(one, quiet)));
      if (focused) this.chips.querySelector(`[data-kind="${CSS.escape(focused)}"]`)?.focus();
    }

    chip({ kind, count }, quiet) {
      const look = kind === "checkpoint" ? shapes().KINDS.checkpoint : shapes().look({ kind });
      const chip = create("button", `event-chip tone-${look.tone || "plain"}`);
      chip.type = "button";
      chip.dataset.kind = kind;
      chip.setAttribute("aria-pressed", String(!quiet.includes(kind)));
      chip.append(shapes().draw(look), create("span", "", tidewatch.eventWords.word(kind)), create("b", "", tidewatch.numbers.count(count)));
      return chip;
    }

    filter(button) {
      if (!button) return;
      const { quiet } = tidewatch.state.get();
      const { kind } = button.dataset;
      tidewatch.state.set({ quiet: quiet.includes(kind) ? quiet.filter((one) => one !== kind) : [...quiet, kind] });
    }
  }

  tidewatch.Strip = Strip;
  tidewatch.strip = { kinds };
})();
