/* Save PNG: the figure as it stands, with the panel heads (HTML on the page) written into it. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SIZE = { width: 1200, height: 720, scale: 2 };

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
      title: head.querySelector("h3").textContent,
      last: head.querySelector(".last").textContent,
      top: layout[index ? `yaxis${index + 1}` : "yaxis"].domain[1],
    }));
  }

  async function save({ card, run, plot: { graph } }) {
    const colours = { ink: tidewatch.theme.colour("--ink") };
    const title = { text: run, font: { size: 15, color: colours.ink }, x: 0.01, xanchor: "left", y: 0.985 };
    const layout = {
      ...graph.layout, title, annotations: annotations(headsOf(card, graph.layout), colours),
      margin: { ...graph.layout.margin, t: 64 },
    };
    const image = await Plotly.toImage({ data: graph.data, layout }, { format: "png", ...SIZE });
    const link = document.createElement("a");
    link.href = image;
    link.download = `${run}.png`;
    link.click();
  }

  tidewatch.snapshot = { annotations, save };
})();
