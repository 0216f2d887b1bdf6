/* Which events stand where on the strip, and which stand so close that they become one mark with a count. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const APART = 14; // px between two marks that can still be told apart and hit
  const PILL = 30; // px that a mark with a count takes

  /** Oldest first, each with a `key` of its own and `at`: {step, last, wall} where it belongs on the axis. What names no
   *  step (a start, a line before the first step) stands where the run then was, and so does what has no clock. */
  function placed(events, firstStep = 0) {
    const told = [...events].reverse(); // newest first in the API
    let [last, wall] = [firstStep, null];
    return told.map((event) => {
      const step = Number.isFinite(event.step) ? event.step : last;
      last = event.last_step ?? step;
      wall = event.wall ?? wall;
      const key = [event.kind, event.step, event.wall, event.ranks?.[0], event.detail?.to].join(" ");
      return { ...event, key, at: { step, last, wall } };
    });
  }

  /** px of an event and of its end; null when the axis cannot say, or it is outside the panel. */
  function spot(event, axis) {
    const x = axis.x(event.at.step, event.at.wall);
    if (x === null || x === undefined || !Number.isFinite(x)) return null;
    const [low, high] = axis.range[0] < axis.range[1] ? axis.range : [...axis.range].reverse();
    const end = event.at.last > event.at.step && event.times > 1 ? axis.x(event.at.last, null) ?? x : x;
    if (Math.max(x, end) < low || Math.min(x, end) > high) return null;
    const inside = (value) => Math.max(low, Math.min(high, value));
    return { event, x, end, px: axis.px(inside(x)), until: axis.px(inside(end)) };
  }

  const fits = (open, px) => px - open.last <= APART || (open.spots.length > 1 && px - open.first <= PILL);

  /** Marks of one lane from the left: {at: px, until: px, events, from, to: x units of the first and last}. */
  function lane(spots) {
    const marks = [];
    let open = null;
    for (const spot of [...spots].sort((one, other) => one.px - other.px)) {
      if (open && fits(open, spot.px)) {
        open.spots.push(spot);
        open.last = Math.min(spot.px, open.first + PILL);
      } else {
        open = { spots: [spot], first: spot.px, last: spot.px };
        marks.push(open);
      }
    }
    return marks.map(mark);
  }

  function mark({ spots, first, last }) {
    const xs = spots.flatMap(({ x, end }) => [x, end]);
    return {
      at: (first + last) / 2,
      until: Math.max(...spots.map(({ until }) => until)),
      events: spots.map(({ event }) => event),
      from: Math.min(...xs),
      to: Math.max(...xs),
    };
  }

  /** Marks by lane for events of `placed`: Map(lane → marks), lanes without an event left out. */
  function clusters(events, axis, laneOf) {
    const lanes = new Map();
    for (const event of events) {
      const found = spot(event, axis);
      if (!found) continue;
      const name = laneOf(event);
      if (!lanes.has(name)) lanes.set(name, []);
      lanes.get(name).push(found);
    }
    return new Map([...lanes].map(([name, spots]) => [name, lane(spots)]));
  }

  tidewatch.clusters = { placed, clusters };
})();
