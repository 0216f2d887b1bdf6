/* Alerts on the curves: a small mark for each at the step where it was raised, and of the chosen one its window, what is
   usual, and its value. HTML over the figure: Plotly draws nothing more, and nothing anew. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const make = (...parts) => tidewatch.elements.make(...parts);
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);
  const NEAR = 11; // px; nearer ones are one mark
  const MOST = 150; // marks of one figure, the gravest first
  const VALUES = { NaN: NaN, Infinity, "-Infinity": -Infinity };

  const number = (told) => (told === null || typeof told === "number" ? told : VALUES[told]);

  /** Which of `found` [{px, panel, alert}] become marks: the gravest of those that stand near one another in a panel, with
   *  the others: [{px, panel, alert, more}]. Pure. */
  function together(found) {
    const { isUrgent, gravity } = tidewatch.alertWords;
    const weight = ({ alert }) => gravity(alert) - 10 * isUrgent(alert);
    const marks = [];
    for (const one of [...found].sort((first, second) => weight(first) - weight(second) || first.px - second.px)) {
      const near = marks.find(({ px, panel }) => panel === one.panel && Math.abs(px - one.px) < NEAR);
      if (near) near.more += 1;
      else if (marks.length < MOST) marks.push({ ...one, more: 0 });
    }
    return marks;
  }

  /** px from the top of a value on an axis as Plotly has it {range, type, offset, length}, held within it; null for what
   *  has no place. Pure. */
  function height(value, { range, type, offset, length }) {
    const at = type === "log" ? Math.log10(value) : value;
    if (!Number.isFinite(at)) return null;
    const share = (at - range[0]) / (range[1] - range[0]);
    return offset + (1 - Math.min(1, Math.max(0, share))) * length;
  }

  function put(element, styles) {
    for (const [name, px] of Object.entries(styles)) {
      const text = px === null ? "" : `${px.toFixed(1)}px`;
      if (element.style[name] !== text) element.style[name] = text;
    }
  }

  class AlertMarks {
    /** `figure` is the element over which they stand; `choose(id)` is called when one is pressed. */
    constructor(figure, choose) {
      this.layer = figure.appendChild(make("div", { class: "alert-layer" }));
      this.marks = new Map(); // id → button
      this.band = make("div", { class: "alert-band", hidden: true });
      this.usual = make("div", { class: "alert-usual", hidden: true }, make("span"));
      this.value = make("div", { class: "alert-value", hidden: true, role: "img" });
      this.layer.append(this.band, this.usual, this.value);
      this.layer.addEventListener("click", ({ target }) => {
        const button = target.closest("button[data-alert-mark]");
        if (button) choose(button.dataset.alertMark);
      });
    }

    end() {
      this.layer.remove();
    }

    /** Where the panel of a metric stands: {key, axis: {range, type, offset, length}}; the first panel for no metric. */
    panelOf(metric, curves) {
      const { panels, base: { places } } = curves.scene;
      const at = panels.findIndex(({ lines }) => lines.some(({ metrics }) => metrics.includes(metric)));
      const place = places[Math.max(0, at)];
      const drawn = place && curves.plot.graph._fullLayout?.[tidewatch.layout.axisKey(place.axis)];
      return drawn?.range ? { key: place.key, isOwn: at >= 0, axis: { range: drawn.range, type: drawn.type, offset: drawn._offset, length: drawn._length } } : null;
    }

    /** Draws `alerts` along the axis of `curves`, and of the chosen one all. */
    draw(alerts, chosen, curves) {
      const { axis } = curves;
      const [low, high] = axis.range;
      const found = [];
      for (const alert of alerts) {
        if (alert.cause !== null && alert.id !== chosen?.id) continue; // it stands under its cause
        const x = axis.x(alert.raised_step, alert.raised_wall);
        const panel = x >= low && x <= high && x !== null ? this.panelOf(alert.metric, curves) : null;
        if (panel) found.push({ px: axis.px(x), panel: panel.key, top: panel.axis.offset, alert });
      }
      this.drawMarks(together(found), chosen);
      this.drawChosen(chosen, curves);
    }

    drawMarks(marks, chosen) {
      const kept = new Set(marks.map(({ alert }) => alert.id));
      for (const [id, button] of this.marks) if (!kept.has(id)) this.drop(id, button);
      for (const mark of marks) {
        const button = this.marks.get(mark.alert.id) ?? this.add(mark.alert.id);
        put(button, { left: mark.px, top: mark.top });
        this.dress(button, mark, mark.alert.id === chosen?.id);
      }
    }

    drop(id, button) {
      button.remove();
      this.marks.delete(id);
    }

    /** The list has the same for the keyboard; marks would be many more stops on the way through the page. */
    add(id) {
      const button = this.layer.appendChild(make("button", { class: "alert-mark", type: "button", tabindex: "-1", "data-alert-mark": id }));
      this.marks.set(id, button);
      return button;
    }

    dress(button, { alert, more }, isChosen) {
      const { tone, draw } = tidewatch.alertWords;
      const said = `${tone(alert)} ${alert.severity} ${alert.state} ${more} ${isChosen}`;
      if (button.dataset.said === said) return;
      button.dataset.said = said;
      button.className = `alert-mark tone-${tone(alert)}${isChosen ? " chosen" : ""}`;
      button.replaceChildren(draw(alert));
      const values = { name: alert.name, severity: say(`alert_severity_${alert.severity}`), step: count(alert.raised_step), count: count(more) };
      button.title = say(more ? "alert_marked_more" : "alert_marked", values);
      button.setAttribute("aria-label", button.title);
    }

    /* ---- the chosen one ---- */

    drawChosen(alert, curves) {
      const panel = alert && this.panelOf(alert.metric, curves);
      for (const one of [this.band, this.usual, this.value]) one.hidden = true;
      if (!panel) return;
      const { severity } = alert;
      for (const one of [this.band, this.usual, this.value]) one.dataset.severity = severity;
      this.drawBand(alert, curves);
      if (!panel.isOwn) return;
      this.drawUsual(number(alert.baseline_median), panel, curves.axis);
      this.drawValue(alert, panel, curves.axis);
    }

    /** From its first step to its last, of one that is not over to the newest, over all panels. */
    drawBand(alert, { axis, newest }) {
      const last = Math.max(alert.last_step, alert.raised_step, tidewatch.alertWords.isOver(alert) ? -Infinity : newest);
      const ends = [alert.first_step, last].map((step) => axis.x(step, null));
      const edges = [axis.left, axis.width - axis.right];
      const [left, right] = ends.map((x) => (x === null ? null : axis.px(x)));
      if (left === null || right === null || right < edges[0] || left > edges[1]) return;
      const from = Math.max(edges[0], left - 1);
      put(this.band, { left: from, width: Math.max(2, Math.min(edges[1], right + 1) - from) });
      this.band.hidden = false;
    }

    drawUsual(median, { axis: { range, type, ...place } }, { left, right, width }) {
      const top = median === null ? null : height(median, { range, type, ...place });
      if (top === null) return;
      put(this.usual, { left, top, width: width - left - right });
      const text = say("alert_usual_line", { value: tidewatch.numbers.value(median) });
      if (this.usual.textContent !== text) this.usual.firstChild.textContent = text;
      this.usual.hidden = false;
    }

    drawValue(alert, { axis: drawn }, axis) {
      const value = number(alert.value);
      const x = axis.x(alert.value_step, null);
      const top = value === null ? null : height(value, drawn);
      if (top === null || x === null || x < axis.range[0] || x > axis.range[1]) return;
      put(this.value, { left: axis.px(x), top });
      this.value.title = say("alert_value_mark", { value: tidewatch.numbers.value(value), step: count(alert.value_step) });
      this.value.setAttribute("aria-label", this.value.title);
      this.value.hidden = false;
    }
  }

  tidewatch.alertMarks = { AlertMarks, together, height };
})();
