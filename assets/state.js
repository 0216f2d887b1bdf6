/* The view of the run page: one value for all parts, and its spelling in the address. Only what differs from the
   default is spelled, so that a link says what its sender chose and nothing else. A part asks get(), changes with
   set(), and hears "tidewatch:state" on the document: detail {state, changed: Set of names}. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const { text, oneOf, number, flag, list, same } = tidewatch.codec;

  const FIELDS = {
    x: oneOf("step", /^(step|samples|tokens|relative|wall)$/),
    view: { fallback: "all", read: (said) => (isView(said) ? said : "all"), write: (value) => value }, // last-500; 1200..1800 in units of x
    smooth: number(0, 0, 0.999),
    log: list(), // panels whose y axis is the other kind than by default
    clip: flag(), // outliers may leave the panel
    gap: flag(), // the line of the generalisation gap
    attempts: oneOf("stitched", /^(stitched|all|[1-9]\d{0,5})$/),
    panels: list(), // tags added as panels: "tag" or "rank:tag"
    pin: list(), // panels held at the top, in order
    order: list(), // panels whose place was changed, in order
    hide: list(), // panels put away
    full: text(), // the panel that has the whole page
    quiet: list(), // kinds of event that are filtered out
    base: list(), // runs drawn as baseline behind this one
    alert: oneOf("", /^[\w.-]{1,200}$/), // id of the alert whose details are open
    alert_class: oneOf("", /^[\w.-]{1,60}$/), // what the list of alerts is filtered by
    alert_severity: oneOf("", /^(info|warning|critical)$/),
    alert_rank: text(),
    alerts_over: flag(), // alerts that are over are listed, too
    note: oneOf("", /^[0-9a-f]{12}$/), // id of the note that is open
    log_at: oneOf("", /^\d{1,9}@-?\d{1,15}$/), // rank@step of the log drawer
    log_find: text(), // what is searched for in it
    settings: flag(), // the configuration is unfolded
    setting: text(), // what is searched for in it
  };

  const isView = (said) => said === "all" || /^last-[1-9]\d{0,8}$/.test(said) || tidewatch.codec.ends(said) !== null;

  const decode = (query) => tidewatch.codec.decode(FIELDS, query);
  const encode = (state, query = "") => tidewatch.codec.encode(FIELDS, state, query);

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

  /** Changes some fields, and the address with them; `step` as in trail.js. */
  function set(changes, { step = true } = {}) {
    const next = Object.freeze({ ...get(), ...changes });
    if (!same(next, now)) tidewatch.trail.go(encode(next, location.search), step, Object.keys(changes).join());
    tell(next);
  }

  addEventListener("popstate", () => path === location.pathname && tell(decode(location.search)));

  tidewatch.state = { get, set, decode, encode };
})();
