/* What a run's page will ask first, its curves, asked as soon as these scripts run. The card tells the standard panels; what
   else decides on the question is in the address. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const KEPT_MS = 15_000; // an older answer says too little of a run that goes on
  let asked = null; // {address, at, answer}

  /** The question of the curves for a state; null where the axis has to be known first. Pure. */
  function question(run, standard, state) {
    if (tidewatch.view.read(state.view).kind !== "all") return null;
    const { data } = tidewatch.layout.build(tidewatch.panels.listed(standard, state, null));
    return tidewatch.history.address(run, { names: tidewatch.layout.names(data), attempts: state.attempts, window: {} });
  }

  function begin() {
    const card = document.querySelector("[data-run][data-panels]");
    const address = card && question(card.dataset.run, JSON.parse(card.dataset.panels), tidewatch.state.get());
    if (!address) return;
    tidewatch.library.ready().catch(() => {}); // run while the answer is on its way; who draws tries again
    asked = { address, at: performance.now(), answer: tidewatch.answers.ask(address) };
    asked.answer.catch(() => {}); // whoever takes it asks again
  }

  /** The answer of an address: the one that is on its way, if there is one, else a new one. Either is taken once. */
  async function ask(address, signal) {
    const early = asked;
    asked = null;
    const isOfUse = early?.address === address && performance.now() - early.at < KEPT_MS;
    const answer = isOfUse && (await early.answer.catch(() => null));
    return answer || tidewatch.answers.ask(address, signal);
  }

  queueMicrotask(begin); // the scripts it needs stand behind this one in the same file

  tidewatch.ahead = { ask, question };
})();
