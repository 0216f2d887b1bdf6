/* Which events stand where on the strip, and which stand so close that they become one mark with a count. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const APART = 14; // px between two marks that can still be told apart and hit
  const PILL = 30; // px that a mark with a count takes

  /** Events, oldest first, each with a `key` of its own and `at`: {step, last, wall} where it belongs on the axis. What names no
   *  step (a start, a line before the first step) stands where the run then was, and so does what has no clock. */
  function placed(events, firstStep = 0) {
    let [last, wall] = [firstStep, null];
    return events.map((event) => {
      const step = Number.isFinite(event.step) ? event.step : last;
      last = event.last_step ?? step;
      wall = event.wall ?? wall;
      const key = [event.kind, event.step, event.wall, event.ranks?.[0], event.detail?.to].join(" ");
      return { ...event, key, at: { step, last, wall } };
    });
  }

  /** The events that are in view by whole px: Map(px → {events, px, from, to}). Twenty thousand events are walked with
   *  every drawing of the curves, so this is plain. */
  function heaps(events, axis) {
    const [low, high] = [Math.min(...axis.range), Math.max(...axis.range)];
    const found = new Map();
    for (const event of events) {
      const { at } = event;
      const x = axis.x(at.step, at.wall);
      const to = at.last > at.step && event.times > 1 ? axis.x(at.last, null) ?? x : x;
      if (x === null || !(to >= low && x <= high)) continue;
      const px = axis.px(x < low ? low : x);
      const heap = found.get(Math.round(px));
      if (heap) heap.events.push(event);
      else found.set(Math.round(px), { events: [event], px, from: x, to });
      if (heap && x < heap.from) heap.from = x;
      if (heap && to > heap.to) heap.to = to;
    }
    return [...found.values()].sort((one, other) => one.px - other.px);
  }

  const fits = (open, px) => px - open.last <= APART || (open.events.length > 1 && px - open.first <= PILL);

  /** The marks of one lane's events from the left: {at: px, events, from, to: x of the first and of the last}. */
  function marks(lane, axis) {
    const found = [];
    for (const { events, px, from, to } of heaps(lane, axis)) {
      const open = found.at(-1);
      if (open && fits(open, px)) {
        for (const event of events) open.events.push(event);
        Object.assign(open, { last: Math.min(px, open.first + PILL), from: Math.min(from, open.from), to: Math.max(to, open.to) });
      } else {
        found.push({ events: [...events], first: px, last: px, from, to });
      }
    }
    return found.map(({ events, first, last, from, to }) => ({ at: (first + last) / 2, events, from, to }));
  }

  tidewatch.clusters = { placed, marks };
})();
