/* The first question of the ranks page, asked before anything is built: the page (app/pages/ranks.py) tells how many ranks there
   are and what they have, the address the rest. Where the address says no more than the run, the document has asked already
   (first_question there spells the same address), and the browser gives that answer. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const MANY = 256; // ranks from which on rows begin folded
  const MOST = 500; // columns
  const KEPT_MS = 15_000; // an older answer says too little of a run that goes on
  let asked = null; // {address, at, answer}

  /** Which levels may be the first: what was chosen, else nodes; a level at which all are one row is no level, and the next one is
   *  shown. Of few ranks all come, and the browser folds them. Pure. */
  const foldOf = ({ by }, count) => (count <= MANY ? "none" : [...tidewatch.ranksTree.LEVELS[by || "node"], "none"].join());

  /** The question for a view. `page`: {run, metric, count}; `window`: {start, end} in steps; `wide`: px of the map. Pure. */
  function question(page, state, window, wide, fold = foldOf(state, page.count)) {
    const query = { columns: Math.max(50, Math.min(MOST, Math.round(wide))), fold, ...window };
    return tidewatch.ranksAnswer.address(page.run, state.metric || page.metric, query);
  }

  const told = ({ dataset }) => ({ run: dataset.ranks, metric: dataset.metric, count: Number(dataset.count) });

  /** [start, end] of a view in steps; null where the clock of the run has to be known first. Pure. */
  function windowOf(view, x, { newest = null, stepAt = null } = {}) {
    if (view.kind === "all") return {};
    if (view.kind === "last") return newest === null ? null : { start: Math.max(0, newest - view.steps + 1) };
    if (x !== "wall") return { start: tidewatch.view.asked(Math.ceil(view.start)), end: tidewatch.view.asked(Math.floor(view.end)) };
    return stepAt && { start: stepAt(view.start), end: stepAt(view.end) };
  }

  /** Asks for what the address of the page shows, where that can be known before the run is. */
  function begin(element, wide) {
    const { view, x } = tidewatch.state.get();
    const window = windowOf(tidewatch.view.read(view), x);
    if (!window) return;
    const address = question(told(element), tidewatch.ranksState.decode(location.search), window, wide);
    asked = { address, at: performance.now(), answer: tidewatch.answers.ask(address) };
    asked.answer.catch(() => {}); // whoever takes it asks again
  }

  /** The answer of an address as a block: the one that is on its way, if there is one, else a new one. */
  async function load(address, signal) {
    const early = asked;
    asked = null;
    const isOfUse = early?.address === address && performance.now() - early.at < KEPT_MS;
    const answer = (isOfUse && (await early.answer.catch(() => null))) || (await tidewatch.answers.ask(address, signal));
    return tidewatch.ranksAnswer.decode(await answer.arrayBuffer());
  }

  tidewatch.ranksAhead = { MANY, foldOf, question, windowOf, told, begin, load };
})();
