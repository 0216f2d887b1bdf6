/* Keyboard: what each key does is told by the help dialog (app/help.py). Letters typed into a field stay letters. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const FIELDS = "input:not([type=range], [type=checkbox], [type=radio]), textarea, select, [contenteditable]";
  const typing = (target) => target.matches?.(FIELDS);
  const isSlider = (target) => target.matches?.("input[type=range], [role=slider]");
  const help = () => document.getElementById("help");

  function showHelp() {
    if (help() && !help().open) help().showModal();
  }

  /** On the page of a run the tags, on the table of runs the runs. */
  function search() {
    if (tidewatch.board.card()) tidewatch.tagDialog.open();
    else document.querySelector(".page input[type=search]")?.focus();
  }

  /** Reads everything again: what the server writes, and the curves. */
  function refresh() {
    tidewatch.renewal.ask();
    document.dispatchEvent(new CustomEvent("tidewatch:refresh"));
  }

  const smooth = () => document.getElementById("smoothing-number")?.focus();
  const note = () => tidewatch.notes?.write();
  const toggleTheme = () => tidewatch.theme.toggle();

  const ACTIONS = { "/": search, t: toggleTheme, r: refresh, s: smooth, n: note, "?": showHelp };
  const WITH_CONTROL = { k: search, "/": showHelp };
  const TURNS = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", Escape: "whole" };

  /** What a key means; nothing where it is the browser's or a field's. Pure but for the element it was pressed in. */
  function meant({ key, code, ctrlKey, metaKey, altKey, target }, full) {
    if (ctrlKey || metaKey) return altKey ? null : WITH_CONTROL[key] ?? null;
    if (altKey) return code === "KeyM" ? toggleTheme : null; // Option + M writes µ
    if (typing(target)) return key === "Escape" ? () => target.blur() : null;
    const turn = full && !(isSlider(target) && key !== "Escape") && TURNS[key];
    return turn ? () => tidewatch.board.act(turn, full) : ACTIONS[key] ?? null;
  }

  function press(event) {
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
    const action = meant(event, tidewatch.board.card() ? tidewatch.state.get().full : "");
    if (!action) return;
    event.preventDefault();
    action();
  }

  document.addEventListener("keydown", press);
  document.addEventListener("click", (event) => {
    if (event.target.closest?.("#help-open")) showHelp();
    if (event.target.closest?.("#help-close") || event.target === help()) help()?.close();
  });

  tidewatch.keys = { refresh, showHelp, meant };
})();
