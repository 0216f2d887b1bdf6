/* From the list of panels to the empty figure: Plotly's traces and layout, and where each panel stands. Pure.

   A panel is what app/figures/panels.py describes, as JSON in the card's data-panels, or what panels.js makes of a tag:
     {key, title, height (px), axis: linear | log | powers, ticks (d3 format), unit?, added?,
      lines: [{metrics, role, colour, name, steps?, points?}]}
   `metrics` are tried in order. A name that begins with "tag:" is a tag ("tag:r3:local_loss" of rank 3, else of the
   rank that speaks), asked for with `tag=` and what follows; every other name is a canonical metric. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const HEAD = 30; // px above each panel for its title and last value, which are HTML over the figure
  const SIDES = { l: 56, r: 16, b: 34 }; // px around the panels, for the ticks
  const POWERS = Array.from({ length: 20 }, (_, exponent) => 4 ** exponent); // 1 to 256G: a loss scale is doubled and halved
  const QUIET = /^(ghost|band-low|band-high)$/; // roles that have nothing to say under the crosshair

  /** Plotly's name of the y axis of the panel at `index`: y, y2, y3 … */
  const axisName = (index) => (index ? `y${index + 1}` : "y");
  const axisKey = (name) => name.replace("y", "yaxis");

  /** Whether a panel's y axis is logarithmic; `logged` holds the keys of those that are the other kind than by default. */
  const isLog = (panel, logged = new Set()) => (panel.axis !== "linear") !== logged.has(panel.key);

  /* ---- places ---- */

  /** px of the whole figure. */
  const total = (panels, heights = {}) => panels.reduce((sum, one) => sum + HEAD + tall(one, heights), SIDES.b);

  const tall = (panel, heights) => heights[panel.key] ?? panel.height;

  /** Where each panel stands, from the top down: [{key, axis, top (px of its head), height (px), domain (0 = bottom)}]. */
  function places(panels, heights = {}) {
    const inner = total(panels, heights) - HEAD - SIDES.b;
    let top = 0;
    return panels.map((panel, index) => {
      const height = tall(panel, heights);
      const upper = 1 - top / inner;
      const place = { key: panel.key, axis: axisName(index), top, height, domain: [Math.max(0, upper - height / inner), upper] };
      top += height + HEAD;
      return place;
    });
  }

  /* ---- traces ---- */

  function mode(line) {
    if (line.role === "marks") return "markers";
    return line.points ? "lines+markers" : "lines";
  }

  /** One empty line; plain arrays, since extendTraces refuses typed ones. `meta` says who fills it, and how. */
  function trace(panel, line, axis) {
    const quiet = QUIET.test(line.role);
    return {
      type: "scatter", x: [], y: [], customdata: [], xaxis: "x", yaxis: axis,
      name: line.name,
      mode: mode(line),
      line: { width: quiet ? 1 : 1.5, shape: line.steps ? "hv" : "linear" },
      marker: { size: line.role === "marks" ? 8 : 5, symbol: line.role === "marks" ? "triangle-down" : "circle" },
      ...(quiet ? { hoverinfo: "skip" } : { hovertemplate: "%{y:.5~g}<extra></extra>" }),
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

  const MONTHS = { tickformatstops: [
    { dtickrange: [null, 1_000], value: "%H:%M:%S.%L" },
    { dtickrange: [1_000, 60_000], value: "%H:%M:%S\n%m-%d" },
    { dtickrange: [60_000, 86_400_000], value: "%H:%M\n%m-%d" },
    { dtickrange: [86_400_000, "M1"], value: "%m-%d\n%Y" },
    { dtickrange: ["M1", null], value: "%Y-%m" },
  ] };

  /* What differs by the kind of x. Units of x: step, sample, token, s since the start, ms of the wall clock. */
  const X_KINDS = {
    step: { type: "linear", tickformat: ",d", hoverformat: ",d" },
    samples: { type: "linear", tickformat: "~s", hoverformat: ",d" },
    tokens: { type: "linear", tickformat: "~s", hoverformat: ",d" },
    relative: { type: "linear", hoverformat: ",.1f" }, // its ticks come from timeTicks
    wall: { type: "date", hoverformat: "%Y-%m-%d %H:%M:%S", ...MONTHS }, // numerals, which need no language
  };

  /** What x counts, as a title of the axis. */
  const xTitle = (kind) => tidewatch.words.say(`x_${kind}`);

  /** What stands over the values under the crosshair: "Step 1,200". */
  function hoverTitle(kind) {
    const { type, hoverformat } = X_KINDS[kind];
    if (type === "date") return `<b>%{x|${hoverformat}}</b>`;
    return `<b>${tidewatch.words.say(`x_${kind}_at`, { x: `%{x:${hoverformat}}` })}</b>`;
  }

  /** Shared by all panels, ticks under the last one. */
  function xAxis(kind, anchor) {
    return {
      anchor, domain: [0, 1],
      ...X_KINDS[kind],
      unifiedhovertitle: { text: hoverTitle(kind) },
      showspikes: true, spikemode: "across", spikesnap: "hovered data", spikethickness: 1, spikedash: "solid",
      showgrid: false, zeroline: false, showline: true, ticks: "",
    };
  }

  /** One a panel; a drag zooms x alone, and the values follow what is in view. */
  function yAxis(panel, place, logged) {
    return {
      anchor: "x", domain: place.domain, fixedrange: true, showspikes: false, zeroline: false, ticks: "",
      ...scale(panel, place.height, isLog(panel, logged)),
    };
  }

  /** Kind of axis and where its ticks are. */
  function scale(panel, height, log) {
    if (log && panel.axis === "powers") return { type: "log", tickmode: "array", tickvals: POWERS, ticktext: POWERS.map(binary) };
    return { type: log ? "log" : "linear", tickformat: panel.ticks, nticks: Math.max(3, Math.floor(height / 26)) };
  }

  const BINARY = [[2 ** 30, "G"], [2 ** 20, "M"], [2 ** 10, "k"]];

  /** A power of two as a person calls it: 64k is 65,536. */
  function binary(power) {
    const [size, prefix] = BINARY.find(([one]) => power >= one) ?? [1, ""];
    return `${Math.floor(power / size)}${prefix}`;
  }

  const DURATIONS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400]; // s; longer ones are whole days

  /** A tick of an axis whose ticks are `gap` s apart: where minutes would all read alike, a stopwatch's 1:02:45. */
  function timeText(seconds, gap) {
    if (gap >= 60) return tidewatch.numbers.duration(seconds);
    if (Math.abs(seconds) < 100) return `${seconds} s`;
    const [minutes, rest] = [Math.floor(seconds / 60), Number((((seconds % 60) + 60) % 60).toFixed(6))];
    const two = (number) => (number < 10 ? `0${number}` : String(number));
    return minutes < 60 ? `${minutes}:${two(rest)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(rest)}`;
  }

  /** Ticks of an axis of durations (s) at whole seconds, minutes, hours or days, at most `most` or one more:
   *  {tickmode, tickvals, ticktext}, to be laid into the x axis. */
  function timeTicks([low, high], most = 8) {
    const least = (high - low) / most;
    const days = Math.ceil(least / 86_400) * 86_400;
    const gap = least > 0.5 ? DURATIONS.find((one) => one >= least) ?? days : 10 ** Math.ceil(Math.log10(least || 1));
    const first = Math.ceil(low / gap);
    const count = Math.max(0, Math.floor(high / gap) - first + 1);
    const tickvals = Array.from({ length: count }, (_, k) => Number(((first + k) * gap).toPrecision(12)));
    return { tickmode: "array", tickvals, ticktext: tickvals.map((value) => timeText(value, gap)) };
  }

  /* ---- the figure ---- */

  /** All of the layout but the axes. `hoversubplots` makes one crosshair of all panels. */
  function frame() {
    return {
      autosize: true,
      margin: { ...SIDES, t: HEAD, pad: 0 },
      showlegend: false,
      hovermode: "x unified",
      hoversubplots: "axis",
      hoverdistance: 20, // px; farther points of a sparse curve are not this step's
      dragmode: "zoom",
      uirevision: "curves",
    };
  }

  /** The empty figure of a list of panels: {data, layout, places, height (px)}. Options:
   *    x        step | samples | tokens | relative | wall
   *    logged   Set of the keys of panels whose y axis is the other kind than by default (state.log)
   *    heights  {key: px} where a height is not the panel's own
   *    extra    {key: lines} drawn besides the panel's own: a line as above, `under: true` to lie beneath them, and
   *             `trace` with whatever Plotly should take as it is (a band: {fill: "tonexty"}) */
  function build(panels, { x = "step", logged = new Set(), heights = {}, extra = {} } = {}) {
    const found = places(panels, heights);
    const data = panels.flatMap((panel, index) => linesOf(panel, extra).map((line) => trace(panel, line, axisName(index))));
    const layout = { ...frame(), xaxis: xAxis(x, axisName(Math.max(0, panels.length - 1))) };
    panels.forEach((panel, index) => (layout[axisKey(axisName(index))] = yAxis(panel, found[index], logged)));
    return { data, layout, places: found, height: total(panels, heights) };
  }

  tidewatch.layout = { HEAD, SIDES, build, places, total, axisName, axisKey, isLog, binary, xTitle, timeTicks };
})();
