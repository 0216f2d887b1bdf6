/* How runs side by side are told apart: eight colours that colour-blind readers can tell too, then other dashes. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const COLOURS = 8; // --run-1 to --run-8 of 00-tokens.css
  const DASHES = ["solid", "dash", "dot"];

  /** The CSS variable of the run at place `index` (from 0). */
  const variable = (index) => `--run-${(index % COLOURS) + 1}`;
  const dash = (index) => DASHES[Math.floor(index / COLOURS) % DASHES.length];

  tidewatch.palette = { variable, dash };
})();
