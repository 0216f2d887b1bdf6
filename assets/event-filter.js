/* Kinds of event that are filtered out are not listed beside the curves either: a style sheet hides their rows, since
   the server writes the rows anew every two seconds. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  let sheet = null;

  /** The rules that hide these kinds. Pure. */
  const rules = (quiet) => quiet.map((kind) => `.event[data-kind="${CSS.escape(kind)}"] { display: none; }`).join("\n");

  function apply(quiet) {
    if (!sheet) {
      sheet = new CSSStyleSheet();
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    }
    sheet.replaceSync(rules(quiet));
  }

  tidewatch.eventFilter = { rules, apply };
})();
