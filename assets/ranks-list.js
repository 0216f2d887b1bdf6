/* The list of ranks with their states: what is odd first. It is the map for readers of screens, too. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SHOWN = 50; // rows at first, and so many more with each press
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);
  const stateOf = ({ state }) => state || "ok";

  /** How many ranks are in each state, gravest first: [[state, count], …]. Pure. */
  function counted(ranks) {
    const { STATES } = tidewatch.ranksSays;
    const found = new Map(STATES.map((state) => [state, 0]));
    for (const rank of ranks) found.set(stateOf(rank), (found.get(stateOf(rank)) ?? 0) + 1);
    return [...found].filter(([, number]) => number);
  }

  /** Ranks that the filter lets through, gravest state first, then by number; "odd" = every state that wants a look. Pure. */
  function listed(ranks, filter) {
    const { STATES } = tidewatch.ranksSays;
    const weight = (rank) => STATES.indexOf(stateOf(rank));
    const passes = (rank) => !filter || (filter === "odd" ? tidewatch.ranksHeld.isOdd(rank) : stateOf(rank) === filter);
    return ranks.filter(passes).sort((one, other) => weight(one) - weight(other) || one.rank - other.rank);
  }

  class RanksList {
    /** `acts`: choose(rank), filter(state), more(count). */
    constructor(root, acts, until) {
      Object.assign(this, { root, acts, told: "" });
      this.select = root.querySelector("select");
      this.body = root.querySelector(".ranks-list");
      this.select.addEventListener("change", () => acts.filter(this.select.value), until);
      root.addEventListener("click", (event) => this.clicked(event.target.closest("button")), until);
    }

    clicked(button) {
      if (button?.dataset.rank) this.acts.choose(Number(button.dataset.rank));
      if (button?.dataset.do === "more") this.acts.more(this.most + SHOWN);
    }

    show(ranks, filter, layout, most = SHOWN) {
      Object.assign(this, { filter, layout, most });
      const states = counted(ranks);
      const odd = ranks.filter(tidewatch.ranksHeld.isOdd).length;
      const told = JSON.stringify([states, filter, this.most, ranks.filter(tidewatch.ranksHeld.isOdd)]);
      if (told === this.told) return;
      this.told = told;
      this.offer(states, odd, ranks.length, filter);
      this.fill(listed(ranks, filter));
    }

    offer(states, odd, all, filter) {
      const options = [["", say("ranks_filter_all", { count: count(all) })], ["odd", say("ranks_filter_odd", { count: count(odd) })]];
      options.push(...states.map(([state, number]) => [state, `${tidewatch.ranksSays.stateWord(state)} (${count(number)})`]));
      if (filter && !options.some(([state]) => state === filter)) options.push([filter, tidewatch.ranksSays.stateWord(filter)]);
      this.select.replaceChildren(...options.map(([state, text]) => new Option(text, state)));
      this.select.value = filter;
    }

    fill(ranks) {
      const { element } = tidewatch.ranksPanel;
      if (!ranks.length) return this.body.replaceChildren(element("p", { class: "hint" }, say(this.filter === "odd" ? "ranks_none_odd" : "ranks_none_such")));
      const head = element("tr", {}, ...["rank", "state"].map((name) => element("th", { scope: "col" }, say(`ranks_head_${name}`))));
      const rows = ranks.slice(0, this.most).map((rank) => this.row(rank));
      const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
      const left = ranks.length - rows.length;
      const more = left > 0 ? element("button", { class: "button", type: "button", "data-do": "more" }, say("ranks_more", { count: count(left) })) : "";
      return this.body.replaceChildren(table, more);
    }

    row(rank) {
      const { element, badge } = tidewatch.ranksPanel;
      const where = [rank.host, tidewatch.ranksSays.place(rank, this.layout)].filter(Boolean).join(say("comma"));
      const link = element("button", { class: "ranks-link", type: "button", "data-rank": rank.rank }, say("ranks_rank", { rank: count(rank.rank) }));
      const why = tidewatch.ranksSays.evidence(rank);
      return element("tr", {}, element("th", { scope: "row" }, link, element("div", { class: "hint" }, where)), element("td", {}, badge(stateOf(rank)), why && element("div", { class: "why" }, why)));
    }
  }

  tidewatch.ranksList = { RanksList, counted, listed };
})();
