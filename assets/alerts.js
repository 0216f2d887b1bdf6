/* The card of alerts: lists, filters, what is open, and the same alerts on the curves. What is open is in the address
   (alert=<id>), so that it can be sent to somebody and the browser's back leads out of it. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);
  const make = (...parts) => tidewatch.elements.make(...parts);
  const SHARE = 20; // marks that take 5 ms to draw are drawn every 100 ms at most
  const SHOWN = ["alert", "alerts_over"]; // fields of the state that change the lists, next to the filters'

  /** All that badges say of alerts: where it is as before, the server need not write them anew. Pure. */
  const standings = (alerts) => JSON.stringify(alerts.map(({ id, state, severity, muted, ranks }) => [id, state, severity, muted, ranks]));

  class Alerts {
    /** `root` carries data-alerts, the run's id. */
    constructor(root) {
      this.root = root;
      this.run = root.dataset.alerts;
      this.ended = new AbortController();
      this.until = { signal: this.ended.signal };
      this.find = (name) => root.querySelector(`.${name}`);
      this.list = root.querySelector(".alerts-lists > .alerts-list");
      this.past = this.find("alerts-past");
      this.filters = new tidewatch.alertsFilters.AlertsFilters(this.find("alerts-filters"), this.until);
      this.rows = new Map(); // id → Row
      this.visit = new tidewatch.Visit("alert");
      this.alerts = null; // before the first answer
      this.exports = root.appendChild(this.exportLinks());
      this.drawn = -Infinity;
      this.cost = 0;
      this.connect();
      this.reading = new tidewatch.runAlerts.RunAlerts(this.run, (...told) => this.take(...told), this.until);
    }

    connect() {
      const { root, until } = this;
      const press = (event) => this.press(event.target);
      document.addEventListener("click", press, until);
      for (const one of [root, document]) one.addEventListener("keydown", (event) => this.key(event), until); // before keys.js
      document.addEventListener("tidewatch:state", ({ detail }) => [...SHOWN, ...tidewatch.alertsFilters.FIELDS].some((name) => detail.changed.has(name)) && this.show(), until);
      document.addEventListener("tidewatch:axis", () => this.drawSoon(), until);
      tidewatch.roving.connect(root, () => this.stops(), until);
      this.past.querySelector("summary").addEventListener("click", (event) => this.turnPast(event), until);
    }

    end() {
      this.ended.abort();
      clearTimeout(this.timer);
      this.marks?.end();
    }

    /** All of them as a file, history too. */
    exportLinks() {
      const link = (format, words) => make("a", { href: tidewatch.address.ofRun(this.run, "/alerts/export", { format }), download: true }, words);
      return make("p", { class: "alerts-export hint", hidden: true }, say("alerts_export"), " ", link("csv", "CSV"), " · ", link("json", "JSON"));
    }

    /* ---- what there is ---- */

    get chosen() {
      return this.alerts?.find(({ id }) => id === tidewatch.state.get().alert) ?? null;
    }

    /** The list of what is over, unfolded or folded as the address says. */
    turnPast(event) {
      event.preventDefault();
      const open = !this.past.open;
      tidewatch.state.set({ alerts_over: open });
      this.past.open = open; // also where a chosen alert had unfolded it
    }

    /** Takes the alerts as they are now; the page's head and badges follow. */
    take(alerts, isJudged) {
      const before = this.alerts;
      this.isJudged = isJudged;
      this.alerts = alerts;
      this.show();
      if (!before) return;
      this.tellNews(before);
      if (standings(before) !== standings(alerts)) tidewatch.renewal.ask();
    }

    /** For readers of screens: what is new, and what is over. */
    tellNews(before) {
      const states = new Map(before.map(({ id, state }) => [id, state]));
      const isNews = ({ id, state, cause }) => cause === null && (states.get(id) ?? "") !== state;
      const said = this.alerts.filter(isNews).map(({ id, state, name, says }) => {
        if (state === "open") return say("alert_new", { name, says });
        return state === "resolved" && states.has(id) ? say("alert_is_over", { name }) : "";
      });
      if (said.some(Boolean)) this.find("alerts-news").textContent = said.filter(Boolean).slice(0, 3).join(" ");
    }

    /* ---- lists ---- */

    show() {
      if (!this.alerts) return;
      const { now, past, consequences } = tidewatch.alertWords.lists(this.alerts, this.filters.chosen);
      const focused = document.activeElement;
      tidewatch.elements.arrange(this.list, now.map((alert) => this.row(alert, consequences).root));
      const { alert: chosen, alerts_over: isOpen } = tidewatch.state.get();
      this.past.open = isOpen;
      const history = isOpen ? past : past.filter(({ id }) => id === chosen || consequences.get(id)?.some((one) => one.id === chosen));
      tidewatch.elements.arrange(this.past.querySelector(".alerts-list"), history.map((alert) => this.row(alert, consequences).root));
      if (this.root.contains(focused) && document.activeElement !== focused) focused.focus({ preventScroll: true });
      this.forget();
      this.tell(now, past);
      this.filters.tell(this.alerts);
      this.openChosen();
      this.hold();
      this.draw();
    }

    row(alert, consequences) {
      const row = this.rows.get(alert.id) ?? new tidewatch.AlertRow(this.page);
      this.rows.set(alert.id, row);
      const mine = (consequences.get(alert.id) ?? []).map((one) => this.row(one, consequences));
      row.show(alert, mine);
      return row;
    }

    get page() {
      const ask = (id) => tidewatch.answers.json(tidewatch.address.ofRun(this.run, `/alerts/${encodeURIComponent(id)}`), this.until.signal);
      return { run: this.run, ask, done: () => this.reading.readSoon() };
    }

    forget() {
      const known = new Set(this.alerts.map(({ id }) => id));
      for (const id of this.rows.keys()) if (!known.has(id)) this.rows.delete(id);
    }

    tell(now, past) {
      const open = this.alerts.filter((one) => tidewatch.alertWords.isUrgent(one) && one.cause === null).length;
      const all = this.alerts.length;
      this.find("alerts-count").textContent = !all ? "" : open ? say("alerts_open", { count: count(open) }) : say("alerts_all_over");
      this.find("alerts-note").textContent = this.note(now, past);
      this.past.hidden = !past.length;
      this.exports.hidden = !all;
      this.past.querySelector("summary").textContent = say("alerts_over", { count: count(past.length) });
      this.list.hidden = !now.length;
    }

    note(now, past) {
      if (!this.alerts.length) return say(this.isJudged ? "alerts_none" : "alerts_unjudged");
      const { alert } = tidewatch.state.get();
      if (alert && !this.chosen) return say("alerts_gone");
      if (!now.length && !past.length) return say("alerts_none_fit");
      return now.length ? "" : say("alerts_none_now");
    }

    /* ---- the keyboard ---- */

    /** The buttons that arrows walk through, from the top down. */
    stops() {
      return [...this.root.querySelectorAll("button.alert-open")].filter((one) => one.checkVisibility()).map((button) => [{ button, at: 0 }]);
    }

    /** One of them is what Tab reaches. */
    hold() {
      const buttons = this.stops().flat().map(({ button }) => button);
      if (buttons.some(({ tabIndex }) => tabIndex === 0) && buttons.filter(({ tabIndex }) => tabIndex === 0).length === 1) return;
      tidewatch.roving.hold(buttons, this.rows.get(tidewatch.state.get().alert)?.button ?? buttons[0]);
    }

    /** Escape closes a form, then the alert that is open. */
    key(event) {
      if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      const isHere = this.root.contains(event.target) || event.target === document.body;
      const row = this.rows.get(tidewatch.state.get().alert);
      if (!isHere || !tidewatch.state.get().alert || tidewatch.state.get().full) return;
      event.preventDefault();
      if (row?.closeForm()) return;
      this.close();
      row?.button.focus({ preventScroll: true });
    }

    /* ---- open and closed ---- */

    press(target) {
      const badge = target.closest?.("[data-alert]");
      if (badge) this.open(badge.dataset.alert, true);
      if (!this.root.contains(target)) return;
      const id = target.closest("[data-alert-id]")?.dataset.alertId;
      if (target.closest("[data-alert-do=show]")) this.zoom(id);
      if (target.closest("button.alert-open")) this.toggle(id);
    }

    toggle(id) {
      if (tidewatch.state.get().alert === id) this.close();
      else this.open(id, false);
    }

    /** Opens an alert and shows its stretch of the curves; from elsewhere on the page its row comes into sight. */
    open(id, isFromAfar) {
      const alert = this.alerts?.find((one) => one.id === id);
      if (!alert) return;
      this.visit.enter(id, this.viewOf(alert));
      if (isFromAfar) this.reveal(id);
    }

    reveal(id) {
      const row = this.rows.get(id);
      row?.root.scrollIntoView({ block: "nearest" });
      row?.button.focus({ preventScroll: true });
    }

    close() {
      this.visit.leave();
    }

    /** The view that shows it; null where nothing does. */
    viewOf(alert) {
      const { held } = tidewatch.curves ?? {};
      if (!held?.series.size || alert.metric === null && alert.class !== "stall" && !alert.ranks.length) return null;
      return tidewatch.alertView.view(alert, held.axis(tidewatch.state.get().x), held.series.get("loss"));
    }

    /** On a phone the curves are elsewhere than the list. */
    zoom(id) {
      const alert = this.alerts.find((one) => one.id === id);
      const view = this.viewOf(alert);
      if (view) tidewatch.state.set({ view });
      tidewatch.curves?.card.querySelector(".figure").scrollIntoView({ block: "nearest" });
    }

    openChosen() {
      const { alert: id } = tidewatch.state.get();
      for (const [other, row] of this.rows) row.open(other === id);
      const row = this.rows.get(id);
      if (!row) return;
      for (let at = row.root.parentElement; at && at !== this.root; at = at.parentElement) if (at.matches("details")) at.open = true;
      row.learn();
    }

    /* ---- on the curves ---- */

    get curves() {
      const { curves } = tidewatch;
      return curves?.axis?.range && curves.card.isConnected && curves.run === this.run ? curves : null;
    }

    drawSoon() {
      const wait = SHARE * this.cost - (performance.now() - this.drawn);
      if (wait <= 0) this.draw();
      else this.timer ??= setTimeout(() => this.draw(), wait);
    }

    draw() {
      this.timer = clearTimeout(this.timer) ?? null;
      const { curves } = this;
      if (!curves || !this.alerts || document.hidden) return;
      this.drawn = performance.now();
      this.marks ??= new tidewatch.alertMarks.AlertMarks(curves.card.querySelector(".figure"), (id) => this.open(id, true));
      this.marks.draw(this.alerts.filter(({ muted }) => !muted), this.chosen, curves);
      this.cost = performance.now() - this.drawn;
    }
  }

  (tidewatch.mounts ??= []).push({
    selector: "[data-alerts]",
    start(root) {
      const alerts = new Alerts(root);
      tidewatch.alerts = alerts;
      return () => alerts.end();
    },
  });
})();
