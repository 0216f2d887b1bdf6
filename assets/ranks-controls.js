/* The controls of the ranks page: which of them holds, and what metrics there are to choose from. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const TAG = "tag:";

  const plain = (metric) => (metric.startsWith(TAG) ? metric.slice(TAG.length) : tidewatch.ranksSays.metric(metric));
  const countOf = ({ ranks }) => ranks.reduce((sum, [first, last]) => sum + last - first + 1, 0);

  /** What several ranks have, of the list of /tags: [{value, text}]. Pure but for words. */
  function options(all) {
    return all.filter((one) => countOf(one) > 1).map(({ metric, tag }) => (metric ? { value: metric, text: plain(metric) } : { value: TAG + tag, text: tag }));
  }

  class RanksControls {
    constructor(page) {
      this.page = page;
      this.select = page.querySelector("#ranks-metric");
    }

    /** `now`: {by, show, x, metric, isWhole}. */
    tell(now) {
      for (const name of ["by", "show", "x"]) this.press(name, now[name]);
      this.page.querySelector("[data-all]").hidden = now.isWhole;
      if (![...this.select.options].some(({ value }) => value === now.metric)) this.select.add(new Option(plain(now.metric), now.metric));
      this.select.value = now.metric;
    }

    press(name, value) {
      for (const button of this.page.querySelectorAll(`[data-${name}]`)) button.setAttribute("aria-pressed", String(button.dataset[name] === value));
    }

    /** Every metric and tag that several ranks have. */
    async offer(run, metric, signal) {
      const found = options(await tidewatch.answers.json(tidewatch.address.ofRun(run, "/tags"), signal));
      if (!found.some(({ value }) => value === metric)) found.unshift({ value: metric, text: plain(metric) });
      this.select.replaceChildren(...found.map(({ value, text }) => new Option(text, value)));
      this.select.value = metric;
    }
  }

  tidewatch.ranksControls = { RanksControls, options };
})();
