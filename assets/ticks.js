/* Ticks of an axis of time, at whole minutes, hours and days as the reader's clock has them. Pure but for that clock. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const MINUTE = 60;
  const HOUR = 3_600;
  const DAY = 86_400;
  const GAPS = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE,
    30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 5 * DAY, 10 * DAY, 20 * DAY, 50 * DAY, 100 * DAY, 365 * DAY,
  ];

  const two = (number) => String(number).padStart(2, "0");

  const gapOf = ([low, high], most) => GAPS.find((gap) => (high - low) / gap <= most) ?? Math.ceil((high - low) / most / DAY) * DAY;

  /** Multiples of `gap` from `low` to `high`, counted from `zero`. */
  function multiples([low, high], gap, zero = 0) {
    const first = Math.ceil((low - zero) / gap);
    const count = Math.max(0, Math.floor((high - zero) / gap) - first + 1);
    return Array.from({ length: count }, (_, k) => Number((zero + (first + k) * gap).toFixed(3)));
  }

  /** Seconds since the start: "12.5s", "3m 20s", "1h 05m", "2d 03h". */
  function span(seconds) {
    if (seconds < 0) return `−${span(-seconds)}`;
    if (seconds < MINUTE) return `${Number(seconds.toFixed(3))}s`;
    const whole = Math.round(seconds);
    const [days, hours, minutes, rest] = [Math.floor(whole / DAY), Math.floor(whole / HOUR) % 24, Math.floor(whole / MINUTE) % 60, whole % MINUTE];
    if (days) return hours ? `${days}d ${two(hours)}h` : `${days}d`;
    if (hours || minutes >= 60) return `${hours}h ${two(minutes)}m`;
    return rest ? `${minutes}m ${two(rest)}s` : `${minutes}m`;
  }

  /** "09:13:20", with the date where `dated`. */
  function clock(seconds, { dated = true, fraction = false } = {}) {
    const at = new Date(seconds * 1_000);
    const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
    const parts = fraction ? `${time}.${String(at.getMilliseconds()).padStart(3, "0")}` : time;
    return dated ? `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${parts}` : parts;
  }

  const date = (seconds) => clock(seconds).slice(5, 10);

  /** What a tick of the wall clock says; the first one and each first of a day say the date too. */
  function moment(seconds, gap, previous) {
    if (gap >= DAY) return clock(seconds).slice(0, 10);
    const time = gap < 1 ? clock(seconds, { dated: false, fraction: true }) : clock(seconds, { dated: false }).slice(0, gap < MINUTE ? 8 : 5);
    return previous === undefined || date(previous) !== date(seconds) ? `${time}<br>${date(seconds)}` : time;
  }

  /** {tickvals, ticktext} of the axis of a kind, at most `most` of them; null where Plotly's own are right. */
  function ticks(kind, range, most = 8) {
    if (!tidewatch.axis.isTime(kind) || !(range[1] > range[0])) return null;
    const gap = gapOf(range, most);
    const zero = kind === "wall" ? new Date(range[0] * 1_000).getTimezoneOffset() * MINUTE : 0; // midnight here
    const tickvals = multiples(range, gap, zero);
    const ticktext = tickvals.map((value, k) => (kind === "wall" ? moment(value, gap, tickvals[k - 1]) : span(value)));
    return { tickmode: "array", tickvals, ticktext };
  }

  tidewatch.ticks = { of: ticks, span, clock };
})();
