/* The view of the run page: one value for all parts, and its spelling in the address. Only what differs from the
   default is spelled, so that a link says what its sender chose and nothing else. A part asks get(), changes with
   set(), and hears "tidewatch:state" on the document: detail {state, changed: Set of names}. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const text = (fallback) => ({ fallback, read: (said) => said, write: (value) => value });
  const oneOf = (fallback, pattern) => ({ fallback, read: (said) => (pattern.test(said) ? said : fallback), write: (value) => value });
  const number = (fallback, low, high) => ({
    fallback,
    read: (said) => (said.trim() && Number(said) >= low && Number(said) <= high ? Number(said) : fallback),
    write: String,
  });
  const flag = () => ({ fallback: false, read: (said) => said === "1", write: () => "1" });
  const list = () => ({ fallback: [], read: (said) => said.split(",").filter(Boolean).map(decodeURIComponent), write: (value) => value.map((one) => encodeURIComponent(one)).join(",") });

  const FIELDS = {
    x: oneOf("step", /^(step|samples|tokens|relative|wall)$/),
    view: oneOf("all", /^(all|last-\d{1,9}|-?[\d.e+]+\.\.-?[\d.e+]+)$/), // last-500; 1200..1800 in units of x
    smooth: number(0, 0, 0.999),
    log: list(), // panels whose y axis is the other kind than by default
    clip: flag(), // outliers may leave the panel
    gap: flag(), // the line of the generalisation gap
    attempts: oneOf("stitched", /^(stitched|all|[1-9]\d{0,5})$/),
    panels: list(), // tags added as panels: "tag" or "rank:tag"
    pin: list(), // panels held at the top, in order
    order: list(), // panels whose place was changed, in order
    hide: list(), // panels put away
    full: text(""), // the panel that has the whole page
    quiet: list(), // kinds of event that are filtered out
    base: list(), // runs drawn as baseline behind this one
    alert: oneOf("", /^[\w.-]{1,200}$/), // id of the alert whose details are open
    log_at: oneOf("", /^\d{1,9}@-?\d{1,15}$/), // rank@step of the log drawer
  };

  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

  /** The state that a query ("?x=wall&smooth=0.6") spells; what it does not know or cannot read is the default. Pure. */
  function decode(query) {
    const said = new URLSearchParams(query);
    const entries = Object.entries(FIELDS).map(([name, { fallback, read }]) => [name, said.has(name) ? read(said.get(name)) : fallback]);
    return Object.freeze(Object.fromEntries(entries));
  }

  /** The query that spells a state, with "?" unless it is empty; parameters that are not ours stay. Pure. */
  function encode(state, query = "") {
    const said = new URLSearchParams(query);
    for (const [name, { fallback, write }] of Object.entries(FIELDS)) {
      said.delete(name);
      if (!same(state[name], fallback)) said.set(name, write(state[name]));
    }
    const spelled = said.toString().replaceAll("%2C", ",").replaceAll("%40", "@");
    return spelled && `?${spelled}`;
  }

  let now = decode(location.search);
  let path = location.pathname;

  /** The state now; on another page than before it is read from the address anew. */
  function get() {
    if (path !== location.pathname) {
      path = location.pathname;
      now = decode(location.search);
    }
    return now;
  }

  function tell(next) {
    const before = now;
    now = next;
    const changed = new Set(Object.keys(FIELDS).filter((name) => !same(before[name], now[name])));
    if (changed.size) document.dispatchEvent(new CustomEvent("tidewatch:state", { detail: { state: now, changed } }));
  }

  /** Changes some fields. The address follows: as a step of the browser's history with `step`, else in place. */
  function set(changes, { step = false } = {}) {
    const next = Object.freeze({ ...get(), ...changes });
    const address = location.pathname + encode(next, location.search) + location.hash;
    if (address !== location.pathname + location.search + location.hash) {
      history[step ? "pushState" : "replaceState"](history.state, "", address);
    }
    tell(next);
  }

  addEventListener("popstate", () => path === location.pathname && tell(decode(location.search)));

  tidewatch.state = { get, set, decode, encode };
})();
