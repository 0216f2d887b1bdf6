/* "3 s ago", counted on while the page waits: <time data-at="Unix seconds"> and <time data-clock="Unix seconds">. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const RECENT = 2 * 86_400; // seconds; what is older is told by its date

  const EVERY_MS = 1_000;
  const SOON_MS = 200;

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

  /** Ages in a snapshot are those of its moment. */
  const present = () => tidewatch.frozen?.at ?? Date.now() / 1000;

  function ago(seconds, now = present()) {
    const age = Math.max(0, Math.round(now - seconds));
    if (age > RECENT) return moment(seconds, new Date(now * 1000));
    return age < 1 ? tidewatch.words.say("just_now") : tidewatch.words.say("ago", { age: tidewatch.numbers.duration(age) });
  }

  /** Seconds that this browser's clock is ahead of the server's, learnt once, when the shell has just come. */
  function lead() {
    if (tidewatch.frozen?.at) return 0;
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
  let told = -Infinity; // when they were told last
  let timer = null;

  function tellAll() {
    told = performance.now();
    Array.from(times, tell);
  }

  /** Tells them after a while, and on from there; of a tab that nobody sees when it is shown again. */
  function wait(ms = EVERY_MS) {
    clearTimeout(timer);
    if (document.hidden) return;
    timer = setTimeout(() => {
      tellAll();
      wait();
    }, ms);
  }

  /** Whoever draws tells the ages in the same frame, if it is about time: a frame costs more than all that is in it. */
  function along() {
    if (performance.now() - told > EVERY_MS - SOON_MS) tellAll();
    wait(EVERY_MS + SOON_MS); // the next drawing may come first
  }

  wait();
  document.addEventListener("visibilitychange", () => {
    tellAll();
    wait();
  });
  tidewatch.arrivals.watch(tellAll, ["data-at", "data-clock"]);

  tidewatch.clock = { ago, moment, day, along };
})();
