/* The same figure over another stretch, or with other points in its lines: its axes are moved, and its lines written anew,
   a third of a whole drawing. Whatever else changes (a panel, a colour, a mark, a shaded stretch) asks for a whole one. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const PLAIN = new Set(["raw", "smooth", "ghost"]); // roles of lines that nothing is filled up to
  const BELOW = 20; // heights under the panel: where a value lies that has no logarithm, as Plotly has it
  const AXIS = /^[xy]axis\d*$/; // xaxis, yaxis, yaxis2 …

  const TICKS = ["tickvals", "ticktext", "tickformat", "labelalias"]; // they follow the stretch
  const MOVING = {
    ...Object.fromEntries(["range", ...TICKS, "y"].map((name) => [name, () => undefined])),
    x: (column) => column.length > 0, // Plotly takes a line without a point for hidden
  };

  /** All of a figure but its points and stretches: two that are alike in it need no whole drawing. Pure. */
  function likeness(data, layout) {
    return JSON.stringify([data, layout], (name, value) => (MOVING[name] && value ? MOVING[name](value) : value));
  }

  /* ---- lines ---- */

  const isPoint = ({ x, y }, k) => Number.isFinite(x[k]) && Number.isFinite(y[k]);
  const rounded = (px) => Math.round(px * 10) / 10;

  /** Value → px from the left, or from the top, of a stretch that is `length` px long. */
  const across = ([low, high], length) => (x) => rounded(((x - low) / (high - low)) * length);

  function down([low, high], length, isLog) {
    const height = (y) => (!isLog ? y : y > 0 ? Math.log10(y) : low - BELOW * (high - low));
    return (y) => rounded((1 - (height(y) - low) / (high - low)) * length);
  }

  /** A line in px, straight or as stairs; it begins anew behind every point that is none. Pure. */
  function path(trace, toX, toY, isStairs) {
    const [to, then] = isStairs ? ["H", "V"] : ["L", ","];
    let said = "";
    let isOn = false;
    for (let k = 0; k < trace.x.length; k += 1) {
      const isGap = !isPoint(trace, k);
      if (!isGap) said += isOn ? to + toX(trace.x[k]) + then + toY(trace.y[k]) : `M${toX(trace.x[k])},${toY(trace.y[k])}`;
      isOn = !isGap;
    }
    return said;
  }

  const isPlain = ({ meta, mode }) => mode === "lines" && PLAIN.has(meta.role);

  /** Puts a trace's line into the path that Plotly has made for it. */
  function write(graph, trace, index) {
    const { xaxis, [tidewatch.layout.axisKey(trace.yaxis)]: yaxis } = graph._fullLayout;
    const line = tidewatch.tail.pathOf(graph, index);
    const toY = down(yaxis.range, yaxis._length, yaxis.type === "log");
    line?.setAttribute("d", path(trace, across(xaxis.range, xaxis._length), toY, trace.line.shape === "hv"));
  }

  /* ---- what Plotly keeps ---- */

  const NONE = { x: undefined, y: undefined };

  /** The points of a trace in Plotly's form. A plain line needs one, so that Plotly makes a path of the right colour. */
  function calculated(trace) {
    const point = (k) => (isPoint(trace, k) ? { x: trace.x[k], y: trace.y[k] } : { ...NONE });
    if (!isPlain(trace)) return Array.from(trace.x, (_, k) => point(k));
    return [point(Math.max(0, trace.x.findIndex((_, k) => isPoint(trace, k))))];
  }

  /** Gives Plotly other points for a trace that it has drawn. */
  function feed(graph, trace, index) {
    const before = graph.calcdata[index];
    Object.assign(graph.data[index], { x: trace.x, y: trace.y });
    if (trace.x.length) graph.calcdata[index] = calculated(trace);
    Object.assign(graph.calcdata[index][0], { t: before[0].t, trace: before[0].trace });
  }

  /** The stretches that are others now, as Plotly.relayout takes them; that of x always, since it moves the lines. */
  function moved(before, after) {
    const axes = Object.keys(after).filter((name) => AXIS.test(name) && after[name].range);
    const others = axes.filter((name) => name === "xaxis" || String(before[name].range) !== String(after[name].range));
    return Object.fromEntries(others.map((name) => [`${name}.range`, [...after[name].range]]));
  }

  /** Gives Plotly the ticks of an axis that it has drawn. */
  function mark(graph, name, axis) {
    const ticks = Object.fromEntries(TICKS.map((one) => [one, axis[one]]));
    for (const { [name]: drawn } of [graph.layout, graph._fullLayout]) Object.assign(drawn, ticks);
  }

  /** Draws a figure that is like the one on the page. */
  async function draw(graph, data, layout) {
    data.forEach((trace, index) => feed(graph, trace, index));
    for (const name of Object.keys(layout).filter((one) => AXIS.test(one))) mark(graph, name, layout[name]);
    await Plotly.relayout(graph, moved(graph.layout, layout));
    data.forEach((trace, index) => trace.x.length && isPlain(trace) && write(graph, trace, index));
  }

  tidewatch.again = { likeness, path, draw };
})();
