/* The map of ranks as a picture: every row that stands on the page, in sight or not, with labels, scale, and what is marked. Cells are a
   bitmap; words are words in the SVG too. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key, values) => tidewatch.words.say(key, values);
  const WIDTH = 1200; // px of the sheet
  const HEIGHT = 900; // px that rows are spread over, where these are few
  const [LEAST_ROW, MOST_ROW] = [1, 24]; // px
  const FINE = 2; // px from which on a row may be drawn on a canvas that is not a whole number of times as fine
  const MOST_ROWS = 12_000; // of more those in sight alone
  const [SIDE, TOP, LINE, AXIS] = [16, 84, 18, 44]; // px at the edges, over the map, of a line of text, and below the map
  const BAR = 220; // px of the scale
  const PIECES = 48; // of its picture
  const KINDS = [[2, "nan"], [3, "up"], [4, "down"], [6, "frozen"], [5, "zero"], [1, "missing"]];

  /** A map of a width of its own, as high as all its rows, that paints cells alone. */
  class WholeMap extends tidewatch.RanksMap {
    constructor(rows) {
      const { make } = tidewatch.elements;
      super(make("div", {}, make("div", { class: "ranks-room" }), make("canvas")));
      this.row = Math.max(LEAST_ROW, Math.min(MOST_ROW, Math.floor(HEIGHT / Math.max(1, rows))));
      const most = tidewatch.pictureFile.scaleOf({ width: WIDTH, height: rows * this.row + TOP + AXIS + 3 * LINE });
      this.scale = this.row < FINE ? Math.max(1, Math.floor(most)) : most;
    }

    get width() {
      return WIDTH - SIDE;
    }

    get gutter() {
      return 184;
    }

    get seen() {
      return [0, this.model.rows.length];
    }

    measure() {
      const { rows, look } = this.model;
      this.view = rows.length * this.row;
      this.strips = look.show === "value" && this.row >= 9 && rows.some(({ isParent }) => isParent) ? 3 : 1;
      this.place();
      Object.assign(this.canvas, { width: Math.round(this.inner * this.scale), height: Math.round(Math.max(1, this.view) * this.scale) });
      this.to.setTransform(this.scale, 0, 0, this.scale, -this.gutter * this.scale, 0);
    }

    paintLabels() {}

    paintAxis() {}
  }

  /* ---- what stands around the cells ---- */

  const isDrawn = () => Boolean(tidewatch.ranks?.map?.model?.rows.length && tidewatch.ranks.held.top?.m);

  /** The rows of the page, or those in sight where all are too many for a picture. */
  function rowsOf({ model, seen }) {
    return model.rows.length <= MOST_ROWS ? model.rows : model.rows.slice(...seen);
  }

  const labelOf = (row) => (row.odd ? [tidewatch.ranksSays.label(row), tidewatch.ranksSays.stateWord(row.state)].join(say("picture_between")) : tidewatch.ranksSays.label(row));

  const TONES = { bad: "--bad", warn: "--warn" };
  const toneOf = ({ odd, state }) => tidewatch.theme.colour(odd ? TONES[tidewatch.ranksSays.TONES[state] ?? "bad"] : "--ink2");

  function labels(sheet, map) {
    for (const { row, y } of map.labelled()) sheet.text(SIDE + 10 * row.depth, TOP + y + 4, labelOf(row), { size: 11.5, colour: toneOf(row), room: map.gutter - SIDE - 18 - 10 * row.depth });
    map.model.rows.forEach((row, at) => {
      const [y, half] = [TOP + (at + 0.5) * map.row, Math.max(2, Math.min(4.5, map.row / 2))];
      if (row.odd) sheet.path(`M${map.gutter - 12},${y - half}l8,${half}l-8,${half}z`, toneOf(row));
    });
  }

  function axis(sheet, map) {
    const { left, bottom, colours } = { left: map.gutter, bottom: TOP + map.view, colours: sheet.colours };
    const ticks = tidewatch.ranksColumns.ticks(map.places, map.model.columns, Math.floor(map.inner / 110));
    for (const [px, text] of ticks) {
      sheet.line(px, bottom, px, bottom + 4, colours.ink3);
      const half = sheet.wide(text, 11.5) / 2;
      sheet.text(Math.max(left + half, Math.min(WIDTH - SIDE - half, px)), bottom + 17, text, { size: 11.5, anchor: "middle" });
    }
    const { kind } = map.places;
    sheet.text(left + map.inner / 2, bottom + 36, tidewatch.pictureWords.axisName({ kind }), { anchor: "middle" });
  }

  /** The colours and their numbers, at the upper right. */
  function scale(sheet, { scale: found, palette }) {
    const { css, SHADES } = tidewatch.ranksScale;
    const left = WIDTH - SIDE - BAR;
    for (let k = 0; k < PIECES; k++) sheet.box(left + (k * BAR) / PIECES, TOP - 34, BAR / PIECES + 0.5, 10, css(palette, Math.round(((k + 0.5) / PIECES) * (SHADES - 1))));
    const marks = tidewatch.ranksLegend.marks(found).filter(({ end }, at, all) => end || at === all.length >> 1);
    for (const { share, text, end } of marks) {
      const anchor = { first: "start", last: "end" }[end] ?? "middle";
      sheet.text(left + share * BAR, TOP - 9, text, { size: 11, anchor });
    }
    return left - 16;
  }

  /** Kinds of cells that are no plain number, of those that there are. */
  function kindsOf({ model }) {
    const found = tidewatch.ranksLegend.present(model.rows.map((row) => row.line()));
    return KINDS.filter(([one]) => found[one]);
  }

  /** What such cells mean, each with its pattern; below the map. */
  function kinds(sheet, map, found, y) {
    let x = SIDE;
    for (const [kind, name] of found) {
      const text = say(`ranks_kind_${name}`);
      sheet.box(x, y - 10, 12, 12, sheet.colours.back, { stroke: sheet.colours.line });
      if (map.patterns[kind]) for (const [left, top] of [[0, 0], [6, 0], [0, 6], [6, 6]]) sheet.bitmap(map.patterns[kind].toDataURL(), x + left, y - 10 + top, 6, 6);
      x += 18 + sheet.text(x + 18, y, text, { size: 11.5 }) + 16;
    }
  }

  function heading(sheet, ranks, map, { name, time }) {
    const { steps, m } = map.model.columns;
    const { count } = tidewatch.numbers;
    const said = [say("picture_steps", { first: count(steps[0]), last: count(steps[m - 1]) }), say("picture_rows", { count: count(map.model.rows.length) })];
    if (map.model.rows.length < ranks.rows.length) said.push(say("picture_in_sight", { count: count(ranks.rows.length) }));
    const odd = map.model.rows.filter((row) => row.odd).length;
    if (tidewatch.frozen.is) said.push(say("picture_frozen", { time: tidewatch.pictureWords.moment(tidewatch.frozen.at) }));
    if (odd) said.push(say("picture_odd", { count: count(odd) }));
    const taken = sheet.text(WIDTH - SIDE, 26, time, { anchor: "end", colour: sheet.colours.ink3 });
    sheet.text(SIDE, 28, name, { size: 18, bold: true, colour: sheet.colours.ink, room: WIDTH - 3 * SIDE - taken });
    const facts = said.join(say("picture_between"));
    sheet.text(SIDE, 49, facts, { size: 12.5, room: WIDTH - 2 * SIDE - BAR - 40 });
    return facts;
  }

  /** The metric and what its colours are, over the map. */
  function subject(sheet, metric, look, room) {
    const key = look.show === "deviation" ? "ranks_scale_deviation" : look.scale.isLog ? "ranks_scale_log" : "ranks_scale_value";
    const taken = sheet.text(SIDE, TOP - 12, metric, { size: 13, bold: true, colour: sheet.colours.ink, room: 380 });
    sheet.text(SIDE + taken + 10, TOP - 12, say(key, { unit: look.unit ?? "" }), { size: 11.5, room: room - taken - SIDE - 10 });
  }

  const metricOf = ({ metric, tag }) => tag ?? tidewatch.ranksSays.metric(metric);

  /** The sheet of the map: {svg, width, height, name (parts of a file's name)}. */
  async function sheetOf(ranks, now = Date.now() / 1_000) {
    const rows = rowsOf(ranks.map);
    const map = new WholeMap(rows.length);
    map.show({ ...ranks.map.model, rows, isLive: false });
    const colours = Object.fromEntries(Object.entries({ ground: "--card", back: "--ground", ink: "--ink", ink2: "--ink2", ink3: "--ink3", line: "--line" }).map(([key, variable]) => [key, tidewatch.theme.colour(variable)]));
    const strange = kindsOf(map);
    const sheet = new tidewatch.pictureSheet.Sheet(WIDTH, TOP + map.view + AXIS + (strange.length ? 2 * LINE : 4), { colours, font: tidewatch.theme.colour("--font") });
    const name = ranks.page.dataset.ranks;
    const metric = metricOf(ranks.held.top.meta);
    const facts = heading(sheet, ranks, map, { name, time: tidewatch.pictureWords.moment(now) });
    subject(sheet, metric, map.model.look, scale(sheet, map.model.look));
    sheet.bitmap(map.canvas.toDataURL(), map.gutter, TOP, map.inner, map.view);
    labels(sheet, map);
    axis(sheet, map);
    kinds(sheet, map, strange, TOP + map.view + AXIS + LINE);
    sheet.name([name, metric].join(", "), facts);
    const { steps, m } = map.model.columns;
    return { ...sheet.done(), scale: map.scale, name: [name, metric, `${steps[0]}-${steps[m - 1]}`] };
  }

  tidewatch.ranksPicture = { WholeMap, isDrawn, sheetOf };
})();
