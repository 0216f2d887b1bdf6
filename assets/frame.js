/* Dash's own scripts wait in a template (app/index.py) until the curves or the map of ranks are drawn: they keep the page up to date, which
   can begin a little later. */
(() => {
  const LATEST_MS = 5_000; // where nothing is drawn by then
  const whenIdle = globalThis.requestIdleCallback ?? ((act) => setTimeout(act));

  /** A script from a template does not run; the same one made anew does. */
  function run({ src, id, textContent }) {
    const script = Object.assign(document.createElement("script"), src ? { src, async: false } : { id, textContent });
    const done = src ? new Promise((loaded) => (script.onload = script.onerror = loaded)) : null;
    document.head.append(script);
    return done;
  }

  async function begin() {
    const template = document.getElementById("dash-scripts");
    if (!template) return;
    template.remove();
    const scripts = [...template.content.querySelectorAll("script")];
    await Promise.all(scripts.filter((one) => one.src).map(run));
    scripts.filter((one) => !one.src).forEach(run);
  }

  const beginWhenIdle = () => whenIdle(begin, { timeout: 1_000 });

  if (document.querySelector("[data-run], [data-ranks]")) {
    for (const drawn of ["tidewatch:drawn", "tidewatch:ranks-drawn"]) document.addEventListener(drawn, beginWhenIdle, { once: true });
    setTimeout(begin, LATEST_MS);
  } else {
    addEventListener("DOMContentLoaded", beginWhenIdle);
  }
})();
