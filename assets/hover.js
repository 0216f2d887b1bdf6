/* One crosshair over all panels and one box that reads every line there, for the pointer and for the arrow keys. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const count = (value) => tidewatch.numbers.count(value); // numbers.js is loaded later
  const APART = 14; // px between crosshair and box

  function made(parent, name, tag = "div") {
    const element = parent.appendChild(document.createElement(tag));
    element.className = name;
    return element;
  }

  function told(parent, name, text) {
    made(parent, name, "span").textContent = text;
  }

  /** "Step 4,132 · 2026-11-28 09:13:20 · 1h 05m". Pure but for the reader's time zone. */
  function title({ step, wall }, axis, began) {
    const said = [tidewatch.words.say("x_step_at", { x: count(step) })];
    if (axis.kind === "samples" || axis.kind === "tokens") said.push(tidewatch.words.say(`x_${axis.kind}_at`, { x: count(axis.at(step)) }));
    if (Number.isFinite(wall)) said.push(tidewatch.ticks.clock(wall));
    if (Number.isFinite(wall) && began !== null) said.push(tidewatch.ticks.span(wall - began));
    return said.join(" · ");
  }

  class Hover {
    /** `source()` gives what there is to read: {lines, axis, began, extra(step): [{name, text}]}. */
    constructor(plot, source, until) {
      Object.assign(this, { plot, source });
      this.area = plot.host.parentElement;
      this.line = made(plot.host, "crosshair");
      this.box = made(plot.host, "reading");
      this.hide();
      this.area.addEventListener("pointermove", (event) => this.point(event), until);
      this.area.addEventListener("pointerleave", () => this.hide(), until);
      this.area.addEventListener("pointerdown", (event) => event.pointerType === "touch" && this.point(event), until);
    }

    point(event) {
      if (event.buttons && event.pointerType !== "touch") return; // a drag is under way
      this.wanted = event.clientX - this.plot.graph.getBoundingClientRect().left;
      this.frame ??= requestAnimationFrame(() => this.look());
    }

    look() {
      this.frame = null;
      const { margin: { left }, inner, range } = this.plot;
      if (!range || this.wanted < left - 4 || this.wanted > left + inner + 4) return this.hide();
      this.readAt(this.plot.x(this.wanted));
    }

    /** Shows what stands at `x`; `aloud` lets a screen reader say it. Gives the point that the crosshair stands on. */
    readAt(x, aloud = false) {
      const source = this.source();
      const [low, high] = this.plot.range;
      const seen = source.lines.filter(({ xs }) => xs.some((one) => one >= low && one <= high));
      const { head, rows } = tidewatch.readings.at(seen, x);
      if (!head) return this.hide();
      this.shownAt = head.at;
      this.box.toggleAttribute("aria-live", aloud);
      if (aloud) this.box.setAttribute("aria-live", "polite");
      this.write(head, rows, source);
      this.place(this.plot.px(head.at));
      return head;
    }

    write(head, rows, { axis, began, extra }) {
      this.box.replaceChildren();
      told(this.box, "where", title(head, axis, began));
      const table = made(this.box, "lines");
      for (const row of rows) this.writeRow(table, row, head);
      for (const { name, text } of extra(head.step)) this.writeExtra(table, name, text);
    }

    writeRow(table, row, head) {
      const line = made(table, "line");
      const dot = made(line, "dot", "i");
      dot.style.background = `var(${row.line.template.meta.colour})`;
      const { name } = row.line.template;
      told(line, "name", row.line.older ? tidewatch.words.say("of_attempt", { name, attempt: row.attempt }) : name);
      told(line, "value", tidewatch.readings.exact(row.value));
      told(line, "smoothed", row.smoothed === null ? "" : tidewatch.words.say("smoothed_to", { value: tidewatch.numbers.value(row.smoothed) }));
      told(line, "source", [tidewatch.words.say(`source_${row.source}`), row.step === head.step ? "" : tidewatch.words.say("at_step", { step: count(row.step) })].filter(Boolean).join(", "));
    }

    writeExtra(table, name, text) {
      const line = made(table, "line");
      made(line, "dot", "i");
      told(line, "name", name);
      told(line, "value", text);
    }

    place(px) {
      this.line.hidden = this.box.hidden = false;
      this.line.style.transform = `translateX(${Math.round(px)}px)`;
      const room = this.plot.width - px - APART;
      const width = this.box.offsetWidth;
      const left = room > width ? px + APART : Math.max(4, px - APART - width);
      this.box.style.transform = `translate(${Math.round(left)}px, 0)`;
    }

    hide() {
      this.line.hidden = this.box.hidden = true;
      this.shownAt = null;
    }

    /** After a drawing the crosshair stands where its point is now. */
    follow() {
      if (this.shownAt !== null && this.plot.range) this.readAt(this.shownAt);
    }
  }

  tidewatch.hover = { Hover, title };
})();
