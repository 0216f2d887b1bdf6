/* Beside the map: the chosen rank at its step. Its curve against its group's, the way to its log, its node's other ranks. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const COLUMNS = 300;
  const NEAR = 64; // ranks of its node that are listed
  const MOST = 128; // ranks of a group that make its band
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);

  /** An element with what is in it; `attributes` as they are spelled in HTML. */
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== undefined) made.setAttribute(name, value);
    made.append(...children.filter((one) => one !== null && one !== undefined && one !== ""));
    return made;
  }

  const badge = (state) => element("span", { class: `status ${tidewatch.ranksSays.TONES[state] ?? (state === "ok" ? "good" : "")}`.trim() }, tidewatch.ranksSays.stateWord(state));

  /** Ranks to be asked for a band: the group's, the nearest ones of a large group, the chosen one among them. Pure. */
  function fellows(ranks, chosen, most = MOST) {
    const near = (one) => Math.abs(one.rank - chosen.rank);
    const group = ranks.filter(({ group: found }) => found === chosen.group);
    return group.sort((one, other) => near(one) - near(other)).slice(0, most).map(({ rank }) => rank);
  }

  class RanksPanel {
    /** `page`: {run}; `ask(query)` → a block of ranks; `acts`: close(), choose(rank). */
    constructor(root, ask, acts, until) {
      Object.assign(this, { root, ask, acts, shown: "" });
      this.body = root.querySelector(".ranks-chosen");
      root.addEventListener("click", (event) => this.clicked(event.target.closest("button")), until);
    }

    clicked(button) {
      if (button?.dataset.do === "close") this.acts.close();
      if (button?.dataset.rank) this.acts.choose(Number(button.dataset.rank));
    }

    clear() {
      this.shown = "";
      this.asking?.abort();
      this.body.replaceChildren(element("p", { class: "hint" }, say("ranks_choose")));
    }

    /** `rank` of `ranks` (what is known of each) at a step; `view`: {layout, start, end, metric, isComparable}. */
    async show(ranks, rank, step, view) {
      const chosen = ranks.find((one) => one.rank === rank);
      if (!chosen) return this.body.replaceChildren(element("p", { class: "hint" }, say("ranks_no_such", { rank: count(rank) })));
      const wanted = JSON.stringify([rank, step, view.metric, view.start, view.end]);
      if (wanted === this.shown) return undefined;
      this.shown = wanted;
      this.picture = element("div", { class: "ranks-picture" });
      this.body.replaceChildren(...this.told(ranks, chosen, step, view.layout));
      return this.draw(ranks, chosen, step, view);
    }

    told(ranks, chosen, step, layout) {
      const where = [chosen.host, tidewatch.ranksSays.place(chosen, layout)].filter(Boolean).join(say("comma"));
      const evidence = tidewatch.ranksSays.evidence(chosen);
      const log = { class: "button", type: "button", "data-log": `${chosen.rank}@${step}` };
      return [
        element("div", { class: "ranks-who" },
          element("h3", {}, say("ranks_rank", { rank: count(chosen.rank) })), badge(chosen.state ?? "ok"),
          element("button", { class: "button icon-button", type: "button", "data-do": "close", "aria-label": say("ranks_close"), title: say("ranks_close") }, "✕")),
        where && element("p", { class: "hint" }, where),
        evidence && element("p", {}, evidence),
        this.picture,
        element("p", {}, element("button", log, say("ranks_log", { step: count(step) }))),
        this.neighbours(ranks, chosen),
      ].filter(Boolean);
    }

    neighbours(ranks, chosen) {
      const others = ranks.filter((one) => one.host === chosen.host && one.rank !== chosen.rank).slice(0, NEAR);
      if (!chosen.host) return element("p", { class: "hint" }, say("ranks_host_unknown"));
      const title = element("h4", {}, say("ranks_same_node", { node: chosen.host }));
      const buttons = others.map((one) => this.button(one));
      return element("div", { class: "ranks-node" }, title, others.length ? element("div", { class: "ranks-others" }, ...buttons) : element("p", { class: "hint" }, say("ranks_alone")));
    }

    button({ rank, state }) {
      const word = tidewatch.ranksSays.stateWord(state ?? "ok");
      const tone = tidewatch.ranksSays.TONES[state] ?? "";
      return element("button", { class: `ranks-other ${tone}`.trim(), type: "button", "data-rank": rank, title: word, "aria-label": `${say("ranks_rank", { rank: count(rank) })}${say("comma")}${word}` }, `${count(rank)}${tone ? " !" : ""}`);
    }

    async draw(ranks, chosen, step, view) {
      this.asking?.abort();
      const asking = (this.asking = new AbortController());
      this.picture.replaceChildren(element("p", { class: "hint" }, say("ranks_reading")));
      const query = { fold: "none", columns: COLUMNS, ranks: tidewatch.ranksTree.spans(fellows([...ranks], chosen)), start: view.start, end: view.end };
      try {
        const block = await this.ask(query, asking.signal);
        const own = block.rows.findIndex(({ rank }) => rank === chosen.rank);
        if (own < 0 || !block.m) return this.picture.replaceChildren(element("p", { class: "hint" }, say("ranks_no_values")));
        this.picture.replaceChildren(tidewatch.ranksCurve.drawn(block, own, step, this.caption(chosen, block)), this.legend(chosen, block));
      } catch (error) {
        if (!asking.signal.aborted) this.picture.replaceChildren(element("p", { class: "hint" }, error.message));
      }
      return undefined;
    }

    caption({ rank }, { rows }) {
      return rows.length > 1 ? say("ranks_curve_of", { rank: count(rank), others: count(rows.length - 1) }) : say("ranks_curve_alone", { rank: count(rank) });
    }

    legend(chosen, block) {
      const key = (name, text) => element("span", {}, element("i", { class: `key ${name}` }), text);
      const parts = [key("own", say("ranks_rank", { rank: count(chosen.rank) }))];
      if (block.rows.length > 1) parts.push(key("band", say("ranks_band", { others: count(block.rows.length - 1) })));
      return element("p", { class: "ranks-keys hint" }, ...parts, block.rows.length > 1 ? "" : say("ranks_nobody_like"));
    }
  }

  tidewatch.ranksPanel = { RanksPanel, element, badge, fellows };
})();
