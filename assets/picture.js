/* Pictures of the curves, as the reader sees them: the whole figure or one panel, with the run's name, what of it is seen, the
   names of axes and lines, marks, and the time. A PNG is twice as fine as the sheet; the SVG is the sheet itself. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key, values) => tidewatch.words.say(key, values);
  const WIDTH = 1200; // px of the sheet, whatever the page's width
  const ALONE = 440; // px of a panel that has the picture for itself
  const [SIDE, TOP, LINE] = [16, 62, 18]; // px at the edges, above the figure, and of a line of text
  const NOTED = 8; // marks that are told one by one

  const COLOURS = { ground: "--card", ink: "--ink", ink2: "--ink2", ink3: "--ink3", line: "--line" };

  const look = () => ({
    colours: Object.fromEntries(Object.entries(COLOURS).map(([name, variable]) => [name, tidewatch.theme.colour(variable)])),
    font: tidewatch.theme.colour("--font"),
  });

  /* ---- what is drawn ---- */

  /** The panels and the drawing of the whole figure, or of the panel of a key alone. */
  function chosen({ scene }, key) {
    const panel = scene.panels.find((one) => one.key === key);
    if (!panel) return { panels: scene.panels, base: scene.base, drawn: scene.drawn };
    const { x, log } = tidewatch.state.get();
    const base = tidewatch.layout.build([panel], { x, logged: new Set(log), heights: { [key]: ALONE } });
    const drawn = { ...scene.drawn, templates: base.data, layout: base.layout };
    return { panels: [panel], base, drawn: { ...drawn, under: tidewatch.under.traces(drawn) } };
  }

  const headOf = (card, key) => [...card.querySelectorAll("[data-panel]")].find((head) => head.dataset.panel === key);

  /** What the head of a panel says on the page. */
  function titled(card, panel, isLog) {
    const head = headOf(card, panel.key);
    const text = (name) => head?.querySelector(name)?.textContent ?? "";
    const unit = [text(".unit"), isLog ? say("picture_log") : ""].filter(Boolean).join(say("comma"));
    return { title: panel.title, unit, last: text(".last"), colour: tidewatch.theme.colour(panel.lines[0].colour) };
  }

  /** The marks of alerts over the page's figure: [{x, panel (its place in the list), tone, text}]. */
  function marked({ card, plot, scene }) {
    const tops = scene.base.places.map(({ top }) => top + tidewatch.layout.HEAD);
    return [...card.querySelectorAll("[data-alert-mark]")].map((button) => {
      const [left, top] = [parseFloat(button.style.left), parseFloat(button.style.top)];
      const panel = tops.reduce((best, one, at) => (Math.abs(one - top) < Math.abs(tops[best] - top) ? at : best), 0);
      return { x: plot.x(left), key: scene.panels[panel]?.key, tone: button.className.match(/tone-(\w+)/)?.[1] ?? "", text: button.title };
    }).filter(({ x }) => Number.isFinite(x)).sort((one, other) => one.x - other.x);
  }

  /** Notes on what is seen: [{x, end, key: null, tone, text}]. */
  function noted({ plot }, { axis }) {
    const [low, high] = plot.range;
    const found = (tidewatch.notes?.notes ?? []).map((note) => ({ x: axis.at(note.first), end: axis.at(note.last), key: null, tone: "note", text: tidewatch.noteWords.label([note]) }));
    const seen = ({ x, end }) => Number.isFinite(x) && Number.isFinite(end) && end >= low && x <= high;
    return found.filter(seen).map((one) => ({ ...one, x: Math.max(low, one.x), end: Math.min(high, one.end) }));
  }

  /* ---- the sheet ---- */

  /** A sign of a line in the legend, 16 px wide, its middle at y. */
  function sign(sheet, x, y, { sign: kind, colour, faint }) {
    const more = { "stroke-width": faint ? 1.5 : 2, ...(faint ? { opacity: 0.45 } : {}) };
    const dashes = { dash: "5 3", dot: "2 2" }[kind];
    if (["line", "points", "dash", "dot"].includes(kind)) sheet.line(x, y, x + 16, y, colour, { ...more, ...(dashes ? { "stroke-dasharray": dashes } : {}) });
    if (["point", "points"].includes(kind)) sheet.path(`M${x + 5},${y}a3,3 0 1,0 6,0a3,3 0 1,0 -6,0`, colour);
    if (kind === "box") sheet.box(x, y - 5, 16, 10, colour);
    if (kind === "up") sheet.path(`M${x + 4},${y + 4}h8l-4,-8z`, colour);
    if (kind === "down") sheet.path(`M${x + 4},${y - 4}h8l-4,8z`, colour);
  }

  /** Entries from x on as far as there is room; the rest as their count. */
  function legend(sheet, entries, x, y, end) {
    for (const [at, one] of entries.entries()) {
      const wide = 21 + sheet.wide(tidewatch.pictureSheet.clean(one.text), 11.5);
      const isLast = at === entries.length - 1;
      if (x + wide > end - (isLast ? 0 : 30)) {
        const left = entries.length - at;
        sheet.text(x, y, `+${left}`, { size: 11.5 });
        return;
      }
      sign(sheet, x, y - 4, one);
      sheet.text(x + 21, y, one.text, { size: 11.5 });
      x += wide + 14;
    }
  }

  /** A panel without a point says so, since it would look like a mistake. */
  function emptyText(sheet, place, traces) {
    if (traces.some((one) => one.yaxis === place.axis && one.x.length)) return;
    sheet.text(WIDTH / 2, TOP + place.top + tidewatch.layout.HEAD + place.height / 2 + 4, say("note_none"), { anchor: "middle", colour: sheet.colours.ink3 });
  }

  function panelHead(sheet, { title, unit, last, colour }, entries, y) {
    const end = WIDTH - SIDE - sheet.text(WIDTH - SIDE, y, last, { size: 13, bold: true, colour, anchor: "end", room: 160 }) - 14;
    let x = SIDE + sheet.text(SIDE, y, title, { size: 13, bold: true, colour: sheet.colours.ink, room: 520 }) + 8;
    x += unit ? sheet.text(x, y, unit, { size: 11.5, colour: sheet.colours.ink3, room: 200 }) + 10 : 6;
    legend(sheet, entries, x, y, end);
  }

  function heading(sheet, name, facts, time) {
    const taken = sheet.text(WIDTH - SIDE, 26, time, { size: 12, anchor: "end", colour: sheet.colours.ink3 });
    sheet.text(SIDE, 28, name, { size: 18, bold: true, colour: sheet.colours.ink, room: WIDTH - 3 * SIDE - taken });
    sheet.text(SIDE, 49, facts.join(say("picture_between")), { size: 12.5, room: WIDTH - 2 * SIDE });
  }

  const toned = (tone) => tidewatch.theme.colour({ bad: "--bad", warn: "--warn", info: "--info", note: "--accent" }[tone] ?? "--ink3");

  /** Marks over the panels with their numbers, and what the first of them are below. */
  function marks(sheet, found, { places, px, y, below }) {
    const whole = { top: 0, height: places.at(-1).top + places.at(-1).height };
    found.forEach(({ x, end = x, key, tone, text }, at) => {
      const place = key === null ? whole : places.find((one) => one.key === key);
      if (end > x) sheet.box(px(x), y + place.top + tidewatch.layout.HEAD, Math.max(2, px(end) - px(x)), place.height, toned(tone), { opacity: 0.12 });
      flag(sheet, px(x), y + place.top + tidewatch.layout.HEAD, place.height, toned(tone), at + 1);
      if (at < NOTED) sheet.text(SIDE, below + at * LINE, `${at + 1}  ${text}`, { size: 12, colour: toned(tone), room: WIDTH - 2 * SIDE });
    });
    if (found.length > NOTED) sheet.text(SIDE, below + NOTED * LINE, say("picture_more", { count: found.length - NOTED }), { size: 12 });
  }

  function flag(sheet, x, top, height, colour, number) {
    sheet.line(x, top, x, top + height, colour, { "stroke-dasharray": "3 3", opacity: 0.7 });
    sheet.path(`M${x - 5},${top}h10l-5,8z`, colour);
    if (number <= NOTED) sheet.text(x + 7, top + 9, String(number), { size: 11, bold: true, colour });
  }

  const lines = (count) => (count ? Math.min(count, NOTED) + (count > NOTED) : 0);

  /** Plotly's drawing as SVG. */
  async function figured(figure, size) {
    const address = await Plotly.toImage({ data: figure.data, layout: figure.layout, config: { staticPlot: true } }, { format: "svg", ...size });
    return decodeURIComponent(address.slice(address.indexOf(",") + 1));
  }

  /** What of the run a drawing shows, in the words of pictureWords. */
  function shownOf({ held, plot: { range } }, drawn) {
    const { smoothing, attempts, clip, axis } = drawn;
    return { frozen: tidewatch.frozen.at, steps: tidewatch.pictureWords.steps(axis, range, held.extent(axis)), axis, smoothing, attempts, clip };
  }

  /** The sheet of the curves or of one panel: {svg, width, height, name (parts of a file's name)}. */
  async function sheetOf(curves, key = null, now = Date.now() / 1_000) {
    const { panels, base, drawn } = chosen(curves, key);
    const words = tidewatch.pictureWords;
    const size = { width: WIDTH, height: base.height };
    const figure = tidewatch.figure.draw(drawn, curves.plot.range, size);
    const found = [...marked(curves).filter((one) => panels.some((panel) => panel.key === one.key)), ...noted(curves, drawn)].sort((one, other) => one.x - other.x);
    const below = TOP + base.height + LINE + 8;
    const sheet = new tidewatch.pictureSheet.Sheet(WIDTH, below + lines(found.length) * LINE + 4, look());
    const shown = shownOf(curves, drawn);
    const name = document.querySelector(".names h1")?.firstChild?.textContent || curves.run;
    heading(sheet, name, words.facts(shown), words.moment(now));
    sheet.inset(await figured(figure, size), 0, TOP);
    base.places.forEach((place) => emptyText(sheet, place, figure.data));
    panels.forEach((panel, at) => panelHead(sheet, titled(curves.card, panel, figure.layout[tidewatch.layout.axisKey(base.places[at].axis)].type === "log"), words.ofPanel(figure.data, figure.layout.shapes, base.places[at].axis, shown), TOP + base.places[at].top + 20));
    sheet.text(WIDTH / 2, TOP + base.height + (drawn.axis.kind === "wall" ? 10 : 0), words.axisName(drawn.axis), { anchor: "middle" });
    const [low, high] = curves.plot.range;
    const { l, r } = tidewatch.layout.SIDES;
    const px = (x) => l + ((x - low) / (high - low)) * (WIDTH - l - r);
    marks(sheet, found, { places: base.places, px, y: TOP, below: below + 6 });
    sheet.name([name, ...panels.map(({ title }) => title)].join(", "), [...words.facts(shown), words.moment(now)].join(", "));
    const steps = shown.steps ? shown.steps.join("-") : "";
    return { ...sheet.done(), name: [name, panels.length === 1 ? panels[0].title : "", steps] };
  }

  const isDrawn = () => Boolean(tidewatch.curves?.plot.drawn && tidewatch.curves.plot.range);

  tidewatch.picture = { sheetOf, isDrawn };
})();
