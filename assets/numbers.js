/* Numbers as people read them in the page's language, as app/figures/numbers.py writes them too. Pure: the language ("en",
   "zh") is an argument, and the page's own where it is left out. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const LEAST = 1e4; // from here on a count is said with a prefix: four digits are still read at a glance

  const MANNERS = {
    en: {
      second: (n) => `${n} s`, minute: (n) => `${n} min`, hour: (n) => `${n} h`, day: (n) => `${n} d`,
      hourMinute: (hours, minutes) => `${hours} h ${minutes} min`, dayHour: (days, hours) => `${days} d ${hours} h`,
      prefixes: [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "k"]],
    },
    zh: {
      second: (n) => `${n} 秒`, minute: (n) => `${n} 分钟`, hour: (n) => `${n} 小时`, day: (n) => `${n} 天`,
      hourMinute: (hours, minutes) => `${hours} 小时 ${minutes} 分`, dayHour: (days, hours) => `${days} 天 ${hours} 小时`,
      prefixes: [[1e12, "万亿"], [1e8, "亿"], [1e4, "万"]],
    },
  };

  const own = () => tidewatch.words.language();

  /** A format of so many decimals, made when it is needed first: that takes longer than all that is asked before. */
  function format(digits) {
    let made = null;
    return { format: (number) => (made ??= new Intl.NumberFormat("en-US", { maximumFractionDigits: digits })).format(number) };
  }

  const [WHOLE, SHORT, LONG] = [0, 6, 12].map(format);
  const count = (value) => WHOLE.format(Math.round(value));

  /** A metric's value in at most four significant digits; exponents below 1e-3, thousands separated above 1e4. */
  function value(number) {
    if (number === null || number === undefined) return "";
    if (Number.isNaN(number)) return "NaN";
    if (!Number.isFinite(number)) return number > 0 ? "+Inf" : "−Inf";
    const size = Math.abs(number);
    if (size === 0) return "0";
    if (size < 1e-3 || size >= 1e9) return number.toExponential(2).replace("e+", "e");
    if (size >= 1e4) return count(number);
    return SHORT.format(Number(number.toPrecision(4)));
  }

  /** A count in `digits` significant digits, with a prefix from ten thousand on: "1.24 M", "124 万". */
  function compact(number, { digits = 3, language = own() } = {}) {
    if (!Number.isFinite(number)) return value(number);
    const rounded = Number(number.toPrecision(digits)); // before the prefix is chosen: 999,999 is 1 M
    const [size, prefix] = MANNERS[language].prefixes.find(([one]) => Math.abs(rounded) >= Math.max(one, LEAST)) ?? [1, ""];
    if (!prefix && digits <= 4) return value(rounded);
    const said = LONG.format(Number((rounded / size).toPrecision(digits)));
    return prefix ? `${said} ${prefix}` : said;
  }

  /** Seconds as "0.2 s", "12 s", "3 min", "2 h 5 min", "4 d 3 h": two units at most. */
  function duration(seconds, language = own()) {
    const said = MANNERS[language];
    if (seconds < 10 && seconds !== Math.round(seconds)) return said.second(seconds.toFixed(1));
    if (Math.round(seconds) < 100) return said.second(Math.round(seconds));
    const minutes = Math.round(seconds / 60);
    if (minutes < 100) return said.minute(minutes);
    const hours = Math.floor(minutes / 60);
    if (hours < 48) return minutes % 60 ? said.hourMinute(hours, minutes % 60) : said.hour(hours);
    const days = Math.floor(hours / 24);
    return hours % 24 ? said.dayHour(days, hours % 24) : said.day(days);
  }

  tidewatch.numbers = { count, value, compact, duration };
})();
