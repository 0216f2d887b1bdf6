/* What the dialog "Download data" asks for: the choices of a person as the addresses of exports spell them, and what is
   said of their size. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const FORMS = ["csv", "jsonl", "parquet"];
  const TAG = "tag:"; // as in columns.js
  const UNITS = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]];

  /** The names of all lines of some panels, each once: metrics, then tags. */
  function namesOf(panels) {
    const names = [...new Set(panels.flatMap((panel) => panel.lines.flatMap((line) => line.metrics)))];
    return [...names.filter((name) => !name.startsWith(TAG)), ...names.filter((name) => name.startsWith(TAG))];
  }

  /** A name as an export spells it. */
  const plain = (name) => (name.startsWith(TAG) ? name.slice(TAG.length) : name);

  /** The query of an export. `choice`: {series: "shown" | "all", range: "view" | "all", attempt, layout}; `window`: first and
   *  last step in view, or null. */
  function query(choice, names, window) {
    const asked = new URLSearchParams();
    if (choice.series === "all") asked.append("all", "1");
    for (const name of choice.series === "all" ? [] : names) {
      asked.append(name.startsWith(TAG) ? "tag" : "metric", plain(name));
    }
    if (choice.range === "view" && window) {
      asked.append("start", window.from);
      asked.append("end", window.to);
    }
    if (choice.attempt !== "all") asked.append("attempt", choice.attempt);
    if (choice.layout !== "wide") asked.append("layout", choice.layout);
    return asked.toString();
  }

  /** Which attempts can be chosen where the page shows `attempts` (state.js): all, each step of its newest, and the one. */
  const attemptsOf = (attempts) => ["all", "latest", ...(/^\d+$/.test(attempts) ? [attempts] : [])];

  /** Bytes as "1.2 MB", two digits. */
  function size(bytes) {
    const [one, unit] = UNITS.find(([least]) => bytes >= least) ?? [1, "B"];
    return `${tidewatch.numbers.value(Number((bytes / one).toPrecision(2)))} ${unit}`;
  }

  tidewatch.exportQuestion = { FORMS, namesOf, plain, query, attemptsOf, size };
})();
