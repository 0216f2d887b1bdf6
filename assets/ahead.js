/* What will be asked first, asked as soon as these scripts run, while Dash's own are still being read: the layout of the
   page, and on a run's page its curves. The page's head tells the standard panels; what else decides on the question of
   the curves is in the address. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const PANELS = "meta[name=tidewatch-panels]"; // app/index.py writes it into the pages of runs
  const KEPT_MS = 15_000; // an older answer says too little of a run that goes on
  let asked = null; // {address, at, answer}

  /** The run of a path ("/run/gpt" → "gpt"); null on other pages. Pure. */
  function runOf(path, prefix) {
    const base = `${prefix}run/`;
    if (!path.startsWith(base)) return null;
    try {
      return decodeURIComponent(path.slice(base.length).replace(/\/+$/, "")) || null;
    } catch {
      return null; // %zz
    }
  }

  /** The question of the curves for a state; null where the axis has to be known first. Pure. */
  function question(run, standard, state) {
    if (tidewatch.view.read(state.view).kind !== "all") return null;
    const { data } = tidewatch.layout.build(tidewatch.panels.listed(standard, state, null));
    return tidewatch.history.address(run, { names: tidewatch.layout.names(data), attempts: state.attempts, window: {} });
  }

  /** Dash asks by fetch, once; it gets the answer that is on its way. */
  function hand(address) {
    const plain = globalThis.fetch; // speaks the language of the tab (language.js)
    const early = plain(address, { credentials: "same-origin", headers: { Accept: "application/json" } });
    early.catch(() => {}); // Dash hears of it when it asks
    const asking = (asked, options) => {
      if (asked !== address) return plain(asked, options);
      if (globalThis.fetch === asking) globalThis.fetch = plain;
      return early;
    };
    globalThis.fetch = asking;
  }

  function begin() {
    if (document.getElementById("_dash-config")) hand(tidewatch.address.of("_dash-layout"));
    const told = document.querySelector(PANELS);
    const run = runOf(location.pathname, tidewatch.address.of(""));
    const address = told && run && question(run, JSON.parse(told.content), tidewatch.state.get());
    if (!address) return;
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

  tidewatch.ahead = { ask, runOf, question };
})();
