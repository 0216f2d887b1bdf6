/* New points at the end of lines that stand: each line goes on in a short path of its own behind Plotly's, a hundredth of
   a whole drawing, of which the browser paints no more than that end. It holds while the axes hold; whatever else a point
   brings with it asks for a whole drawing. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const END = "line-end";
  const GROWING = new Set(["raw", "smooth"]);

  /** What `after` has more than `before`, two lists of traces of one figure: [{index, x, y}], without those that gained
   *  nothing; null when more has changed than the ends of lines. Pure. */
  function appended(before, after) {
    if (before.length !== after.length) return null;
    const parts = [];
    for (let index = 0; index < after.length; index += 1) {
      const part = grown(before[index], after[index]);
      if (!part) return null;
      if (part.x.length) parts.push({ index, ...part });
    }
    return parts;
  }

  function grown(before, after) {
    const { role, panel } = after.meta;
    const gained = after.x.length - before.x.length;
    if (role !== before.meta.role || panel !== before.meta.panel || gained < 0) return null;
    if (gained === 0) return { x: [], y: [] };
    if (!GROWING.has(role) || after.mode !== "lines" || !Number.isFinite(before.y[before.y.length - 1])) return null;
    return { x: Array.from(after.x.slice(-gained)), y: Array.from(after.y.slice(-gained)) };
  }

  /** Whether the points lie within the axes as they are drawn: [low, high] of x, and of y (logarithms if `log`). Pure. */
  function fits({ x, y }, [left, right], { range: [low, high], type }) {
    const height = type === "log" ? Math.log10 : Number;
    return x.every((one) => one >= left && one <= right) && y.every((one) => height(one) >= low && height(one) <= high);
  }

  /** A path on from its end, in px: straight, or as stairs. Pure. */
  function onward(points, isStairs) {
    return points.map(([x, y]) => (isStairs ? `H${x.toFixed(2)}V${y.toFixed(2)}` : `L${x.toFixed(2)},${y.toFixed(2)}`)).join("");
  }

  /** The last piece of a trace's line on the page; null when Plotly has not drawn it as expected. */
  function pathOf(graph, index) {
    const uid = graph._fullData[index]?.uid;
    return [...(graph.querySelectorAll(`.scatterlayer .trace${uid} .js-line`) ?? [])].at(-1) ?? null;
  }

  /** The path in which a line goes on; it begins at the line's last point. */
  function endOf(path, [x, y]) {
    const next = path.nextElementSibling;
    if (next?.classList.contains(END)) return next;
    const end = path.cloneNode();
    end.setAttribute("class", END);
    end.setAttribute("d", `M${x.toFixed(2)},${y.toFixed(2)}`);
    path.after(end);
    return end;
  }

  /** Writes the parts into the figure; false when it cannot, and nothing was written. */
  function write(graph, parts) {
    const { xaxis, ...axes } = graph._fullLayout;
    const lines = parts.map((part) => ({ ...part, path: pathOf(graph, part.index), trace: graph.data[part.index] }));
    if (lines.some(({ path }) => !path?.getAttribute("d"))) return false;
    for (const { x, y, path, trace } of lines) {
      const yaxis = axes[tidewatch.layout.axisKey(trace.yaxis)];
      const place = (one, height) => [xaxis.c2p(one), yaxis.c2p(height)];
      const end = endOf(path, place(trace.x.at(-1), trace.y.at(-1)));
      const points = x.map((one, k) => place(one, y[k]));
      end.setAttribute("d", end.getAttribute("d") + onward(points, trace.line.shape === "hv"));
    }
    return true;
  }

  /** Takes the ends away, before Plotly draws whole lines. */
  function clear(graph) {
    for (const end of graph.querySelectorAll(`.${END}`)) end.remove();
  }

  tidewatch.tail = { appended, fits, onward, pathOf, write, clear };
})();
