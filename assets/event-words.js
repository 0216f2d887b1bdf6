/* Events in words: what happened, where, when, on which ranks, and the numbers that are known of it. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const LONGEST = 400; // characters of a line in a tip; the drawer has all of it
  const LISTED = 6; // kinds that a count is taken apart into

  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);

  /** What a kind is called; one that nobody knows as it is spelled. */
  function word(kind) {
    const key = `event_${kind}`;
    const said = say(key);
    return said === key ? kind.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase()) : said;
  }

  /** "1.2k": a count on a mark, in three characters at most. Pure. */
  function short(number) {
    if (number < 1_000) return String(number);
    return number < 1_000_000 ? `${Math.floor(number / 1_000)}k` : `${Math.floor(number / 1_000_000)}M`;
  }

  /** Kind and, of a checkpoint, whether it is a good one to go back to. */
  function title(event) {
    const health = tidewatch.eventShapes.health(event);
    return health ? say("event_with_health", { what: word(event.kind), health: say(`health_${health}`) }) : word(event.kind);
  }

  function steps(first, last) {
    if (!Number.isFinite(first)) return "";
    if (!Number.isFinite(last) || last === first) return say("at_step", { step: count(first) });
    return say("at_steps", { first: count(first), last: count(last) });
  }

  function ranks(list) {
    if (!list?.length) return "";
    return list.length === 1 ? say("at_rank", { rank: list[0] }) : say("at_ranks", { count: count(list.length) });
  }

  /** "step 4,000 · 09:14 · rank 3". */
  function place(event) {
    const clock = Number.isFinite(event.wall) ? tidewatch.clock.moment(event.wall) : "";
    return [steps(event.step, event.last_step), clock, ranks(event.ranks)].filter(Boolean).join(" · ");
  }

  /** The numbers of an event in a sentence, where they are known; "" where the line itself says it best. */
  function numbers({ kind, detail }) {
    const known = detail ?? {};
    const value = tidewatch.numbers.value;
    if (kind === "loss_scale" && known.to !== undefined) return `${value(known.from ?? NaN)} → ${value(known.to)}`;
    if (kind === "lr_phase" && known.phase) return say(`lr_${known.phase}`);
    if (kind === "restart") return restart(known);
    if (kind === "checkpoint" && Number.isFinite(known.seconds)) return say("took", { time: tidewatch.numbers.duration(known.seconds) });
    if (kind !== "eval" || !Number.isFinite(known.loss)) return "";
    const loss = say("eval_loss", { loss: value(known.loss) });
    return known.seconds > 0 ? `${loss}, ${say("took", { time: tidewatch.numbers.duration(known.seconds) })}` : loss;
  }

  function restart({ attempt, why, steps_redone: redone }) {
    const said = attempt ? [say("attempt_begins", { attempt: count(attempt) })] : [];
    if (why) said.push(ending(why));
    if (redone) said.push(say("steps_redone", { steps: count(redone) }));
    return said.join(", ");
  }

  /** Why an attempt ended, in words. */
  function ending(why) {
    const key = `why_${why}`;
    const said = say(key);
    return said === key ? word(why) : said;
  }

  /** The line that tells an event, cut where a tip would become a page. Pure. */
  const line = ({ text }) => (text?.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text ?? "");

  /** How often something happened: a burst is one event of many times. Pure. */
  const times = (events) => events.reduce((sum, event) => sum + (event.times ?? 1), 0);

  /** How often each kind is among them: "8 × Overflow, 4 × Batch skipped". */
  function tally(events) {
    const found = tidewatch.strip.kinds(events);
    const listed = found.slice(0, LISTED).map(({ kind, count: often }) => `${count(often)} × ${word(kind)}`);
    return [...listed, ...(found.length > LISTED ? ["…"] : [])].join(", ");
  }

  /** Steps from the first of several to the last. */
  function stretch(events) {
    const first = events.reduce((low, { at }) => Math.min(low, at.step), Infinity);
    return steps(first, events.reduce((high, { at }) => Math.max(high, at.last), -Infinity));
  }

  /** What a screen reader says of a mark. */
  function label(events) {
    if (events.length > 1) return `${say("events_here", { count: count(times(events)) })}, ${stretch(events)}: ${tally(events)}`;
    return [title(events[0]), place(events[0]), numbers(events[0])].filter(Boolean).join(", ");
  }

  tidewatch.eventWords = { word, short, title, place, numbers, ending, line, times, tally, stretch, label };
})();
