/* A curve as small as a word: <span data-spark="0,0.9 0.5,0.2 - 1,0.1">, places 0 to 1, "-" where it is no number. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const WIDTH = 96;
  const HEIGHT = 26;
  const EDGE = 2; // px left free, so that the line is whole at its ends
  const SVG = "http://www.w3.org/2000/svg";

  /** The path of an SVG; a point between two gaps is a dot. Pure. */
  function path(text, width = WIDTH, height = HEIGHT) {
    const place = (one) => {
      const [x, y] = one.split(",").map(Number);
      return `${(EDGE + x * (width - 2 * EDGE)).toFixed(1)} ${(EDGE + (1 - y) * (height - 2 * EDGE)).toFixed(1)}`;
    };
    const pieces = ` ${text} `.split(/(?: - ?)+/).map((piece) => piece.split(" ").filter((one) => one.includes(",")));
    return pieces.filter((piece) => piece.length).map((piece) => `M${piece.map(place).join("L")}${piece.length === 1 ? "h0.1" : ""}`).join("");
  }

  function draw(element) {
    const told = element.dataset.spark;
    if (element.drawn === told) return;
    element.drawn = told;
    const svg = document.createElementNS(SVG, "svg");
    for (const [key, value] of Object.entries({ viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, "aria-hidden": "true" })) svg.setAttribute(key, value);
    const line = svg.appendChild(document.createElementNS(SVG, "path"));
    line.setAttribute("d", path(told));
    element.replaceChildren(svg);
  }

  const look = () => document.querySelectorAll("[data-spark]").forEach(draw);
  tidewatch.arrivals.watch(look, ["data-spark"]);

  tidewatch.sparkline = { path };
})();
