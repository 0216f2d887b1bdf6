/* Which panels the run page shows, in which order: the standard ones, and what the view in the address says. Pure.

   state.panels holds entries: "tag", "r3:tag" of rank 3, or "m:step_time" for a canonical metric. A panel's key is the
   key of a standard panel ("loss"), or of an added one "tag:" + entry, or the entry itself where it names a metric.
   Every function that changes something gives the patch for tidewatch.state.set. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  /** Fields of the state on which the list depends. */
  const FIELDS = ["panels", "pin", "order", "hide", "full"];
  const ADDED_AT_MOST = 30; // an address may name thousands, and every panel is drawn at each new point
  const DEFAULT_TAGS = 5; // shown of a run that has none of the standard metrics
  const HEIGHT = 84; // px of an added panel
  const COLOURS = Array.from({ length: 8 }, (_, k) => `--curve-${k + 1}`); // told apart by colour-blind readers too

  // r3:local_loss, m:step_time
  const PREFIXED = /^(?:r(\d{1,9})|(m)):(.+)$/s;

  /** What an entry means: {kind: tag | metric, name, rank (null = the one that speaks)}. */
  function parse(entry) {
    const [, rank, metric, name] = PREFIXED.exec(entry) ?? [];
    if (metric) return { kind: "metric", name, rank: null };
    return rank === undefined ? { kind: "tag", name: entry, rank: null } : { kind: "tag", name, rank: Number(rank) };
  }

  /** The entry that means it. A tag that looks prefixed itself is spelled with its rank, so that it is read as it was. */
  function spell({ kind, name, rank = null }) {
    if (kind === "metric") return `m:${name}`;
    return rank === null && !PREFIXED.test(name) ? name : `r${rank ?? 0}:${name}`;
  }

  const keyOf = (entry) => (parse(entry).kind === "metric" ? entry : `tag:${entry}`);

  function titleOf({ kind, name, rank }) {
    if (kind === "metric") return tidewatch.words.say(`metric_${name}`).replace(/^metric_/, "");
    return rank === null ? name : tidewatch.words.say("of_rank", { name, rank });
  }

  /** The description of an added panel, in the form that layout.js takes; `index` chooses its colour. */
  function added(entry, index) {
    const meant = parse(entry);
    const title = titleOf(meant);
    const metrics = [meant.kind === "metric" ? meant.name : keyOf(entry)];
    const line = { metrics, colour: COLOURS[index % COLOURS.length], name: title };
    return {
      key: keyOf(entry), entry, title, height: HEIGHT, axis: "linear", ticks: "~g", added: true,
      hint: tidewatch.words.say("hint_added"),
      lines: [{ ...line, role: "raw" }, { ...line, role: "smooth" }],
    };
  }

  const metricsOf = (panel) => panel.lines.flatMap((line) => line.metrics);

  /** The panels that a run begins with. One that has none of the standard metrics (`known` is its list of metrics, as
   *  /api/runs/<run> gives it) begins with what it has. */
  function standing(standard, known) {
    const usual = new Set(standard.flatMap(metricsOf));
    if (!known?.length || known.some(({ metric }) => usual.has(metric))) return standard;
    const entry = ({ metric, tag }) => spell(metric ? { kind: "metric", name: metric } : { kind: "tag", name: tag });
    return known.slice(0, DEFAULT_TAGS).map((one, index) => ({ ...added(entry(one), index), added: false }));
  }

  /** Every panel there could be: those that the run begins with, then the added ones. */
  function candidates(standard, state, known) {
    const first = standing(standard, known);
    const taken = new Set(first.map(({ key }) => key));
    const entries = [...new Set(state.panels)].filter((entry) => !taken.has(keyOf(entry))).slice(0, ADDED_AT_MOST);
    return [...first, ...entries.map((entry, index) => added(entry, index + (first === standard ? 0 : first.length)))];
  }

  /** By a list of keys: those that it names in its order, then the others in theirs. */
  function sorted(panels, keys) {
    const place = new Map(keys.map((key, index) => [key, index]));
    const rank = ({ key }) => place.get(key) ?? keys.length;
    return [...panels].sort((one, other) => rank(one) - rank(other)); // which keeps the order of equals
  }

  /** The panels in order, pinned ones first and marked `pinned`, without those that were put away. */
  function arranged(standard, state, known) {
    const shown = candidates(standard, state, known).filter(({ key }) => !state.hide.includes(key));
    const isPinned = ({ key }) => state.pin.includes(key);
    const pinned = sorted(shown.filter(isPinned), state.pin).map((panel) => ({ ...panel, pinned: true }));
    return [...pinned, ...sorted(shown.filter((panel) => !isPinned(panel)), state.order)];
  }

  /** The panels to draw: all of `arranged`, or the one that has the whole page (`full` in it says so). */
  function listed(standard, state, known) {
    const whole = state.full && candidates(standard, state, known).find(({ key }) => key === state.full);
    return whole ? [{ ...whole, full: true }] : arranged(standard, state, known);
  }

  /** The panels that were put away. */
  const hidden = (standard, state, known) => candidates(standard, state, known).filter(({ key }) => state.hide.includes(key));

  /** Heights for layout.js: of the panel that has the whole page what the window (px) leaves below the top bar. */
  const heights = (state, windowHeight) => (state.full ? { [state.full]: Math.max(240, windowHeight - 250) } : {});

  /* ---- changes ---- */

  const without = (list, one) => list.filter((other) => other !== one);

  const add = (state, entry) => ({ panels: [...without(state.panels, entry), entry], hide: without(state.hide, keyOf(entry)) });

  /** Takes an added panel away, with all that was said of it. */
  function remove(state, entry) {
    const key = keyOf(entry);
    const lists = Object.fromEntries(["pin", "order", "hide", "log"].map((name) => [name, without(state[name], key)]));
    return { panels: without(state.panels, entry), ...lists, full: leave(state, key) };
  }

  const toggled = (list, key) => (list.includes(key) ? without(list, key) : [...list, key]);
  const pin = (state, key) => ({ pin: toggled(state.pin, key) });
  const log = (state, key) => ({ log: toggled(state.log, key) });
  const leave = (state, key) => (state.full === key ? "" : state.full);
  const hide = (state, key) => ({
    hide: [...without(state.hide, key), key], pin: without(state.pin, key), full: leave(state, key),
  });
  const restore = (state, key) => ({ hide: without(state.hide, key) });
  const full = (state, key) => ({ full: state.full === key ? "" : key });

  /** One place up (-1) or down (1) among the panels of its kind, pinned or not; null at the end. */
  function move(panels, key, by) {
    const mine = panels.find((panel) => panel.key === key);
    const keys = panels.filter((panel) => Boolean(panel.pinned) === Boolean(mine?.pinned)).map((panel) => panel.key);
    const from = keys.indexOf(key);
    const to = from + by;
    if (from < 0 || to < 0 || to >= keys.length) return null;
    [keys[from], keys[to]] = [keys[to], keys[from]];
    return { [mine.pinned ? "pin" : "order"]: keys };
  }

  /** The key of the panel before (-1) or after (1), around the ends; "first" and "last" for those. */
  function neighbour(panels, key, by) {
    const keys = panels.map((panel) => panel.key);
    if (by === "first" || by === "last") return keys.at(by === "first" ? 0 : -1) ?? "";
    const from = keys.indexOf(key);
    return from < 0 ? keys[0] ?? "" : keys[(from + by + keys.length) % keys.length];
  }

  tidewatch.panels = {
    FIELDS, ADDED_AT_MOST, parse, spell, keyOf, titleOf, metricsOf, standing, arranged, listed, hidden, heights, neighbour, move,
    add, remove, pin, log, hide, restore, full,
  };
})();
