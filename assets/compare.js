/* The compare page: reads what the address asks for, draws it, and looks again while one of the runs is still going. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const FEWEST = 2;
  const MOST = 20;
  const LOOK_MS = 3_000; // while a run is going; a slow answer makes it longer, so that half of the time nobody works
  const IDLE_MS = 30_000; // when all are over one may still be taken up again
  const BUDGET = 24_000; // points drawn in all: SVG lines stay quick
  const OVER = ["finished", "failed"];

  const say = (key, values) => tidewatch.words.say(key, values);
  const fewest = (points) => Math.max(300, Math.min(2_000, points));

  const json = (path, query, signal) => tidewatch.answers.json(tidewatch.address.of(path, query), signal);

  /** `metric` or `tag` for the API, from a panel's name. Pure. */
  const asked = (name) => (name.startsWith("tag:") ? { tag: name.slice(4) } : { metric: name || "loss" });

  class Compare {
    constructor(page) {
      this.page = page;
      this.ended = new AbortController();
      this.held = new Map(); // run → {answer, key}: what was read of a run that is over need not be read again
      this.state = tidewatch.compareState.decode(location.search);
      this.find = (id) => page.querySelector(`#compare-${id}`);
      this.makeFields();
      this.listen({ signal: this.ended.signal });
      this.tellControls();
      this.look();
      this.readSettings();
    }

    end() {
      this.ended.abort();
      this.loading?.abort();
      clearTimeout(this.timer);
      if (this.graph) Promise.resolve(this.drawing).finally(() => Plotly.purge(this.graph)); // a drawing that goes on still needs it
    }

    /* ---- what the reader does ---- */

    /** Fields that React would put back to what it knows are made here. */
    makeFields() {
      const { element } = tidewatch.compareTable;
      const slider = element("input", { type: "range", id: "compare-smooth", min: 0, max: 0.999, step: 0.001, value: this.state.smooth });
      this.find("smoothing").replaceChildren(slider, element("output", { for: "compare-smooth" }));
      const search = element("input", { type: "search", id: "compare-words", placeholder: say("setting_search"), "aria-label": say("setting_search"), value: this.state.setting });
      this.find("search").replaceChildren(search);
    }

    listen(until) {
      this.page.addEventListener("click", (event) => this.click(event.target.closest("button")), until);
      this.page.addEventListener("input", (event) => this.input(event.target), until);
      this.page.addEventListener("change", (event) => event.target.id === "compare-metric" && this.set({ metric: event.target.value, view: null }), until);
      for (const kind of ["pointerover", "focusin"]) this.page.addEventListener(kind, (event) => this.forward(event), until);
      for (const kind of ["pointerout", "focusout"]) this.page.addEventListener(kind, () => this.forward(null), until);
      document.addEventListener("visibilitychange", () => document.hidden || this.look(), until);
      document.addEventListener("tidewatch:theme", () => this.draw(), until);
      document.addEventListener("tidewatch:refresh", () => this.look(), until);
      addEventListener("popstate", () => this.again(), until);
      this.resized = new ResizeObserver(() => this.draw());
      this.resized.observe(this.find("figure"));
      until.signal.addEventListener("abort", () => this.resized.disconnect());
    }

    click(button) {
      if (!button) return;
      if (button.dataset.x) this.set({ x: button.dataset.x, view: null });
      if (button.id === "compare-log") this.set({ log: !this.state.log });
      if (button.id === "compare-all") this.set({ all: !this.state.all });
      if (button.id === "compare-reset") this.set({ view: null });
      if (button.dataset.show) {
        const { hide } = this.state;
        const run = button.dataset.show;
        this.set({ hide: hide.includes(run) ? hide.filter((one) => one !== run) : [...hide, run] });
      }
    }

    input(target) {
      if (target.id === "compare-smooth") this.set({ smooth: Number(target.value) }, { step: "slide" });
      if (target.id === "compare-words") this.set({ setting: target.value }, { step: "slide" });
    }

    /** Changes the view, and the address with it; `step` as in trail.js. */
    set(changes, { step = true } = {}) {
      this.state = { ...this.state, ...changes };
      tidewatch.trail.go(tidewatch.compareState.encode(this.state, location.search), step, Object.keys(changes).join());
      this.changed(new Set(Object.keys(changes)));
    }

    /** The browser's back and forward buttons. */
    again() {
      if (!this.page.isConnected || !location.pathname.endsWith("/compare")) return;
      this.state = tidewatch.compareState.decode(location.search);
      this.find("smooth").value = this.state.smooth;
      this.find("words").value = this.state.setting;
      this.changed(new Set(["x", "all"]));
    }

    changed(fields) {
      this.tellControls();
      if (["x", "metric", "view", "runs"].some((one) => fields.has(one))) this.look();
      else if (!fields.has("setting")) this.draw();
      if (fields.has("all")) this.readSettings();
      else if (fields.has("setting")) this.fillSettings();
      if (fields.has("hide")) this.tell();
    }

    /* ---- reading ---- */

    /** Reads everything that may have changed, and draws it; of two at the same time the later one wins. */
    async look() {
      if (document.hidden) return;
      clearTimeout(this.timer);
      this.loading?.abort();
      const { runs } = this.state;
      if (runs.length < FEWEST || runs.length > MOST) return this.refuse();
      const loading = (this.loading = new AbortController());
      const began = performance.now();
      try {
        const info = await json("api/compare", { runs: runs.join(","), x: this.state.x, ...asked(this.state.metric) }, loading.signal);
        const names = tidewatch.compareFigure.panels(this.state.metric, info.metrics);
        const lines = await Promise.all(info.runs.map((run) => this.read(run, names, loading.signal)));
        if (this.loading !== loading) return;
        Object.assign(this, { info, names, lines, failed: null });
      } catch (error) {
        if (loading.signal.aborted) return;
        this.failed = error.message;
      }
      this.tell();
      await this.draw();
      this.lookLater(performance.now() - began);
    }

    lookLater(cost) {
      const going = this.failed || this.info.runs.some((one) => !OVER.includes(one.status));
      if (!this.ended.signal.aborted) this.timer = setTimeout(() => this.look(), going ? Math.max(LOOK_MS, 2 * cost) : IDLE_MS);
    }

    /** The curves of one run: [{run, index, curves: Map(panel → curve)}]. */
    async read(run, names, signal) {
      const index = this.state.runs.indexOf(run.run);
      const query = { points: fewest(Math.round(BUDGET / this.state.runs.length / Math.max(1, names.length))), ...tidewatch.compareFigure.window(this.state.view, run, this.state.x) };
      const key = JSON.stringify([names, query, run.last]);
      const known = this.held.get(run.run);
      if (known?.key === key && OVER.includes(run.status)) return { run, index, curves: known.curves };
      const answer = names.length ? await tidewatch.columns.load(run.run, names, query, signal) : { curves: [] };
      const curves = new Map(answer.curves.map((curve) => [tidewatch.columns.nameOf(curve), curve]));
      this.held.set(run.run, { key, curves });
      return { run, index, curves };
    }

    async readSettings() {
      const { runs, all } = this.state;
      if (runs.length < FEWEST || runs.length > MOST) return;
      try {
        this.settings = await json("api/compare/configuration", { runs: runs.join(","), all: all ? 1 : "" }, this.ended.signal);
        this.fillSettings();
      } catch (error) {
        if (!this.ended.signal.aborted) this.find("settings").textContent = say("compare_away", { reason: error.message });
      }
    }

    fillSettings() {
      if (this.settings) tidewatch.compareSettings.fill(this.find("settings"), this.settings, this.state.setting);
    }

    /* ---- showing ---- */

    async draw() {
      await tidewatch.library.ready();
      if (this.ended.signal.aborted) return;
      const host = this.find("figure");
      if (!this.info || !host.clientWidth) return;
      const titles = { x: say(`compare_x_${this.state.x}`), panel: (name) => this.title(name) };
      const options = { colour: tidewatch.theme.colour, titles, width: host.clientWidth };
      const { data, layout } = tidewatch.compareFigure.figure(this.lines, this.names, this.state, options);
      if (!this.graph) this.prepare(host);
      await (this.drawing = Plotly.react(this.graph, data, layout, { displayModeBar: false, doubleClick: false, responsive: false, scrollZoom: false }));
      if (this.graph.on && !this.heard) this.hear();
      this.page.dataset.drawn = String(data.filter((one) => one.visible).length);
    }

    prepare(host) {
      this.graph = host.appendChild(document.createElement("div"));
    }

    hear() {
      this.heard = true;
      this.graph.on("plotly_relayout", (event) => {
        const ends = event["xaxis.range"] ?? [event["xaxis.range[0]"], event["xaxis.range[1]"]];
        if (ends.every((one) => one !== undefined)) this.set({ view: ends.map((one) => Number(Number(one).toPrecision(12))) });
      });
      this.graph.on("plotly_doubleclick", () => this.state.view && this.set({ view: null }));
    }

    title(name) {
      if (name.startsWith("tag:")) return name.slice(4);
      const said = say(`metric_${name}`);
      return said === `metric_${name}` ? name : said;
    }

    /** The line of the name that is pointed at comes forward; the others fade. */
    forward(event) {
      const run = event?.target.closest?.("[data-line]")?.dataset.line ?? null;
      if (run === this.foremost || !this.graph?.data?.length) return;
      this.foremost = run;
      const opacity = this.graph.data.map((one) => (run === null || one.meta.run === run ? 1 : 0.15));
      const width = this.graph.data.map((one) => (one.meta.run === run ? 2.6 : 1.6));
      Plotly.restyle(this.graph, { opacity, "line.width": width });
    }

    refuse() {
      const { runs } = this.state;
      const words = runs.length < FEWEST ? say("compare_few") : say("compare_many", { most: MOST, count: runs.length });
      this.notice([words]);
      this.page.dataset.state = "refused";
    }

    tell() {
      const { info } = this;
      this.page.dataset.state = info ? "shown" : "waiting";
      this.notice(this.sentences());
      if (!info) return;
      this.fillMetrics();
      const common = info.common === null ? say("compare_common_none") : say(`compare_common_${info.x}`, { at: this.place(info.common) });
      tidewatch.compareTable.fill(this.find("table"), info, { hide: this.state.hide, common, order: this.state.runs });
    }

    place(at) {
      return this.info.x === "tokens" ? tidewatch.numbers.compact(at, { digits: 4 }) : tidewatch.numbers.count(at);
    }

    /** What is not as it was asked for, each in a sentence with what to do. */
    sentences() {
      const { info, failed } = this;
      const said = failed ? [say("compare_away", { reason: failed })] : [];
      if (!info) return said;
      const names = (runs) => runs.map((one) => one.name).join(", ");
      if (info.missing.length) said.push(say("compare_missing", { names: info.missing.join(", ") }));
      const without = info.runs.filter((one) => one.first_step === null);
      if (without.length) said.push(say("compare_without", { names: names(without), metric: this.title(this.state.metric || "loss") }));
      const tokenless = info.x === "tokens" ? info.runs.filter((one) => !one.tokens_per_step) : [];
      if (tokenless.length) said.push(say("compare_tokenless", { names: names(tokenless) }));
      return said;
    }

    notice(sentences) {
      const { element } = tidewatch.compareTable;
      const text = sentences.join("\n");
      const host = this.find("notice");
      if (host.dataset.said === text) return;
      host.dataset.said = text;
      host.replaceChildren(...sentences.map((sentence) => element("p", { text: sentence })));
    }

    /** The choice of panels: the usual ones, then every metric and tag, each with how many of the runs have it. */
    fillMetrics() {
      const { element } = tidewatch.compareTable;
      const select = this.find("metric");
      const { metrics, runs } = this.info;
      const option = ({ kind, name, runs: having }) => {
        const value = kind === "tag" ? `tag:${name}` : name;
        const title = this.title(value);
        return element("option", { value, text: having === runs.length ? title : say("compare_having", { title, count: having, all: runs.length }) });
      };
      const key = JSON.stringify(metrics);
      if (select.dataset.key !== key) {
        select.dataset.key = key;
        select.replaceChildren(element("option", { value: "", text: say("compare_usual") }), ...metrics.map(option));
      }
      if (![...select.options].some((one) => one.value === this.state.metric)) {
        select.append(element("option", { value: this.state.metric, text: this.title(this.state.metric) }));
      }
      select.value = this.state.metric;
    }

    tellControls() {
      const { state } = this;
      const press = (button, pressed) => button.setAttribute("aria-pressed", String(pressed));
      for (const button of this.page.querySelectorAll("button[data-x]")) press(button, button.dataset.x === state.x);
      press(this.find("log"), state.log);
      press(this.find("all"), state.all);
      this.find("reset").hidden = !state.view;
      this.page.querySelector("output[for=compare-smooth]").textContent = state.smooth ? String(state.smooth) : say("off");
    }
  }

  (tidewatch.mounts ??= []).push({
    selector: "[data-compare]",
    start: (page) => {
      const compare = new Compare(page);
      return () => compare.end();
    },
  });

  tidewatch.Compare = Compare;
})();
