/* What a picture says beside its curves: which line is which, and what of the run is seen. Pure but for words. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);

  const zoneOf = (minutes) => {
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    return `UTC${minutes > 0 ? "−" : "+"}${hours}${rest ? `:${String(rest).padStart(2, "0")}` : ""}`;
  };

  /** "2026-11-30 16:05:12 UTC+8", in the reader's zone. */
  function moment(seconds) {
    return `${tidewatch.ticks.clock(seconds)} ${zoneOf(new Date(seconds * 1_000).getTimezoneOffset())}`;
  }

  /** What x counts, for the axis. */
  const axisName = ({ kind }) => say(`picture_x_${kind}`, kind === "wall" ? { zone: zoneOf(new Date().getTimezoneOffset()) } : {});

  /** The first and the last step that are seen of `extent` (x of what there is) in `range` (x of what is shown); null without. */
  function steps(axis, range, extent) {
    const ends = [Math.max(range[0], extent[0]), Math.min(range[1], extent[1])];
    if (!ends.every(Number.isFinite) || ends[0] > ends[1]) return null;
    const found = ends.map((x) => axis.step(x));
    return found.every(Number.isFinite) ? found.map(Math.round) : null;
  }

  /** The sentence parts below the run's name. `shown`: {steps, axis, smoothing, attempts, clip, frozen (when, in Unix
   *  seconds, of a snapshot)}. */
  function facts({ steps: ends, axis, smoothing, attempts, clip, frozen = null }) {
    const said = ends ? [say("picture_steps", { first: count(ends[0]), last: count(ends[1]) })] : [];
    if (axis.kind !== "step") said.push(say("picture_by", { axis: axisName(axis) }));
    if (smoothing) said.push(say("picture_smoothing", { weight: smoothing }));
    if (attempts === "all") said.push(say("picture_all_attempts"));
    else if (attempts !== "stitched") said.push(say("attempt_alone", { attempt: attempts }));
    if (frozen !== null) said.push(say("picture_frozen", { time: moment(frozen) }));
    if (clip) said.push(say("picture_clipped"));
    return said;
  }

  const LINES = {
    raw: ({ name }) => name,
    smooth: ({ name }, { smoothing }) => say("picture_smoothed", { name, weight: smoothing }),
    ghost: () => say("picture_earlier"),
    marks: ({ name }) => name,
    outside: () => say("picture_outside"),
    baseline: ({ name }) => say("picture_baseline", { run: name }),
    gap: () => say("gap"),
  };
  const SIGNS = { marks: "down", outside: "up", baseline: "dash", gap: "dot" };

  const signOf = ({ meta, mode }) => SIGNS[meta.role] ?? (mode === "markers" ? "point" : mode.includes("markers") ? "points" : "line");

  /** Which line of a panel is which: [{sign, colour, faint, text}], each once. `traces` are the panel's, as Plotly has them. */
  function legend(traces, shown) {
    const found = new Map();
    for (const one of traces) {
      const text = LINES[one.meta.role]?.(one, shown);
      if (!text || !one.x.length) continue;
      const colour = one.meta.role === "outside" || one.meta.role === "marks" ? one.marker.color : one.line.color;
      if (!found.has(text)) found.set(text, { sign: signOf(one), colour, faint: (one.opacity ?? 1) < 1, text });
    }
    return [...found.values()];
  }

  /** What the shaded stretches of a panel are. */
  function shades(shapes, yaxis) {
    const kinds = new Set(shapes.filter(({ yref }) => yref.split(" ")[0] === yaxis).map(({ name }) => name));
    const shapeOf = (kind) => shapes.find(({ name }) => name === kind);
    const said = kinds.has("nan") ? [{ sign: "box", colour: shapeOf("nan").fillcolor, text: say("picture_nan") }] : [];
    const infinite = ["up", "down"].find((kind) => kinds.has(kind));
    return infinite ? [...said, { sign: "box", colour: shapeOf(infinite).fillcolor, text: say("picture_inf") }] : said;
  }

  /** All of one panel; nothing where there is one line, which the title names. */
  function ofPanel(traces, shapes, yaxis, shown) {
    const lines = legend(traces.filter((one) => one.yaxis === yaxis), shown);
    return [...(lines.length > 1 ? lines : []), ...shades(shapes, yaxis)];
  }

  tidewatch.pictureWords = { zoneOf, moment, axisName, steps, facts, legend, shades, ofPanel };
})();
