/* Keeps the page as the server has it: tells it where the browser is and what it has, and takes what is different from that
   (app/pages/page.py). Dash asks and answers, with its clock and whenever the address becomes another. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const sent = new Map(); // id of a part → its element as the server sent it
  const shell = document.getElementById("shell");
  let hasEnded = false; // the session
  let isReady = false; // whether Dash has asked, so that it can be told something too
  let told = shell ? JSON.parse(shell.dataset.told) : { kind: "", parts: {} };

  function keep(id) {
    const element = document.getElementById(id);
    if (element) sent.set(id, element.cloneNode(true));
  }

  function renew(id, text) {
    const [element, before] = [document.getElementById(id), sent.get(id)];
    if (!element || !before) return;
    const after = before.cloneNode(false);
    after.innerHTML = text;
    tidewatch.patch(element, before, after);
    sent.set(id, after);
  }

  /** All of the page is another one. */
  function turn({ page, way, told: { kind, parts } }) {
    document.getElementById("page").innerHTML = page;
    document.getElementById("nav").innerHTML = way;
    sent.clear();
    Object.keys(parts).forEach(keep);
    if (kind.replace("?", "") !== told.kind.replace("?", "")) scrollTo(0, 0); // not where a run has just begun
  }

  /** Called by Dash with what is different; of another page than the browser is on by now it is of no use. */
  function take(answer) {
    if (answer?.path !== location.pathname) return;
    if (answer.page !== null) turn(answer);
    else Object.entries(answer.parts).forEach(([id, text]) => renew(id, text));
    told = answer.told;
  }

  /** Called by Dash, first of all when it has just begun: where the browser is and what it has; out of view nothing is
   *  asked. */
  function question() {
    if (!isReady) setTimeout(begin); // Dash hears of nothing else while it asks for the first time
    if (document.hidden || hasEnded) return globalThis.dash_clientside.no_update;
    return { path: location.pathname, query: location.search, ...told, at: Date.now() };
  }

  const set = (values) => isReady && globalThis.dash_clientside.set_props("tick", values);

  /** Asks now, and not at the clock's next tick; before Dash is there nothing, since it asks when it begins. */
  const ask = () => set({ n_intervals: Date.now() });

  function seen() {
    set({ disabled: document.hidden || hasEnded });
    if (!document.hidden && !hasEnded) ask();
  }

  function begin() {
    isReady = true;
    if (document.hidden) seen();
  }

  Object.keys(told.parts).forEach(keep); // before any other script changes them
  document.addEventListener("visibilitychange", seen);
  document.addEventListener("tidewatch:ended", () => {
    hasEnded = true;
    set({ disabled: true });
  });
  globalThis.dash_clientside = { ...globalThis.dash_clientside, tidewatch: { question, take } };

  tidewatch.renewal = { ask, isReady: () => isReady };
})();
