/* Alerts about ranks on the map: a small sign at the row and the step where each was raised, which leads to the alert. HTML
   over the canvas, of the rows in sight alone. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const make = (...parts) => tidewatch.elements.make(...parts);
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);
  const MOST_ALERTS = 60;
  const MOST_SIGNS = 200;

  const overlap = (one, other) => one.some(([first, last]) => other.some(([from, to]) => first <= to && from <= last));

  /** The alerts that are on the map, the gravest first: those about ranks that nobody has muted. Pure. */
  function shown(alerts) {
    const { isUrgent, gravity } = tidewatch.alertWords;
    const found = alerts.filter(({ ranks, muted, cause }) => ranks.length && !muted && cause === null);
    return found.sort((one, other) => isUrgent(other) - isUrgent(one) || gravity(one) - gravity(other) || other.raised_step - one.raised_step).slice(0, MOST_ALERTS);
  }

  /** Where signs stand: [{alert, row, column}] of rows [first, last) of the map; of several at one cell the gravest. An open
   *  parent leaves it to the rows below it; an alert from before or after the columns has no place. Pure. */
  function places(alerts, rows, [first, last], { steps, m }) {
    const found = new Map();
    for (const alert of alerts) {
      const { raised_step: step, ranks } = alert;
      if (!m || step < steps[0] || step > steps[m - 1]) continue;
      const column = Math.min(m - 1, tidewatch.ranksAnswer.columnAt({ steps, m }, step));
      for (let row = first; row < last && found.size < MOST_SIGNS; row += 1) {
        const { isParent, isOpen, ranks: mine } = rows[row];
        const key = `${row} ${column}`;
        if (!(isParent && isOpen) && !found.has(key) && overlap(mine, ranks)) found.set(key, { alert, row, column });
      }
    }
    return [...found.values()];
  }

  class RanksAlerts {
    /** `frame` has .ranks-scroll, inside the page's element. */
    constructor(frame) {
      this.run = tidewatch.ranksAhead.told(frame.closest("[data-ranks]")).run;
      this.ended = new AbortController();
      const until = { signal: this.ended.signal };
      this.layer = frame.querySelector(".ranks-room").appendChild(make("div", { class: "ranks-alerts" }));
      this.layer.addEventListener("pointerdown", (event) => event.stopPropagation(), until); // which would choose a cell
      document.addEventListener("tidewatch:ranks-drawn", () => this.drawSoon(), until);
      frame.querySelector(".ranks-scroll").addEventListener("scroll", () => this.drawSoon(), until);
      new tidewatch.runAlerts.RunAlerts(this.run, (alerts) => this.take(alerts), until);
    }

    end() {
      this.ended.abort();
      this.layer.remove();
    }

    take(alerts) {
      this.alerts = shown(alerts);
      this.drawSoon();
    }

    drawSoon() {
      this.frame ??= requestAnimationFrame(() => {
        this.frame = null;
        if (!this.ended.signal.aborted) this.draw();
      });
    }

    draw() {
      const { map, held: { top } = {} } = tidewatch.ranks ?? {};
      if (!this.alerts || !top || !map?.model) return;
      const found = places(this.alerts, map.model.rows, map.seen, top);
      const said = JSON.stringify(found.map(({ alert, row, column }) => [alert.id, alert.state, alert.severity, map.box(row, column)]));
      if (said === this.said) return;
      this.said = said;
      this.layer.replaceChildren(...found.map((one) => this.sign(one, map.box(one.row, one.column))));
    }

    sign({ alert }, { left, top, width, height }) {
      const { tone, draw } = tidewatch.alertWords;
      const title = say("alert_marked", { name: alert.name, severity: say(`alert_severity_${alert.severity}`), step: count(alert.raised_step) });
      const address = tidewatch.address.ofPage(this.run, "", `?alert=${encodeURIComponent(alert.id)}`);
      const link = make("a", { class: `ranks-alert tone-${tone(alert)}`, href: address, tabindex: "-1", title, "aria-label": title }, draw(alert));
      link.style.left = `${(left + width / 2).toFixed(1)}px`;
      link.style.top = `${(top + height / 2).toFixed(1)}px`;
      return link;
    }
  }

  tidewatch.ranksAlerts = { shown, places };

  (tidewatch.mounts ??= []).push({
    selector: ".ranks-frame",
    start(frame) {
      const alerts = new RanksAlerts(frame);
      return () => alerts.end();
    },
  });
})();
