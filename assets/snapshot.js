/* Save PNG: the figure as it stands, or one panel of it, with the panel heads (HTML on the page) written into it. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SIZE = { width: 1200, height: 720, scale: 2 };
  const ALONE = { ...SIZE, height: 480 };

  const note = (text, x, y, xanchor, colour) => ({
    text, x, y, xanchor, xref: "paper", yref: "paper", yanchor: "bottom", yshift: 6, showarrow: false,
    font: { size: 13, color: colour },
  });

  /** Title and last value of each panel as Plotly's annotations; `domains` are the panels' tops. Pure. */
  function annotations(heads, colours) {
    return heads.flatMap(({ title, last, top }) => [
      note(`<b>${title}</b>`, 0, top, "left", colours.ink),
      note(`<b>${last}</b>`, 1, top, "right", colours.ink),
    ]);
  }

  function headsOf(card, layout) {
    return [...card.querySelectorAll("[data-panel]")].map((head, index) => ({
      key: head.dataset.panel,
      title: head.querySelector("h3").textContent,
      last: head.querySelector(".last").textContent,
      top: layout[index ? `yaxis${index + 1}` : "yaxis"].domain[1],
    }));
  }

  const Y_AXIS = /^yaxis\d*$/; // yaxis, yaxis2 …

  /** The figure with the one panel of a y axis ("y3") alone, as high as the picture. Pure. */
  function alone({ data, layout }, yaxis) {
    const { axisKey } = tidewatch.layout;
    const others = Object.keys(layout).filter((key) => Y_AXIS.test(key) && key !== axisKey(yaxis));
    const kept = Object.fromEntries(Object.entries(layout).filter(([key]) => !others.includes(key)));
    return {
      data: data.filter((trace) => trace.yaxis === yaxis),
      layout: {
        ...kept,
        xaxis: { ...layout.xaxis, anchor: yaxis },
        [axisKey(yaxis)]: { ...layout[axisKey(yaxis)], domain: [0, 1] },
        shapes: (layout.shapes ?? []).filter(({ yref }) => yref.split(" ")[0] === yaxis), // y3 domain
      },
    };
  }

  /** What is drawn, or of it the panel of a key: {figure, heads}. */
  function taken(card, graph, key) {
    const heads = headsOf(card, graph.layout);
    const at = key === null ? -1 : heads.findIndex((head) => head.key === key);
    if (at < 0) return { figure: graph, heads, size: SIZE, name: "" };
    const figure = alone(graph, tidewatch.layout.axisName(at));
    return { figure, heads: [{ ...heads[at], top: 1 }], size: ALONE, name: ` ${heads[at].title}` };
  }

  async function save({ card, run, plot: { graph } }, key = null) {
    const { figure, heads, size, name } = taken(card, graph, key);
    const colours = { ink: tidewatch.theme.colour("--ink") };
    const title = { text: run, font: { size: 15, color: colours.ink }, x: 0.01, xanchor: "left", y: 0.985 };
    const layout = {
      ...figure.layout, title, annotations: annotations(heads, colours),
      margin: { ...figure.layout.margin, t: 64 },
    };
    const image = await Plotly.toImage({ data: figure.data, layout }, { format: "png", ...size });
    const link = document.createElement("a");
    link.href = image;
    link.download = `${run}${name}.png`;
    link.click();
  }

  tidewatch.shareMenu.on("png", () => save(tidewatch.curves), { frozen: true });

  tidewatch.snapshot = { annotations, alone, save };
})();
