/* From the list of panels to the empty figure: Plotly's traces and layout, and where each panel stands. Pure.

   A panel is what app/figures/panels.py describes, as JSON in the card's data-panels, or what panels.js makes of a tag:
     {key, title, height (px), axis: linear | log | powers, ticks (d3 format), hint, added?,
      lines: [{metrics, role, colour, name, steps?, points?}]}
   `metrics` are tried in order. A name that begins with "tag:" is a tag ("tag:r3:local_loss" of rank 3, else of the
   rank that speaks), asked for with `tag=` and what follows; every other name is a canonical metric. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const HEAD = 30; // px above each panel for its title and last value, which are HTML over the figure
  const SIDES = { l: 56, r: 16, b: 34 }; // px around the panels, for the ticks
  const POWERS = Array.from({ length: 20 }, (_, exponent) => 4 ** exponent); // 1 to 256G: a loss scale is doubled and halved

  /** Plotly's name of the y axis of the panel at `index`: y, y2, y3 … */
  const axisName = (index) => (index ? `y${index + 1}` : "y");
  const axisKey = (name) => name.replace("y", "yaxis");

  /** Whether a panel's y axis is logarithmic; `logged` holds the keys of those that are the other kind than by default. */
  const isLog = (panel, logged = new Set()) => (panel.axis !== "linear") !== logged.has(panel.key);

  /* ---- places ---- */

  const tall = (panel, heights) => heights[panel.key] ?? panel.height;

  /** px of the whole figure. */
  const total = (panels, heights = {}) => panels.reduce((sum, one) => sum + HEAD + tall(one, heights), SIDES.b);

  /** Where each panel stands, from the top down: [{key, axis, top (px of its head), height (px), domain (0 = bottom)}]. */
  function places(panels, heights = {}) {
    const inner = total(panels, heights) - HEAD - SIDES.b;
    let top = 0;
    return panels.map((panel, index) => {
      const height = tall(panel, heights);
      const upper = 1 - top / inner;
      const domain = [Math.max(0, upper - height / inner), upper];
      const place = { key: panel.key, axis: axisName(index), top, height, domain };
      top += height + HEAD;
      return place;
    });
  }

  /* ---- traces ---- */

  function mode(line) {
    if (line.role === "marks") return "markers";
    return line.points ? "lines+markers" : "lines";
  }

  /** One empty line. `meta` says who fills it, and how. */
  function trace(panel, line, axis) {
    return {
      type: "scatter", x: [], y: [], xaxis: "x", yaxis: axis,
      name: line.name,
      mode: mode(line),
      line: { width: line.role === "ghost" ? 1 : 1.5, shape: line.steps ? "hv" : "linear" },
      marker: { size: line.role === "marks" ? 8 : 5, symbol: line.role === "marks" ? "triangle-down" : "circle" },
      connectgaps: false,
      meta: { panel: panel.key, metrics: line.metrics, role: line.role, colour: line.colour, name: line.name },
      ...line.trace,
    };
  }

  /** Lines of one panel in the order in which they are drawn; those of `extra` that lie `under` come first. */
  function linesOf(panel, extra = {}) {
    const added = extra[panel.key] ?? [];
    return [...added.filter((line) => line.under), ...panel.lines, ...added.filter((line) => !line.under)];
  }

  /* ---- axes ---- */

  /** Shared by all panels, ticks under the last one; what x counts is the drawing's matter (figure.js). */
  const xAxis = (anchor) => ({ anchor, domain: [0, 1], showgrid: false, zeroline: false, showline: true, ticks: "" });

  /** One a panel; a drag zooms x alone, and the values follow what is in view. */
  function yAxis(panel, place, logged) {
    const frame = { anchor: "x", domain: place.domain, fixedrange: true, zeroline: false, ticks: "" };
    return { ...frame, ...scale(panel, place.height, isLog(panel, logged)) };
  }

  /** Kind of axis and where its ticks are. */
  function scale(panel, height, log) {
    if (log && panel.axis === "powers") return { type: "log", tickvals: POWERS, ticktext: POWERS.map(binary) };
    const nticks = Math.min(12, Math.max(3, Math.floor(height / 26)));
    return { type: log ? "log" : "linear", tickformat: panel.ticks, nticks };
  }

  const BINARY = [[2 ** 30, "G"], [2 ** 20, "M"], [2 ** 10, "k"]];

  /** A power of two as a person calls it: 64k is 65,536. */
  function binary(power) {
    const [size, prefix] = BINARY.find(([one]) => power >= one) ?? [1, ""];
    return `${Math.floor(power / size)}${prefix}`;
  }

  /* ---- the figure ---- */

  /** The empty figure of a list of panels: {data, layout, places, height (px)}. Options:
   *    logged   Set of the keys of panels whose y axis is the other kind than by default (state.log)
   *    heights  {key: px} where a height is not the panel's own
   *    extra    {key: lines} drawn besides the panel's own: a line as above, `under: true` to lie beneath them, and
   *             `trace` with whatever Plotly should take as it is (a band: {fill: "tonexty"}) */
  function build(panels, { logged = new Set(), heights = {}, extra = {} } = {}) {
    const found = places(panels, heights);
    const data = panels.flatMap((panel, at) => linesOf(panel, extra).map((line) => trace(panel, line, axisName(at))));
    const layout = { margin: { ...SIDES, t: HEAD, pad: 0 }, xaxis: xAxis(axisName(Math.max(0, panels.length - 1))) };
    panels.forEach((panel, at) => (layout[axisKey(axisName(at))] = yAxis(panel, found[at], logged)));
    return { data, layout, places: found, height: total(panels, heights) };
  }

  /** What its traces want to be read. */
  const names = (data) => [...new Set(data.flatMap((trace) => trace.meta.metrics))];

  tidewatch.layout = { HEAD, SIDES, build, names, places, total, axisName, axisKey, isLog, binary };
})();
