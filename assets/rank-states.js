/* The rank card of a run's page: how many ranks are odd and how, each a way to the map with these chosen. It is asked for when
   the curves are drawn, so that it delays none of them, and now and then again. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const DRAWN_MS = 2_000; // curves that are not drawn by then are not waited for
  const AGAIN_MS = 60_000;
  const WAYS = ["broken_reduction", "nan", "outlier", "straggler", "silent", "frozen"]; // gravest first
  const whenIdle = globalThis.requestIdleCallback ?? ((act) => setTimeout(act, 50));
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);

  /** The query of the map that shows the ranks of a state, with the first of them chosen. Pure. */
  function query({ metric, tag }, { state, rank, since }) {
    const view = { metric: metric ?? `tag:${tag}`, state, rank: since === null ? "" : `${rank}@${since}` };
    return tidewatch.ranksState.encode({ ...tidewatch.ranksState.decode(""), ...view });
  }

  function link(element, told, one) {
    const made = document.createElement("a");
    made.href = tidewatch.address.ofPage(element.dataset.rankStates, "/ranks", query(told, one));
    made.textContent = say(`ranks_are_${one.state}`, { count: count(one.count) });
    return made;
  }

  /** Text and links of the card. */
  function parts(element, told) {
    const blank = tidewatch.words.language() === "zh" ? "" : " "; // behind full stops, which are as wide as one in Chinese
    const metric = told.tag ?? tidewatch.ranksSays.metric(told.metric);
    const odd = told.states.filter(({ state }) => WAYS.includes(state));
    const bare = told.states.find(({ state }) => state === "no_data_by_design");
    const values = { metric, odd: count(told.odd), count: count(told.count - (odd.length ? 0 : bare?.count ?? 0)) };
    const ways = odd.flatMap((one, k) => [k ? say("comma") : blank, link(element, told, one)]);
    const rest = bare ? `${blank}${say("ranks_are_no_data_by_design", { count: count(bare.count) })}` : "";
    if (!odd.length) return told.count - (bare?.count ?? 0) < 2 ? [] : [say("ranks_all_fine", values), rest];
    return [say("ranks_some_odd", values), ...ways, say("ranks_stop"), rest];
  }

  class RankStates {
    constructor(element) {
      Object.assign(this, { element, ended: new AbortController() });
      document.addEventListener("tidewatch:refresh", () => this.ask(), this.ended);
      document.addEventListener("tidewatch:drawn", () => this.begin(), { ...this.ended, once: true, signal: this.ended.signal });
      this.timer = setTimeout(() => this.begin(), DRAWN_MS);
    }

    begin() {
      if (!this.begun) whenIdle(() => this.ask());
      this.begun = true;
    }

    async ask() {
      clearTimeout(this.timer);
      const { signal } = this.ended;
      if (signal.aborted) return;
      try {
        const { rankStates, metric } = this.element.dataset;
        if (!document.hidden) this.show(await tidewatch.answers.json(tidewatch.address.ofRun(rankStates, "/ranks/states", { metric }), signal));
      } catch {
        // the card says the rest without it; what went wrong may go right the next time
      }
      clearTimeout(this.timer);
      if (!signal.aborted && !tidewatch.frozen.is) this.timer = setTimeout(() => this.ask(), AGAIN_MS);
    }

    show(told) {
      const text = JSON.stringify(told);
      if (text === this.told) return;
      this.told = text;
      this.element.replaceChildren(...parts(this.element, told));
    }

    end() {
      clearTimeout(this.timer);
      this.ended.abort();
    }
  }

  (tidewatch.mounts ??= []).push({
    selector: "[data-rank-states]",
    start(element) {
      const states = new RankStates(element);
      return () => states.end();
    },
  });

  tidewatch.rankStates = { query };
})();
