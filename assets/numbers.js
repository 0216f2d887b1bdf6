/* Numbers as people read them on this page. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const count = (value) => Math.round(value).toLocaleString("en-US");

  /** A metric's value in at most four significant digits; exponents below 1e-3, thousands separated above 1e4. */
  function value(number) {
    if (number === null || number === undefined) return "";
    if (Number.isNaN(number)) return "NaN";
    if (!Number.isFinite(number)) return number > 0 ? "+Inf" : "−Inf";
    const size = Math.abs(number);
    if (size === 0) return "0";
    if (size < 1e-3 || size >= 1e9) return number.toExponential(2).replace("e+", "e");
    if (size >= 1e4) return count(number);
    return Number(number.toPrecision(4)).toLocaleString("en-US", { maximumFractionDigits: 6 });
  }

  /** Seconds as "0.2 s", "12 s", "3 min", "2 h 5 min", "4 d 3 h": two units at most. */
  function duration(seconds) {
    if (seconds < 10 && seconds !== Math.round(seconds)) return `${seconds.toFixed(1)} s`;
    if (Math.round(seconds) < 100) return `${Math.round(seconds)} s`;
    const minutes = Math.round(seconds / 60);
    if (minutes < 100) return `${minutes} min`;
    const hours = Math.floor(minutes / 60);
    if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
    return hours % 24 ? `${Math.floor(hours / 24)} d ${hours % 24} h` : `${Math.floor(hours / 24)} d`;
  }

  tidewatch.numbers = { count, value, duration };
})();
