/* The legend below the map: the scale with its numbers, and the cells that are no plain number, each with its pattern. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key, values) => tidewatch.words.say(key, values);
  const PIECES = 24; // of the scale's picture
  const KINDS = [[2, "nan"], [3, "up"], [4, "down"], [6, "frozen"], [5, "zero"], [1, "missing"]];

  /** Which kinds of cell there are among some rows. Pure. */
  function present(lines) {
    const found = new Uint8Array(7);
    for (const { kinds } of lines) for (const kind of kinds) found[kind] = 1;
    return found;
  }

  function gradient(palette) {
    const { css, SHADES } = tidewatch.ranksScale;
    const stops = Array.from({ length: PIECES + 1 }, (_, k) => css(palette, Math.round((k / PIECES) * (SHADES - 1))));
    return `linear-gradient(90deg, ${stops.join(", ")})`;
  }

  const written = (scale, mark) => (scale.show === "deviation" ? (mark === 0 ? "0" : tidewatch.ranksSays.signed(mark)) : tidewatch.numbers.value(mark));

  /** The numbers of a scale at their places; the ends say that more lies beyond. Pure but for words. */
  function marks(scale) {
    const last = scale.marks.length - 1;
    return scale.marks.map((mark, k) => {
      const ends = k === 0 ? "≤ " : k === last ? "≥ " : "";
      return { share: scale.share(mark), text: ends + written(scale, mark), end: k === 0 ? "first" : k === last ? "last" : "" };
    });
  }

  function bar({ scale, palette }) {
    const { element } = tidewatch.ranksPanel;
    const picture = element("div", { class: "ranks-bar" });
    picture.style.background = gradient(palette);
    const texts = marks(scale).map(({ share, text, end }) => {
      const made = element("span", { class: end }, text);
      made.style.left = `${(share * 100).toFixed(1)}%`;
      return made;
    });
    return element("div", { class: "ranks-scale" }, picture, element("div", { class: "ranks-marks" }, ...texts));
  }

  function swatch(patterns, kind, name) {
    const { element } = tidewatch.ranksPanel;
    const picture = element("i", { class: `ranks-swatch ${name}`, "aria-hidden": "true" });
    if (patterns[kind]) picture.style.backgroundImage = `url(${patterns[kind].toDataURL()})`;
    return element("span", { class: "ranks-kind" }, picture, say(`ranks_kind_${name}`));
  }

  /** Fills `root`. `look`: {show, scale, palette}; `lines`: a sample of the rows; `note`: what the labels leave out. */
  function fill(root, { look, patterns, lines, note }) {
    const { element } = tidewatch.ranksPanel;
    const found = present(lines);
    const title = element("span", { class: "ranks-unit" }, say(look.show === "deviation" ? "ranks_scale_deviation" : look.scale.isLog ? "ranks_scale_log" : "ranks_scale_value", { unit: look.unit ?? "" }));
    const kinds = KINDS.filter(([kind]) => found[kind]).map(([kind, name]) => swatch(patterns, kind, name));
    root.replaceChildren(element("div", { class: "ranks-scale-box" }, title, bar(look)), element("div", { class: "ranks-kinds" }, ...kinds), element("p", { class: "hint" }, note));
  }

  tidewatch.ranksLegend = { present, marks, fill };
})();
