/* The view of the compare page and its spelling in the address: /compare?runs=a,b&metric=loss&x=step&smooth=0.6. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const AXES = ["step", "relative", "tokens"];
  const TAG = "tag:"; // before a tag as the files spell it; anything else is a canonical metric

  const list = (text) => [...new Set((text ?? "").split(",").filter(Boolean))];

  function number(text, low, high, fallback) {
    const found = Number(text ?? NaN);
    return text?.trim() && found >= low && found <= high ? found : fallback;
  }

  /** "100..900" in units of x; null for the whole of it. */
  function view(text) {
    const ends = /^(-?[\d.e+]+)\.\.(-?[\d.e+]+)$/.exec(text ?? "")?.slice(1).map(Number);
    return ends?.every(Number.isFinite) && ends[0] < ends[1] ? ends : null;
  }

  /** What a query says; what it does not know or cannot read is the default. */
  function decode(query) {
    const said = new URLSearchParams(query);
    return {
      runs: list(said.get("runs")),
      metric: said.get("metric") ?? "", // "" = the usual panels
      x: AXES.includes(said.get("x")) ? said.get("x") : "step",
      smooth: number(said.get("smooth"), 0, 0.999, 0),
      log: said.get("log") === "1",
      hide: list(said.get("hide")), // runs whose line is put away
      view: view(said.get("view")),
      all: said.get("all") === "1", // every setting, not only those that differ
    };
  }

  /** The query that spells a state; only what differs from the default. */
  function encode(state) {
    const said = new URLSearchParams();
    const put = (name, value) => value && said.set(name, value);
    put("runs", state.runs.join(","));
    put("metric", state.metric);
    put("x", state.x === "step" ? "" : state.x);
    put("smooth", state.smooth ? String(state.smooth) : "");
    put("log", state.log ? "1" : "");
    put("hide", state.hide.join(","));
    put("view", state.view ? state.view.map((one) => Number(one.toPrecision(8))).join("..") : "");
    put("all", state.all ? "1" : "");
    const spelled = said.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
    return spelled && `?${spelled}`;
  }

  tidewatch.compareState = { AXES, TAG, decode, encode };
})();
