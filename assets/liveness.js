/* The indicator in the top bar: "Live, 0.2 s behind", "Reconnecting", "Asking every 2 s" … */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SAME_CLOCK_MS = 2_000; // a larger difference is a clock that is set differently, not a delay
  let nearest = Infinity; // smallest (arrival − server's clock) seen in ms: what the two clocks differ by, at most
  const STEADY_MS = 5_000; // a delay that is much the same is not written anew before, since that would have the top of the page drawn with every point
  const SAME = 0.2; // seconds
  let said = "";
  let shown = { seconds: NaN, at: 0 };

  /** How long after the server took it a point is on the screen, in ms. `id` is the stream's: "<Unix ms>-<n>". Pure but
   *  for the memory of how far the clocks are apart. */
  function delay({ id, at }, now = Date.now()) {
    const taken = Number(id.split("-")[0]);
    if (!taken) return now - at;
    nearest = Math.min(nearest, at - taken);
    const apart = nearest < 0 || nearest > SAME_CLOCK_MS ? nearest : 0;
    return Math.max(0, now - taken - apart);
  }

  function write(state, text, title = "") {
    const element = document.getElementById("live");
    if (!element) return;
    const put = (name, value) => element.getAttribute(name) === value || element.setAttribute(name, value);
    put("data-state", state);
    put("title", title);
    if (element.textContent !== text) element.textContent = text;
  }

  function tell(state, { reason = "", finished = false } = {}) {
    if (tidewatch.frozen?.is && state !== "away") return forget(); // the page says of when it is
    said = finished && state === "live" ? "finished" : state;
    shown = { seconds: NaN, at: 0 };
    return write(said, tidewatch.words.say(`stream_${said}`), reason);
  }

  function behind(heard) {
    if (said !== "live") return;
    const seconds = Math.max(0.1, delay(heard) / 1000);
    const now = performance.now();
    if (Math.abs(seconds - shown.seconds) < SAME && now - shown.at < STEADY_MS) return;
    shown = { seconds, at: now };
    write("live", tidewatch.words.say("stream_behind", { seconds: seconds.toFixed(1) }));
  }

  /** The page that was live is gone. */
  function forget() {
    said = "";
    write("", "");
  }

  /** The session is over, and nothing comes any more. */
  document.addEventListener("tidewatch:ended", () => {
    said = "ended";
    write("away", tidewatch.words.say("access_out"));
  });

  tidewatch.liveness = { delay, tell, behind, forget };
})();
