/* The view of the ranks page and its spelling in the address, next to what it shares with the curves (state.js: x, view,
   log_at). Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const { oneOf } = tidewatch.codec;
  const FIELDS = {
    metric: oneOf("", /^.{1,400}$/), // local_loss, tag:a/b
    show: oneOf("", /^(value|deviation)$/), // "" = what the metric allows
    by: oneOf("", /^(node|stage|group|none)$/), // "" = node
    rank: oneOf("", /^\d{1,9}@-?\d{1,15}$/), // the chosen cell: rank@step
    state: oneOf("", /^[a-z_]{2,30}$/), // what the list of ranks is filtered by
    listed: oneOf("", /^[1-9]\d{0,4}$/), // how many of them are listed; "" = as many as at first
    what: oneOf("", /^(nan|inf|spike|stall)$/), // who was first at what
    what_at: oneOf("", /^-?\d{1,15}$/), // up to which step
    folds: oneOf("", /^[\w.,+-]{1,2000}$/), // rows that stand otherwise than they begin
  };

  const decode = (query) => tidewatch.codec.decode(FIELDS, query);
  const encode = (state, query = "") => tidewatch.codec.encode(FIELDS, state, query);

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
