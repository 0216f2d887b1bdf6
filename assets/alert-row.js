/* One alert in the list: what is wrong in a line, its consequences folded under it, its details where it is open. The
   elements stay as long as the alert does. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const make = (...parts) => tidewatch.elements.make(...parts);
  const say = (key, values) => tidewatch.words.say(key, values);
  const words = () => tidewatch.alertWords;

  class Row {
    /** `page`: {run, done(), ask(id) → promise of everything about it}. */
    constructor(page) {
      this.page = page;
      this.button = make("button", { class: "alert-open", type: "button", "aria-expanded": "false" });
      this.summary = make("summary");
      this.children = make("ol", { class: "alerts-list" });
      this.family = make("details", { class: "alert-family", hidden: true }, this.summary, this.children);
      this.body = make("div", { class: "alert-body", hidden: true });
      this.root = make("li", { class: "alert" }, this.button, this.body, this.family);
    }

    /** The alert as it is now, and the rows of its consequences. */
    show(alert, consequences) {
      this.alert = alert;
      const { tone } = words();
      this.root.className = `alert tone-${tone(alert)}${this.isOpen ? " chosen" : ""}`;
      this.root.dataset.alertId = alert.id;
      this.write(alert);
      this.family.hidden = !consequences.length;
      this.summary.textContent = say("alert_consequences", { count: tidewatch.numbers.count(consequences.length) });
      tidewatch.elements.arrange(this.children, consequences.map(({ root }) => root));
      this.acts?.show(alert);
      this.tellLinks();
    }

    write(alert) {
      const said = JSON.stringify(alert);
      if (this.said === said) return;
      this.said = said;
      const { draw, standing, place } = words();
      const standsAs = standing(alert);
      const severity = make("span", { class: "hidden-text" }, `${say(`alert_severity_${alert.severity}`)} `);
      const when = alert.raised_wall !== null && make("time", { "data-at": String(alert.raised_wall) });
      this.button.replaceChildren(
        make("span", { class: "alert-name" }, draw(alert), severity, make("b", {}, alert.name), standsAs && make("span", { class: "alert-state" }, standsAs), when),
        make("span", { class: "alert-says" }, alert.says),
        make("span", { class: "alert-place" }, place(alert)),
        alert.ack?.note ? make("q", { class: "alert-place" }, alert.ack.note) : "",
      );
    }

    /* ---- open and closed ---- */

    get isOpen() {
      return !this.body.hidden;
    }

    /** Opens or closes its details; a closed one keeps what it was told. */
    open(isOpen) {
      if (isOpen === this.isOpen) return;
      this.body.hidden = !isOpen;
      this.root.classList.toggle("chosen", isOpen);
      this.button.setAttribute("aria-expanded", String(isOpen));
      if (!isOpen) return;
      this.detail ??= new tidewatch.alertDetail.Detail();
      this.acts ??= new tidewatch.alertActs.Acts(this.page.run, this.page.done);
      this.links ??= make("p", { class: "alert-links" });
      tidewatch.elements.arrange(this.body, [this.links, this.acts.root, this.detail.root]);
      this.acts.show(this.alert);
      this.tellLinks();
    }

    tellLinks() {
      if (!this.links || this.linked === this.said) return;
      this.linked = this.said;
      const { rank, raised_step: step, ranks } = this.alert;
      const show = make("button", { class: "to-log", type: "button", "data-alert-do": "show" }, say("alert_show"));
      const log = make("button", { class: "to-log", type: "button", "data-log": `${rank ?? tidewatch.curves?.details?.owner_rank ?? 0}@${step}` }, say("alert_log"));
      const map = ranks.length && make("a", { href: this.mapAddress(), class: "to-log" }, say("alert_rank_map", { rank: tidewatch.numbers.count(rank) }));
      this.links.replaceChildren(...[show, log, map].filter(Boolean));
    }

    mapAddress() {
      const { rank, raised_step: step } = this.alert;
      return tidewatch.address.ofPage(this.page.run, "/ranks", `?rank=${rank}@${step}`);
    }

    /** Everything about it, once it is there. */
    async learn() {
      try {
        this.detail.show(await this.page.ask(this.alert.id));
      } catch (error) {
        this.detail.fail(error.message);
      }
    }

    /** Closes a form that is open. */
    closeForm() {
      return this.acts?.close() ?? false;
    }
  }

  tidewatch.AlertRow = Row;
})();
