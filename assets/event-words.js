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

  const SHORT = { en: [[1e6, "M"], [1e3, "k"]], zh: [[1e8, "亿"], [1e4, "万"], [1e3, "千"]] };

  /** A count on a mark, as short as can be: "12k", "1万". Pure. */
  function short(number, language = tidewatch.words.language()) {
    const [size, prefix] = SHORT[language].find(([one]) => number >= one) ?? [1, ""];
    return `${Math.floor(number / size)}${prefix}`;
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

  const SPELLED = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity };
  const real = (value) => (typeof value === "number" ? value : SPELLED[value]);
  const exact = (value) => (Number.isFinite(value) && value ? String(Number(value.toPrecision(7))) : tidewatch.numbers.value(value));
  const comma = (parts) => parts.filter(Boolean).join(say("comma"));
  const duration = (seconds) => tidewatch.numbers.duration(seconds).replaceAll(" ", "\u00a0"); // no line breaks between number and unit
  const took = ({ seconds }) => (real(seconds) > 0 ? say("took", { time: duration(seconds) }) : "");

  const SENTENCES = {
    checkpoint: took, // its health is in the title
    eval(detail) {
      const others = Object.entries(detail).filter(([name, value]) => name !== "loss" && name !== "seconds" && real(value) !== undefined);
      const loss = real(detail.loss) === undefined ? "" : say("eval_loss", { loss: exact(real(detail.loss)) });
      return comma([loss, ...others.map(([name, value]) => `${name} ${exact(real(value))}`), took(detail)]);
    },
    loss_scale: ({ from, to }) => (real(to) === undefined ? "" : `${tidewatch.numbers.value(real(from))} → ${tidewatch.numbers.value(real(to))}`),
    lr_phase: ({ phase, lr }) => comma([phase && spelled("lr", phase), tidewatch.numbers.value(real(lr))]),
    restart: ({ attempt, ended, steps_redone: redone, down_seconds: down }) => comma([
      attempt && say("attempt_begins", { attempt: count(attempt) }), ended && say("after", { why: ending(ended) }),
      redone && say("steps_redone", { steps: count(redone) }), down && say("down_for", { time: duration(down) }),
    ]),
  };

  function spelled(prefix, name) {
    const said = say(`${prefix}_${name}`);
    return said === `${prefix}_${name}` ? name.replaceAll("_", " ") : said;
  }

  const filling = (value) => (real(value) === undefined ? value : tidewatch.numbers.value(real(value)));

  /** What a line about trouble says, "gradient norm 183 above 10"; "" where its spelling is not known. */
  function told({ says, ...values }) {
    const key = `told_${says}`;
    const sentence = say(key, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, filling(value)])));
    return sentence === key ? "" : sentence;
  }

  /** The numbers of an event in a sentence, where they are known; "" where the line itself says it best. The card
   *  beside the curves says the same (app/pages/sentences.py). */
  const numbers = ({ kind, detail }) => (SENTENCES[kind] ?? told)(detail ?? {});

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
