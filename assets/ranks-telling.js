/* What the ranks page says around its map, in whole sentences. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const LOSSES = ["loss", "local_loss", "device_local_loss"]; // that one pipeline stage alone computes
  const AXES = ["dp", "tp", "pp", "cp", "ep"];
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);

  /** Whole sentences one after the other; Chinese has no blank between them. */
  const together = (sentences) => sentences.filter(Boolean).join(tidewatch.words.language() === "zh" ? "" : " ");

  /** What the picture itself does not say of its rows. */
  function rows(shown, { every, strips }) {
    const values = { rows: count(shown.length), every: count(every) };
    return together([
      say(every > 1 ? "ranks_labels_every" : "ranks_labels_all", values),
      shown.some(({ odd }) => odd) ? say("ranks_marked") : "",
      shown.some(({ isParent }) => isParent) ? say(strips === 3 ? "ranks_folded_three" : "ranks_folded_far") : "",
    ]);
  }

  /** How the run is spread, and who says so. */
  function layout({ origin, ...axes }) {
    const parts = AXES.filter((axis) => axes[axis] > 1 || axis === "dp").map((axis) => `${axis.toUpperCase()} ${count(axes[axis])}`);
    return origin ? say(`ranks_layout_${origin}`, { layout: parts.join(" · ") }) : "";
  }

  /** Why there is nothing to see, why ranks are not compared, what is left out. */
  function reason({ meta, m }, isReading = false) {
    if (!m) return say("ranks_no_points");
    return together([
      meta.comparable ? "" : say(meta.reason ? `ranks_apart_${meta.reason}` : "ranks_apart"),
      meta.reason === "tp" && meta.layout.pp > 1 && LOSSES.includes(meta.metric) ? say("ranks_apart_pp") : "",
      meta.joined_before ? say("ranks_joined", { count: count(meta.total_columns / m), step: count(meta.joined_before) }) : "",
      meta.exact_from ? say(isReading ? "ranks_older_reading" : "ranks_exact_from", { step: count(meta.exact_from) }) : "",
      meta.folded_history ? say("ranks_folded_history") : "",
    ]);
  }

  /** A row in one line: its name, where it is, how it is. */
  function title(row, axes) {
    const where = row.meta ? [row.meta.host, tidewatch.ranksSays.place(row.meta, axes)].filter(Boolean).join(say("comma")) : "";
    return [tidewatch.ranksSays.name(row), where, state(row)].filter(Boolean).join(" · ");
  }

  function state(row) {
    if (row.isParent) return row.odd ? say("ranks_odd_of", { odd: count(row.odd), count: count(row.count) }) : "";
    return row.state && row.state !== "ok" ? tidewatch.ranksSays.stateWord(row.state) : "";
  }

  /** What stands at a place of the map, in up to three lines; `column` is -1 on a label. */
  function place(row, column, { meta, ...block }) {
    const first = title(row, meta.layout);
    if (column >= 0) return { title: first, text: tidewatch.ranksSays.when(block, column), hint: tidewatch.ranksSays.reading(row, row.line(), column) };
    return { title: first, text: row.isParent ? say(row.isOpen ? "ranks_click_fold" : "ranks_click_unfold", { count: count(row.count) }) : "" };
  }

  tidewatch.ranksTelling = { rows, layout, reason, place };
})();
