/* Two cards below the map: who was first, and the odd ones out by their error lines. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const KINDS = ["nan", "inf", "spike", "stall"];
  const SHOWN = 24; // ranks that followed, and groups of errors
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);
  const element = (...parts) => tidewatch.ranksPanel.element(...parts);

  const logButton = (rank, step) => element("button", { class: "to-log", type: "button", "data-log": `${rank}@${step ?? 0}`, "aria-label": say("ranks_log_of", { rank: count(rank), step: count(step ?? 0) }) }, say("ranks_log_short"));
  const rankButton = (rank) => element("button", { class: "ranks-link", type: "button", "data-rank": rank }, say("ranks_rank", { rank: count(rank) }));

  class FirstCard {
    /** `ask(what, at)` → the answer of /ranks/first; `acts`: choose(rank, step), what(kind), at(step). */
    constructor(root, ask, acts, until) {
      Object.assign(this, { root, ask, acts });
      this.body = root.querySelector(".ranks-first");
      this.at = root.querySelector("input");
      root.addEventListener("click", (event) => this.clicked(event.target.closest("button")), until);
      root.querySelector("form").addEventListener("submit", (event) => this.submitted(event), until);
    }

    clicked(button) {
      if (button?.dataset.what) this.acts.what(button.dataset.what);
      if (button?.dataset.rank) this.acts.choose(Number(button.dataset.rank), Number(button.dataset.step));
    }

    submitted(event) {
      event.preventDefault();
      const said = this.at.value.trim();
      const at = said && String(Math.trunc(Number(said)));
      if (at === this.shownAt) this.load(this.what, at);
      else this.acts.at(at);
    }

    /** What was asked for, or, with nothing chosen, the first of the kinds that there is; `at`: up to which step. */
    async load(what, at) {
      this.asking?.abort();
      const asking = (this.asking = new AbortController());
      Object.assign(this, { what, shownAt: at });
      if (this.at.value.trim() !== at) this.at.value = at;
      try {
        for (const kind of what ? [what] : KINDS) {
          const answer = await this.ask(kind, at, asking.signal);
          if (this.asking !== asking) return;
          this.show(kind, answer);
          if (answer.first.length) return;
        }
        if (!what) this.mark(""), this.empty("");
      } catch (error) {
        if (!asking.signal.aborted) this.body.replaceChildren(element("p", { class: "hint" }, error.message));
      }
    }

    mark(kind) {
      for (const button of this.root.querySelectorAll("[data-what]")) button.setAttribute("aria-pressed", String(button.dataset.what === kind));
    }

    empty(kind) {
      this.body.replaceChildren(element("p", { class: "hint" }, say(kind ? `ranks_first_no_${kind}` : "ranks_first_none")));
    }

    show(kind, { first, followed }) {
      this.mark(kind);
      if (!first.length) return this.empty(kind);
      const list = element("ol", {}, ...first.slice(0, SHOWN).map((one) => this.row(one)));
      const parts = [element("p", {}, this.headline(kind, first)), list];
      if (followed.length) parts.push(element("h3", {}, say("ranks_followed", { count: count(followed.length) })), this.followers(followed));
      return this.body.replaceChildren(...parts);
    }

    headline(kind, first) {
      const [{ rank, step }] = first;
      const same = first.filter((one) => one.step === step).length;
      return say(same > 1 ? `ranks_first_${kind}_several` : `ranks_first_${kind}`, { rank: count(rank), step: count(step), count: count(same) });
    }

    row({ rank, host, step, tag, wall, value }) {
      const clock = Number.isFinite(wall) && wall !== null ? element("span", { class: "clock" }, tidewatch.ticks.clock(wall)) : "";
      const parts = [say("ranks_at_step", { step: count(step) }), tag, clock, host, tidewatch.ranksSays.value(value)].filter(Boolean);
      const told = parts.flatMap((one, k) => (k ? [" · ", one] : [one]));
      const button = rankButton(rank);
      button.dataset.step = step;
      return element("li", {}, button, element("span", { class: "hint" }, ...told), logButton(rank, step));
    }

    followers(followed) {
      const buttons = followed.slice(0, SHOWN).map(({ rank, step }) => {
        const button = element("button", { class: "ranks-other", type: "button", "data-rank": rank, "data-step": step, title: say("ranks_at_step", { step: count(step) }) }, count(rank));
        button.setAttribute("aria-label", `${say("ranks_rank", { rank: count(rank) })}${say("comma")}${say("ranks_at_step", { step: count(step) })}`);
        return button;
      });
      const left = followed.length - buttons.length;
      return element("div", { class: "ranks-others" }, ...buttons, left > 0 ? element("span", { class: "hint" }, say("ranks_and_more", { count: count(left) })) : "");
    }
  }

  class ErrorsCard {
    /** `ask()` → the answer of /ranks/errors; `acts`: choose(rank, step). */
    constructor(root, ask, acts, until) {
      Object.assign(this, { root, ask, acts });
      this.body = root.querySelector(".ranks-errors");
      root.addEventListener("click", (event) => this.clicked(event.target.closest("[data-rank]")), until);
    }

    clicked(button) {
      if (button) this.acts.choose(Number(button.dataset.rank), Number(button.dataset.step) || undefined);
    }

    async load(signal) {
      try {
        const { groups } = await this.ask(signal);
        this.body.replaceChildren(...(groups.length ? this.told(groups) : [element("p", { class: "hint" }, say("ranks_errors_none"))]));
      } catch (error) {
        if (!signal.aborted) this.body.replaceChildren(element("p", { class: "hint" }, error.message));
      }
    }

    told(groups) {
      const items = groups.slice(0, SHOWN).map((one) => this.group(one));
      const left = groups.length - items.length;
      return [element("ol", {}, ...items), left > 0 ? element("p", { class: "hint" }, say("ranks_and_more", { count: count(left) })) : ""].filter(Boolean);
    }

    /** A traceback as Python writes it, without the lines of source: outermost first, the exception last. */
    trace({ frames, trace, line }) {
      const places = frames.map(({ file, line: at, function: name }) => `${file}:${at}  ${name}`);
      return frames.length || trace ? element("details", {}, element("summary", {}, say("ranks_trace")), element("pre", {}, [...places, trace || line].join("\n"))) : "";
    }

    group({ ranks, count: number, line, first, ...told }) {
      const spans = Array.isArray(ranks[0]) ? ranks : tidewatch.ranksTree.spans(ranks);
      const who = number === 1 ? say("ranks_error_one", { rank: count(first.rank) }) : say("ranks_error_many", { count: count(number), ranks: tidewatch.tags.rankText(spans.slice(0, SHOWN)) });
      const button = rankButton(first.rank);
      button.dataset.step = first.step ?? "";
      return element("li", {}, element("p", { class: "who" }, who), element("code", {}, line), this.trace({ line, ...told }), element("p", {}, button, logButton(first.rank, first.step)));
    }
  }

  tidewatch.ranksCards = { KINDS, FirstCard, ErrorsCard };
})();
