/* How alerts look and what is said of them in a word or two; and which of them belong where. Pure but for `draw`. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);

  const SEVERITIES = ["critical", "warning", "info"];
  // Colour and shape: an octagon with a sign of exclamation, a triangle, a ring.
  const LOOKS = {
    critical: { tone: "bad", path: "M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7h-5.6l-3.7-3.7v-5.6zM7.1 4.3l.3 4.6h1.2l.3-4.6zM7.1 10.2v1.7h1.8v-1.7z" },
    warning: { tone: "warn", path: "M8 1.8l6.8 12.4h-13.6zM7.3 6l.2 4.2h1l.2-4.2zM7.3 11.1v1.5h1.4v-1.5z" },
    info: { tone: "info", path: "M8 2a6 6 0 1 1-.01 0zM7.2 7v5h1.6v-5zM7.2 4.2v1.7h1.6v-1.7z" },
  };
  const SVG = "http://www.w3.org/2000/svg";

  const gravity = ({ severity }) => SEVERITIES.indexOf(severity);
  const isOver = ({ state }) => state === "resolved";
  /** Whether somebody is to look at it now. */
  const isUrgent = ({ state, muted }) => state === "open" && !muted;

  /** "bad", "warn" or "info"; "plain" for what is over, muted or seen to. */
  const tone = (alert) => (isUrgent(alert) ? LOOKS[alert.severity].tone : "plain");

  function draw({ severity }) {
    const svg = document.createElementNS(SVG, "svg");
    const drawn = document.createElementNS(SVG, "path");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.setAttribute("class", "shape alert-shape");
    svg.setAttribute("aria-hidden", "true");
    drawn.setAttribute("d", LOOKS[severity].path);
    drawn.setAttribute("fill-rule", "evenodd");
    svg.append(drawn);
    return svg;
  }

  /** What people have said of it, or that it is over or muted; nothing of one that is simply open. */
  function standing({ state, muted, ack }) {
    const parts = [];
    if (state === "acknowledged" && ack) parts.push(ack.until === null ? say("alert_acked_by", { by: ack.by }) : say("alert_acked_until", { by: ack.by, until: tidewatch.clock.moment(ack.until) }));
    if (state === "resolved") parts.push(say("alert_state_resolved"));
    if (muted) parts.push(say("alert_state_muted"));
    return parts.join(say("comma"));
  }

  const ranksOf = ({ ranks }) => ranks.reduce((sum, [first, last]) => sum + last - first + 1, 0);

  /** Where: step or steps, of one that is not over since which, attempt if it is not the first, how often, how many ranks. */
  function place({ first_step: first, last_step: last, attempt, count: times, ...alert }) {
    const ended = first === last ? say("alert_at", { step: count(first) }) : say("alert_from_to", { first: count(first), last: count(last) });
    const parts = [isOver(alert) ? ended : say("alert_since", { first: count(first) })];
    if (attempt > 1) parts.push(say("alert_attempt", { attempt }));
    if (times > 1) parts.push(say("alert_times", { count: count(times) }));
    if (ranksOf(alert) > 1) parts.push(say("alert_ranks", { count: count(ranksOf(alert)) }));
    return parts.join(say("comma"));
  }

  /* ---- which of them ---- */

  /** `{about, severity, rank}` of the filter; empty is any. */
  function fits(alert, { about, severity, rank }) {
    if ((about && alert.class !== about) || (severity && alert.severity !== severity)) return false;
    return rank === "" || alert.ranks.some(([first, last]) => first <= Number(rank) && Number(rank) <= last);
  }

  const newest = (one, other) => other.raised_step - one.raised_step || (other.raised_wall ?? 0) - (one.raised_wall ?? 0);
  /** What is to be looked at first, then by gravity, then the newest. */
  const order = (one, other) => isUrgent(other) - isUrgent(one) || gravity(one) - gravity(other) || newest(one, other);

  /** The lists that are shown: {now, past, consequences: Map(id → alerts)}. A consequence whose cause is not kept, or does
   *  not fit, stands for itself. */
  function lists(alerts, filter) {
    const shown = alerts.filter((one) => fits(one, filter));
    const known = new Set(shown.map(({ id }) => id));
    const isFolded = (one) => one.cause !== null && known.has(one.cause);
    const consequences = new Map();
    for (const one of shown.filter(isFolded)) consequences.set(one.cause, [...(consequences.get(one.cause) ?? []), one]);
    const heads = shown.filter((one) => !isFolded(one));
    return { now: heads.filter((one) => !isOver(one)).sort(order), past: heads.filter(isOver).sort(newest), consequences };
  }

  /** A value as JSON has it, in words. */
  const value = (told) => tidewatch.ranksSays.value(told);

  tidewatch.alertWords = { SEVERITIES, LOOKS, gravity, isOver, isUrgent, tone, draw, standing, place, ranksOf, fits, lists, value };
})();
