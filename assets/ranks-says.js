/* What the ranks page says of rows, cells and states. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);
  const WORDS = { NaN: NaN, Infinity, "-Infinity": -Infinity };

  /** A value as JSON has it: a number, null, or the name of what is none. */
  const value = (told) => tidewatch.numbers.value(WORDS[told] ?? told);
  const KINDS = ["", "missing", "nan", "up", "down", "zero", "frozen"];
  const STATES = ["broken_reduction", "nan", "outlier", "straggler", "silent", "frozen", "no_data_by_design", "ok"]; // gravest first
  const TONES = { broken_reduction: "bad", nan: "bad", outlier: "bad", straggler: "warn", silent: "warn", frozen: "warn" };

  const stateWord = (state) => say(`rank_state_${state}`);

  /** "+7.2", "−3". */
  function signed(z) {
    if (!(Math.abs(z) < Infinity)) return z > 0 ? "+∞" : "−∞";
    const size = Math.abs(z) >= 1e4 ? value(Math.abs(z)) : Number(Math.abs(z).toPrecision(2)).toLocaleString("en-US");
    return `${z < 0 ? "−" : "+"}${size}`;
  }

  /** "Rank 17", "node-2", "Stage 1". */
  function name({ level, value: told, host }) {
    if (level === "node") return told || say("ranks_no_host");
    const own = say(`ranks_${level}`, { [level]: count(told) });
    return host && level !== "node" ? `${host} · ${own}` : own;
  }

  /** What stands before the row in the map: short for ranks, with their count for several. */
  const label = (row) => (row.isParent ? say("ranks_row", { name: name(row), count: count(row.count) }) : name(row));

  /** A rank's place on the axes that the run has more than one of: "stage 1, DP 3, TP 0"; no line breaks within a part. */
  function place(meta, layout) {
    const parts = [["pp", meta.stage], ["dp", meta.dp], ["cp", meta.cp], ["tp", meta.tp]];
    return parts.filter(([axis, at]) => at !== undefined && (layout?.[axis] ?? 1) > 1).map(([axis, at]) => say(`ranks_at_${axis}`, { at: count(at) }).replaceAll(" ", "\u00a0")).join(say("comma"));
  }

  /** The value in words: a number with its deviation, or why there is none. */
  function reading(row, line, column) {
    const kind = KINDS[line.kinds[column]];
    const z = line.worst[column];
    const far = z === z ? say("ranks_far", { z: signed(z) }) : "";
    const found = row.isParent ? several(line, column) : value(line.mid[column]);
    const told = kind && kind !== "frozen" ? say(row.isParent ? `ranks_some_${kind}` : `ranks_cell_${kind}`) : "";
    const frozen = kind === "frozen" ? say("ranks_cell_frozen") : "";
    return [told, told && !row.isParent ? "" : found, far, frozen].filter(Boolean).join(say("comma"));
  }

  function several({ low, mid, high }, column) {
    if (mid[column] !== mid[column]) return "";
    return say("ranks_several", { low: value(low[column]), mid: value(mid[column]), high: value(high[column]) });
  }

  /** Step and time of a column. */
  function when({ steps, walls }, column) {
    const step = say("ranks_at_step", { step: count(steps[column]) });
    return Number.isFinite(walls[column]) ? `${step} · ${tidewatch.ticks.clock(walls[column])}` : step;
  }

  /** The evidence for a state: numbers are null where none is known, and a word where they are not finite. */
  function evidence({ state, value: found, usual, since, seen }) {
    const values = { value: value(found), usual: value(usual), since: count(since ?? 0), seen: count(seen ?? 0) };
    if (state === "ok" || !state) return "";
    if (["outlier", "straggler", "broken_reduction"].includes(state) && Number.isFinite(usual) && Number.isFinite(found)) return say("ranks_because_usual", values);
    return say(`ranks_because_${state}`, values);
  }

  /** "Local loss"; one that has no title yet as it is spelled. */
  const metric = (name) => say(`metric_${name}`).replace(/^metric_/, "");

  tidewatch.ranksSays = { metric, value, STATES, TONES, stateWord, signed, name, label, place, reading, when, evidence };
})();
