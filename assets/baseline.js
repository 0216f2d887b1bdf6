/* Earlier runs behind the live curve: a corridor that the server works out, drawn by the curves, and a sentence of how far
   the run is behind it or ahead. Which runs is in the address: base=a,b. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const MOST = 20;
  const CELLS = 600; // of the corridor: a panel is some thousand pixels wide
  const AGAIN_MS = 10_000; // the sentence follows a live run; a corridor hardly changes
  const SHOWN = 100; // runs in the dialog before a search narrows them
  const SPELLED = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity };
  const BY_TOKENS = ["tokens", "samples"]; // axes on which runs of unlike batches are put side by side by what they saw

  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);
  const value = (number) => tidewatch.numbers.value(number);

  /** The sentence for an answer: {key, values, tone}. Pure. */
  function verdict({ behind }) {
    const { steps, step, value: now, enough, reason } = behind;
    const values = { steps: count(Math.abs(steps ?? 0)), step: step === null ? "" : count(step), value: value(now) };
    if (reason === "noisy") return { key: steps === 0 ? "baseline_level" : "baseline_noisy", values, tone: "" };
    if (steps === null) return { key: `baseline_${reason}`, values, tone: reason === "below_best" ? "good" : "" };
    if (steps === 0 || !enough) return { key: "baseline_level", values, tone: "" };
    return steps > 0 ? { key: "baseline_behind", values, tone: "warn" } : { key: "baseline_ahead", values, tone: "good" };
  }

  class Baseline {
    constructor(line) {
      this.line = line;
      this.run = line.closest("[data-run]").dataset.run;
      this.find = (id) => line.querySelector(`#baseline-${id}`);
      this.ended = new AbortController();
      const until = { signal: this.ended.signal };
      line.addEventListener("click", (event) => this.click(event), until);
      line.addEventListener("input", (event) => event.target.type === "search" && this.list(), until);
      document.addEventListener("tidewatch:state", ({ detail }) => ["base", "x"].some((one) => detail.changed.has(one)) && this.read(), until);
      document.addEventListener("tidewatch:curves", () => this.draw(), until);
      document.addEventListener("tidewatch:refresh", () => this.read(), until);
      document.addEventListener("visibilitychange", () => this.read(), until);
      this.read();
    }

    end() {
      this.ended.abort();
      this.reading?.abort();
      clearTimeout(this.timer);
    }

    get chosen() {
      return tidewatch.state.get().base;
    }

    /* ---- the corridor ---- */

    async read() {
      clearTimeout(this.timer);
      this.reading?.abort();
      if (!this.chosen.length) return this.take(null);
      if (document.hidden) return;
      const reading = (this.reading = new AbortController());
      if (!this.answer) this.tell(say("baseline_waiting"));
      try {
        this.take(await this.ask(reading.signal));
      } catch (error) {
        if (!reading.signal.aborted) this.tell(say("baseline_failed", { reason: error.message }), "warn");
      }
      if (!reading.signal.aborted) this.timer = setTimeout(() => this.read(), AGAIN_MS);
    }

    /** By tokens where the page counts in them and the runs say how many a step has, else by step. */
    async ask(signal) {
      const query = { runs: this.chosen.join(","), metric: "loss", points: CELLS };
      if (BY_TOKENS.includes(tidewatch.state.get().x)) {
        const answer = await fetch(tidewatch.address.ofRun(this.run, "/baseline", { ...query, x: "tokens" }), { signal });
        if (answer.ok) return answer.json();
      }
      return tidewatch.answers.json(tidewatch.address.ofRun(this.run, "/baseline", query), signal);
    }

    take(answer) {
      this.answer = answer;
      this.draw();
      if (!answer) return this.tell("");
      const { key, values, tone } = verdict(answer);
      const gone = [...answer.missing, ...answer.without];
      const said = answer.n || !gone.length ? [say(key, values)] : [];
      if (gone.length) said.push(say("baseline_gone", { names: gone.join(", ") }));
      this.tell(said.join(" "), gone.length ? "warn" : tone);
    }

    draw() {
      const { answer } = this;
      const drawn = answer?.n ? [{ ...answer, name: say("baseline_corridor"), metric: "loss" }] : [];
      tidewatch.curves?.setBaselines?.(drawn);
    }

    tell(text, tone = "") {
      const said = this.find("said");
      if (said.textContent !== text) said.textContent = text;
      said.className = `baseline-said ${tone}`;
      said.title = this.chosen.length ? say("baseline_of", { names: this.chosen.join(", ") }) : "";
      this.find("open").setAttribute("aria-pressed", String(this.chosen.length > 0));
    }

    /* ---- the dialog ---- */

    click(event) {
      const dialog = this.find("dialog");
      const id = event.target.closest("button")?.id;
      if (id === "baseline-open") this.open();
      if (id === "baseline-close" || event.target === dialog) dialog.close();
      if (id === "baseline-clear") this.choose([]);
      if (id === "baseline-draw") this.choose([...this.ticked]);
      if (event.target.type === "checkbox") this.tick(event.target);
    }

    choose(runs) {
      this.find("dialog").close();
      this.answer = null;
      tidewatch.state.set({ base: runs });
    }

    tick(box) {
      if (box.checked) this.ticked.add(box.value);
      else this.ticked.delete(box.value);
      this.list();
    }

    async open() {
      this.ticked = new Set(this.chosen);
      this.find("search").replaceChildren(Object.assign(document.createElement("input"), {
        type: "search", placeholder: say("baseline_search"), ariaLabel: say("baseline_search"),
      }));
      this.find("dialog").showModal();
      try {
        const answer = await fetch(tidewatch.address.of("api/runs"), { signal: this.ended.signal });
        const runs = await answer.json();
        this.runs = runs.filter(({ id }) => id !== this.run).sort((one, other) => (other.started ?? 0) - (one.started ?? 0));
      } catch {
        this.runs ??= [];
      }
      this.list();
    }

    /** The runs that are ticked, then the newest that have the words of the search in their name. */
    list() {
      if (!this.runs) return;
      const words = this.find("search").firstChild.value.toLowerCase().split(/\s+/).filter(Boolean);
      const fits = ({ id, name }) => this.ticked.has(id) || words.every((word) => `${name} ${id}`.toLowerCase().includes(word));
      const shown = this.runs.filter(fits).slice(0, SHOWN);
      const host = this.find("choices");
      const focused = document.activeElement?.value;
      const { element } = tidewatch.compareTable;
      host.replaceChildren(...(shown.length ? shown.map((one) => this.choice(one)) : [element("li", { class: "hint", text: say("baseline_none") })]));
      if (focused && !document.activeElement.closest?.("dialog")) host.querySelector(`[value="${CSS.escape(focused)}"]`)?.focus();
    }

    choice({ id, name, step, loss }) {
      const { element } = tidewatch.compareTable;
      const box = element("input", { type: "checkbox", value: id, disabled: !this.ticked.has(id) && this.ticked.size >= MOST });
      box.checked = this.ticked.has(id);
      const said = [step === null ? "" : say("at_step", { step: count(step) }), loss === null ? "" : value(SPELLED[loss] ?? loss)];
      const hint = element("span", { class: "hint", text: said.filter(Boolean).join(" · ") });
      return element("li", {}, [element("label", {}, [box, element("span", { text: name }), hint])]);
    }
  }

  (tidewatch.mounts ??= []).push({
    selector: ".baseline",
    start: (line) => {
      if (tidewatch.frozen.is) return () => {}; // other runs are not shared with it
      const baseline = new Baseline(line);
      return () => baseline.end();
    },
  });

  tidewatch.baseline = { verdict };
})();
