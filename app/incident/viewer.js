/* The script of an incident bundle: draws the panels from the columns in the page, zooms all of them together. It asks
   for nothing: everything is in the page, and the page's policy lets it ask for nothing. */
(() => {
  "use strict";
  const told = JSON.parse(document.getElementById("drawing").textContent);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const narrow = matchMedia("(max-width: 640px)");
  const coarse = matchMedia("(pointer: coarse)");
  const panels = new Map(); // key → {told, host, log}
  let range = [told.first, told.last];
  let moving = false;

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  /** A name as Plotly shows it: it would take "<b>" for bold. */
  const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

  function bytes(text) {
    return Uint8Array.from(atob(text), (one) => one.charCodeAt(0)).buffer;
  }

  for (const panel of told.panels) {
    for (const line of panel.lines) {
      line.x = line.wide ? new Float64Array(bytes(line.steps)) : new Int32Array(bytes(line.steps));
      line.y = new Float64Array(bytes(line.values));
      delete line.steps;
      delete line.values;
    }
  }

  /** Finite values alone; a gap where a value is none. */
  const drawn = (line) => Array.from(line.y, (one) => (Number.isFinite(one) ? one : null));

  function trace(line, at, lines) {
    const quiet = line.kind === "older" || line.kind === "median";
    const marks = line.kind === "marks";
    return {
      type: "scatter",
      x: Array.from(line.x),
      y: marks ? Array.from(line.y, () => 0.94) : drawn(line),
      yaxis: marks ? "y2" : "y",
      name: plain(line.label),
      meta: line.name,
      showlegend: lines.findIndex(({ label }) => label === line.label) === at,
      mode: marks ? "markers" : line.dots || line.x.length < 3 ? "lines+markers" : "lines",
      line: { color: colour(line.colour), width: quiet ? 1 : 1.6, shape: line.stairs ? "hv" : "linear" },
      marker: { color: colour(line.colour), size: marks ? 7 : 5, symbol: marks ? "x" : "circle" },
      connectgaps: false,
      hovertemplate: `${plain(told.words.step)} %{x:,d}${marks ? "" : "<br>%{y:.7g}"}<extra>${plain(line.name)}</extra>`,
    };
  }

  const level = (first, last, extra) => ({ type: "rect", xref: "x", yref: "paper", x0: first, x1: last, y0: 0, y1: 1, ...extra });

  function shapes(panel) {
    const bands = panel.bands.map((one) =>
      level(one.first, Math.max(one.last, one.first), {
        layer: "below",
        fillcolor: colour(one.grave === "critical" ? "--bad-ground" : one.grave === "warning" ? "--warn-ground" : "--info-ground"),
        line: { width: 1, color: colour(one.grave === "critical" ? "--bad-line" : one.grave === "warning" ? "--warn-line" : "--line") },
      }),
    );
    const strange = panel.lines.flatMap((line) =>
      line.spans.map(([kind, first, last]) =>
        kind === "nan"
          ? level(first, last, { layer: "below", fillcolor: colour("--nan-shade"), line: { width: 1.5, color: colour("--bad") } })
          : level(first, last, {
              y0: kind === "up" ? 0.94 : 0,
              y1: kind === "up" ? 1 : 0.06,
              fillcolor: colour("--bad"),
              line: { width: 2, color: colour("--bad") },
            }),
      ),
    );
    return [...bands, ...strange];
  }

  /** The numbers of findings; "NaN" and "+Inf" behind such a stretch, the first of each kind. */
  function labels(panel) {
    const seen = new Set();
    const found = panel.bands.map((one) => ({ text: String(one.at + 1), x: one.first, xref: "x", y: 1, yref: "paper", showarrow: false,
      xanchor: "left", yanchor: "top", font: { color: colour(one.grave === "critical" ? "--bad" : "--warn"), size: 11 } }));
    for (const line of panel.lines) {
      for (const [kind, , last] of line.spans) {
        if (seen.has(kind)) continue;
        seen.add(kind);
        const text = { nan: "NaN", up: "+Inf", down: "−Inf" }[kind];
        found.push({ text, x: last, xref: "x", y: kind === "down" ? 0.08 : 0.92, yref: "paper", showarrow: false,
          xanchor: "left", font: { color: colour("--bad"), size: 11 } });
      }
    }
    return found;
  }

  /** The range of an axis whose values are all the same: Plotly would take one that tells nothing of a small value. */
  function flat(panel) {
    const values = panel.told.lines.filter(({ kind }) => kind !== "marks").flatMap((line) => Array.from(line.y).filter(Number.isFinite));
    const low = values.reduce((least, one) => Math.min(least, one), Infinity);
    const high = values.reduce((most, one) => Math.max(most, one), -Infinity);
    if (low !== high || low === 0) return {};
    const ends = [low - Math.abs(low) / 10, low + Math.abs(low) / 10];
    return { range: panel.log ? ends.map(Math.log10) : ends };
  }

  function layout(panel) {
    const axis = { gridcolor: colour("--grid"), linecolor: colour("--line"), zeroline: false, color: colour("--ink2") };
    const several = new Set(panel.told.lines.map(({ label }) => label)).size > 1;
    return {
      margin: { l: narrow.matches ? 46 : 62, r: 10, t: 8, b: several && narrow.matches ? 34 : 30 },
      height: panel.told.key === "loss" || panel.told.key.startsWith("ranks-") ? 280 : 190,
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: "system-ui, sans-serif", size: 12, color: colour("--ink2") },
      hovermode: "closest",
      hoverlabel: { bgcolor: colour("--card"), bordercolor: colour("--line"), font: { color: colour("--ink") } },
      dragmode: coarse.matches ? false : "zoom",
      showlegend: several,
      legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0, font: { size: 11 } },
      xaxis: { ...axis, range: [...range], tickformat: ",d", nticks: narrow.matches ? 4 : 9 },
      yaxis: { ...axis, type: panel.log ? "log" : "linear", fixedrange: true, exponentformat: "e", nticks: 6,
        ...flat(panel) },
      // flags are set or not, whatever the values of the panel are
      yaxis2: { overlaying: "y", range: [0, 1], visible: false, fixedrange: true },
      shapes: shapes(panel.told),
      annotations: labels(panel.told),
      transition: still.matches ? undefined : { duration: 0 },
    };
  }

  const OPTIONS = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false, showTips: false };

  function draw(panel) {
    return globalThis.Plotly.react(panel.host, panel.told.lines.map(trace), layout(panel), OPTIONS);
  }

  const number = new Intl.NumberFormat(document.documentElement.lang);

  function show(first, last) {
    range = [first, last];
    moving = true;
    const done = [...panels.values()].map(({ host }) => globalThis.Plotly.relayout(host, { "xaxis.range": [...range] }));
    Promise.all(done).finally(() => (moving = false));
    say();
  }

  function say() {
    const whole = range[0] === told.first && range[1] === told.last;
    const text = told.words.shown
      .replace("{first}", number.format(Math.ceil(range[0])))
      .replace("{last}", number.format(Math.floor(range[1])));
    document.getElementById("window").textContent = text;
    for (const one of document.querySelectorAll("[data-zoom=out], [data-zoom=all]")) one.disabled = whole;
  }

  function zoom(how) {
    const [first, last] = range;
    const width = Math.max(last - first, 1);
    const by = { in: -width / 4, out: width / 2, left: 0, right: 0, all: Infinity }[how];
    const shift = { left: -width / 3, right: width / 3 }[how] ?? 0;
    let from = first - by + shift;
    let to = last + by + shift;
    if (how === "left" || how === "right") {
      from = Math.min(Math.max(from, told.first), told.last - width);
      to = from + width;
    }
    show(Math.max(told.first, from), Math.min(told.last, to));
  }

  function listen(panel) {
    panel.host.on("plotly_relayout", (change) => {
      if (moving) return;
      const from = change["xaxis.range[0]"] ?? change["xaxis.range"]?.[0];
      const to = change["xaxis.range[1]"] ?? change["xaxis.range"]?.[1];
      if (Number.isFinite(from) && Number.isFinite(to)) show(Math.max(told.first, from), Math.min(told.last, to));
    });
    panel.host.on("plotly_doubleclick", () => show(told.first, told.last));
  }

  for (const one of told.panels) {
    const host = document.getElementById(`plot-${one.key}`);
    const panel = { told: one, host, log: one.log && one.lines.every((line) => line.y.every((y) => !(y <= 0))) };
    panels.set(one.key, panel);
    const button = document.querySelector(`[data-log="${CSS.escape(one.key)}"]`);
    button.setAttribute("aria-pressed", String(panel.log));
    button.addEventListener("click", () => {
      panel.log = !panel.log;
      button.setAttribute("aria-pressed", String(panel.log));
      draw(panel);
    });
  }

  document.addEventListener("click", ({ target }) => {
    const how = target.closest("[data-zoom]")?.dataset.zoom;
    if (how) zoom(how);
    const steps = target.closest("[data-steps]")?.dataset.steps;
    if (!steps) return;
    const [first, last] = steps.split(",").map(Number);
    const around = Math.max(last - first, (told.last - told.first) / 50, 2);
    show(Math.max(told.first, first - around), Math.min(told.last, last + around));
    document.getElementById("curves").scrollIntoView({ behavior: still.matches ? "auto" : "smooth" });
  });

  const again = () => panels.forEach(draw);
  dark.addEventListener("change", again);
  addEventListener("beforeprint", () => panels.forEach(({ host }) => globalThis.Plotly.Plots.resize(host)));

  for (const mark of document.querySelectorAll("pre mark")) {
    const lines = mark.parentElement;
    lines.scrollTop += mark.getBoundingClientRect().top - lines.getBoundingClientRect().top - lines.clientHeight / 3;
  }

  say();
  Promise.all([...panels.values()].map((panel) => draw(panel).then(() => listen(panel)))).then(() => {
    document.documentElement.dataset.drawn = "yes";
  });
})();
