/* "3 s ago", counted on while the page waits: <time data-at="Unix seconds"> and <time data-clock="Unix seconds">. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const RECENT = 2 * 86_400; // seconds; what is older is told by its date

  let ahead = null;

  const two = (number) => String(number).padStart(2, "0");
  const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

  /** A day of this year: "28 Nov", "11月28日". */
  function day(at, language = tidewatch.words.language()) {
    return language === "zh" ? `${at.getMonth() + 1}月${at.getDate()}日` : `${at.getDate()} ${MONTHS[at.getMonth()]}`;
  }

  /** The reader's local time: "09:14" today, "28 Nov 09:14" on another day, of another year as logs write it. */
  function moment(seconds, now = new Date(), language = tidewatch.words.language()) {
    const at = new Date(seconds * 1000);
    const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
    if (at.getFullYear() !== now.getFullYear()) return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
    return at.toDateString() === now.toDateString() ? time : `${day(at, language)} ${time}`;
  }

  function ago(seconds, now = Date.now() / 1000) {
    const age = Math.max(0, Math.round(now - seconds));
    if (age > RECENT) return moment(seconds, new Date(now * 1000));
    return age < 1 ? tidewatch.words.say("just_now") : tidewatch.words.say("ago", { age: tidewatch.numbers.duration(age) });
  }

  /** Seconds that this browser's clock is ahead of the server's, learnt once, when the shell has just come. */
  function lead() {
    const told = document.getElementById("shell")?.dataset.now;
    if (ahead === null && told) ahead = Date.now() / 1000 - Number(told);
    return ahead ?? 0;
  }

  function write(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  function tell(element) {
    if (element.dataset.at) write(element, ago(Number(element.dataset.at) + lead()));
    if (element.dataset.clock) write(element, moment(Number(element.dataset.clock)));
  }

  const times = document.getElementsByTagName("time"); // the browser keeps it, where a selector would search the page
  const tellAll = () => Array.from(times, tell);

  setInterval(() => document.hidden || tellAll(), 1_000);
  document.addEventListener("visibilitychange", tellAll);
  tidewatch.arrivals.watch(tellAll, ["data-at", "data-clock"]);

  tidewatch.clock = { ago, moment, day };
})();
