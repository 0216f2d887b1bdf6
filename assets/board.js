/* The panels of the page that is shown: between panels.js, which is pure, and the state in the address. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  let read = { text: "", panels: [] };
  let learnt = { run: "", metrics: null };

  const card = () => document.querySelector("[data-panels]");

  /** The panels that every run begins with, as the server described them. */
  function standard() {
    const text = card()?.dataset.panels ?? "[]";
    if (text !== read.text) read = { text, panels: JSON.parse(text) };
    return read.panels;
  }

  /** What the run has, as far as that was asked for; null before. */
  const known = () => (learnt.run === card()?.dataset.run ? learnt.metrics : null);

  /** Asks for what a run has in which nothing was found that its panels show, so that it can begin with its own tags;
   *  says so with "tidewatch:panels". */
  async function learn(run) {
    if (learnt.run === run) return;
    learnt = { run, metrics: null };
    const metrics = await tidewatch.tags.load(run).catch(() => []);
    learnt = metrics.length ? { run, metrics } : { run: "", metrics: null }; // one that begins may have some later
    if (metrics.length && run === card()?.dataset.run) document.dispatchEvent(new CustomEvent("tidewatch:panels"));
  }

  const ask = (name) => (state = tidewatch.state.get()) => tidewatch.panels[name](standard(), state, known());
  const [listed, arranged, hidden] = ["listed", "arranged", "hidden"].map(ask);

  /** Map(key → panel) of all that are on the page or were put away. */
  const every = () => new Map(arranged({ ...tidewatch.state.get(), hide: [] }).map((panel) => [panel.key, panel]));

  /* Each gives the patch of the state that it stands for. */
  const CHANGES = {
    log: (state, key) => tidewatch.panels.log(state, key),
    pin: (state, key) => tidewatch.panels.pin(state, key),
    up: (_state, key) => tidewatch.panels.move(arranged(), key, -1),
    down: (_state, key) => tidewatch.panels.move(arranged(), key, 1),
    whole: (state, key) => tidewatch.panels.full(state, key),
    previous: (_state, key) => ({ full: tidewatch.panels.neighbour(arranged(), key, -1) }),
    next: (_state, key) => ({ full: tidewatch.panels.neighbour(arranged(), key, 1) }),
    first: (_state, key) => ({ full: tidewatch.panels.neighbour(arranged(), key, "first") }),
    last: (_state, key) => ({ full: tidewatch.panels.neighbour(arranged(), key, "last") }),
    hide: (state, key) => tidewatch.panels.hide(state, key),
    remove: (state, key) => tidewatch.panels.remove(state, every().get(key)?.entry ?? key),
  };

  const TURNS = ["previous", "next", "first", "last"]; // "back" leads out of the whole page for one panel, not through all that were leafed through

  /** Does what a button or a key asks of a panel. */
  function act(action, key) {
    if (action === "picture") return tidewatch.pictureActs.ofPanel(key);
    const state = tidewatch.state.get();
    const patch = CHANGES[action](state, key);
    const isEntered = action === "whole" && !state.full;
    if (patch) tidewatch.state.set(patch, { step: !TURNS.includes(action) });
    if (isEntered) card().scrollIntoView({ block: "start" });
  }

  tidewatch.board = { card, standard, known, learn, listed, arranged, hidden, every, act };
})();
