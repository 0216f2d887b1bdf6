/* Keyboard: / search, t theme, r refresh, ? help, Esc closes. Letters typed into a field stay letters. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const typing = (target) => target.matches?.("input:not([type=range]), textarea, select, [contenteditable]");
  const help = () => document.getElementById("help");

  function showHelp() {
    if (help() && !help().open) help().showModal();
  }

  function search() {
    document.querySelector("input[type=search]")?.focus();
  }

  /** Reads everything again: the tables and the header through Dash, the curves by themselves. */
  function refresh() {
    globalThis.dash_clientside?.set_props?.("tick", { n_intervals: Date.now() });
    document.dispatchEvent(new CustomEvent("tidewatch:refresh"));
  }

  const ACTIONS = { "/": search, t: () => tidewatch.theme.toggle(), r: refresh, "?": showHelp };

  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && typing(event.target)) event.target.blur();
    const action = ACTIONS[event.key];
    if (!action || typing(event.target)) return;
    event.preventDefault();
    action();
  }

  document.addEventListener("keydown", press);
  document.addEventListener("click", (event) => {
    if (event.target.closest?.("#help-open")) showHelp();
    if (event.target.closest?.("#help-close") || event.target === help()) help()?.close();
  });
  document.addEventListener("visibilitychange", () => {
    globalThis.dash_clientside?.set_props?.("tick", { disabled: document.hidden });
  });

  tidewatch.keys = { refresh, showHelp };
})();
