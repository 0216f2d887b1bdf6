/* The view of the ranks page and its spelling in the address, next to what it shares with the curves (state.js: x, view,
   log_at). Only what differs from the default is spelled. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const FIELDS = {
    metric: ["", /^.{1,400}$/], // local_loss, tag:a/b
    show: ["", /^(value|deviation)$/], // "" = what the metric allows
    by: ["", /^(node|stage|group|none)$/], // "" = node
    rank: ["", /^\d{1,9}@-?\d{1,15}$/], // the chosen cell: rank@step
    state: ["", /^[a-z_]{2,30}$/], // what the list of ranks is filtered by
    what: ["", /^(nan|inf|spike|stall)$/], // who was first at what
    folds: ["", /^[\w.,+-]{1,2000}$/], // rows that stand otherwise than they begin
  };

  /** The view that a query spells. Pure. */
  function decode(query) {
    const said = new URLSearchParams(query);
    const read = ([name, [fallback, pattern]]) => [name, pattern.test(said.get(name) ?? "") ? said.get(name) : fallback];
    return Object.fromEntries(Object.entries(FIELDS).map(read));
  }

  /** The query that spells a view; parameters of others stay. Pure. */
  function encode(state, query = "") {
    const said = new URLSearchParams(query);
    for (const [name, [fallback]] of Object.entries(FIELDS)) {
      said.delete(name);
      if (state[name] !== fallback) said.set(name, state[name]);
    }
    const spelled = said.toString().replaceAll("%2C", ",").replaceAll("%40", "@").replaceAll("%2F", "/").replaceAll("%3A", ":");
    return spelled && `?${spelled}`;
  }

  const listed = (folds) => new Set(folds.split(",").filter(Boolean));

  const ALL = "all"; // turns every row over, so that thousands need not be named

  /** Whether a row is unfolded, where rows begin so or so. Pure. */
  function isOpen(folds, id, openAtFirst) {
    const found = listed(folds);
    return (found.has(ALL) !== found.has(id)) !== openAtFirst;
  }

  /** The folds with one row turned over. Pure. */
  function turned(folds, id) {
    const found = listed(folds);
    if (!found.delete(id)) found.add(id);
    return [...found].join(",");
  }

  /** {rank, step} of a chosen cell, or null. Pure. */
  function cell(said) {
    const [rank, step] = said.split("@").map(Number);
    return said ? { rank, step } : null;
  }

  tidewatch.ranksState = { ALL, decode, encode, isOpen, turned, cell };
})();
