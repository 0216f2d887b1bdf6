/* Ticks of an axis of time, at whole minutes, hours and days as the reader's clock has them, and of one of counts; how the
   values of a panel are spelled. Pure but for that clock; the language is an argument, and the page's own where it is left out. */
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

  const UNITS = {
    en: { day: "d", hour: "h", minute: "m", second: "s", between: " " },
    zh: { day: "天", hour: "小时", minute: "分", second: "秒", between: "" },
  };

  /** Seconds since the start, as narrow as a tick should be: "12.5s", "3m 20s", "1h 05m", "2d 03h"; "1小时05分". */
  function span(seconds, language = tidewatch.words.language()) {
    if (seconds < 0) return `−${span(-seconds, language)}`;
    const unit = UNITS[language];
    if (seconds < MINUTE) return `${Number(seconds.toFixed(3))}${unit.second}`;
    const whole = Math.round(seconds);
    const [days, hours, minutes, rest] = [Math.floor(whole / DAY), Math.floor(whole / HOUR) % 24, Math.floor(whole / MINUTE) % 60, whole % MINUTE];
    const both = (large, name, small, other) => `${large}${unit[name]}${unit.between}${two(small)}${unit[other]}`;
    if (days) return hours ? both(days, "day", hours, "hour") : `${days}${unit.day}`;
    if (hours) return both(hours, "hour", minutes, "minute");
    return rest ? both(minutes, "minute", rest, "second") : `${minutes}${unit.minute}`;
  }

  /** "09:13:20", with the date where `dated`. */
  function clock(seconds, { dated = true, fraction = false } = {}) {
    const at = new Date(seconds * 1_000);
    const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
    const parts = fraction ? `${time}.${String(at.getMilliseconds()).padStart(3, "0")}` : time;
    return dated ? `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${parts}` : parts;
  }

  const date = (seconds, language) => tidewatch.clock.day(new Date(seconds * 1_000), language);

  /** What a tick of the wall clock says; the first one and each first of a day say the date too. */
  function moment(seconds, gap, previous, language) {
    if (gap >= DAY) return clock(seconds).slice(0, 10);
    const time = gap < 1 ? clock(seconds, { dated: false, fraction: true }) : clock(seconds, { dated: false }).slice(0, gap < MINUTE ? 8 : 5);
    const day = date(seconds, language);
    return previous === undefined || date(previous, language) !== day ? `${time}<br>${day}` : time;
  }

  const COUNTED = ["samples", "tokens"];

  /** Ticks of counts, which Plotly cannot write by 万 and 亿, and writes with G where a count has B: as many digits as tell
   *  them apart. */
  function counts([low, high], most, language) {
    const rough = (high - low) / most;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const gap = [1, 2, 5, 10].find((one) => one * unit >= rough) * unit;
    const tickvals = multiples([low, high], gap);
    const digits = Math.min(15, Math.max(3, Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / gap)) + 1));
    return { tickmode: "array", tickvals, ticktext: tickvals.map((one) => tidewatch.numbers.compact(one, { digits, language })) };
  }

  /** {tickvals, ticktext} of the axis of a kind, at most `most` of them; null where Plotly's own are right. */
  function ticks(kind, range, most = 8, language = tidewatch.words.language()) {
    if (!(range[1] > range[0])) return null;
    if (COUNTED.includes(kind)) return counts(range, most, language);
    if (!tidewatch.axis.isTime(kind)) return null;
    const gap = gapOf(range, most);
    const zero = kind === "wall" ? new Date(range[0] * 1_000).getTimezoneOffset() * MINUTE : 0; // midnight here
    const tickvals = multiples(range, gap, zero);
    const ticktext = tickvals.map((value, k) => (kind === "wall" ? moment(value, gap, tickvals[k - 1], language) : span(value, language)));
    return { tickmode: "array", tickvals, ticktext };
  }

  const isSmall = ([low, high]) => Math.max(Math.abs(low), Math.abs(high)) < 1e-3 && (low !== 0 || high !== 0);

  /** How the values of a panel from `low` to `high` are spelled on its axis: what is below a thousandth has an exponent, as
   *  tidewatch.numbers.value writes it. Of itself Plotly's format would write 0.00004. */
  const format = (range) => (isSmall(range) ? { tickformat: ".2~e", labelalias: { "0e+0": "0" } } : { tickformat: "~g" });

  /** The same for one value that is pointed at, as a d3 number format. */
  const reading = (range) => (isSmall(range) ? ".4~e" : ".5~g");

  tidewatch.ticks = { of: ticks, format, reading, span, clock };
})();
