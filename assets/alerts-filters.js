/* What the list of alerts is narrowed to: by rule, by severity, by rank. What is chosen is in the address. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const FILTERED_FROM = 4; // fewer alerts need no filter
  const FIELDS = { about: "alert_class", severity: "alert_severity", rank: "alert_rank" }; // names in the form and in the address

  class AlertsFilters {
    constructor(form, until) {
      this.form = form;
      form.addEventListener("input", ({ target }) => this.choose(target.name, target.value.trim()), until);
      form.addEventListener("submit", (event) => event.preventDefault(), until);
    }

    /** {about, severity, rank} as the address has them. */
    get chosen() {
      const state = tidewatch.state.get();
      return Object.fromEntries(Object.entries(FIELDS).map(([name, field]) => [name, state[field]]));
    }

    choose(name, value) {
      tidewatch.state.set({ [FIELDS[name]]: value }, { step: name === "rank" ? "slide" : true });
    }

    /** Shows what can be chosen among these alerts, and what is. */
    tell(alerts) {
      const { form, chosen } = this;
      const { about, severity, rank } = form.elements;
      const { SEVERITIES } = tidewatch.alertWords;
      form.hidden = alerts.length < FILTERED_FROM && !Object.values(chosen).some(Boolean);
      this.offer(about, chosen.about, [...new Set(alerts.map((one) => one.class))].map((one) => [one, tidewatch.words.say(`alert_class_${one}`)]));
      this.offer(severity, chosen.severity, SEVERITIES.filter((one) => alerts.some((alert) => alert.severity === one)).map((one) => [one, tidewatch.words.say(`alert_severity_${one}`)]));
      rank.closest("label").hidden = !alerts.some(({ ranks }) => ranks.length);
      if (rank !== document.activeElement) rank.value = chosen.rank;
    }

    /** The first option, which means any, stays; what a link chose is offered, too, where there is no such alert now. */
    offer(select, chosen, wanted) {
      const all = chosen && !wanted.some(([name]) => name === chosen) ? [...wanted, [chosen, chosen]] : wanted;
      const said = all.join();
      if (select.dataset.said !== said) select.replaceChildren(select.options[0], ...all.map(([name, text]) => new Option(text, name)));
      select.dataset.said = said;
      select.value = chosen;
    }
  }

  tidewatch.alertsFilters = { FIELDS: Object.values(FIELDS), AlertsFilters };
})();
