/* "Incident bundle" of the menu "Share": has the server make one of the steps in view, says that it is being made, and
   saves it. It comes whole or not at all, so that no half file is kept. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const AGAIN_MS = 3_000; // a word at the foot of the window is gone after a while, a bundle may take longer
  const say = (key, values) => tidewatch.words.say(key, values);
  let making = null; // the run whose bundle is being made

  /** First and last step of the window; null where no curve is drawn. */
  function windowOf(axis) {
    if (!axis) return null;
    const [left, right] = axis.range.map((x) => Number(axis.step(x) ?? NaN));
    return Number.isFinite(left) && Number.isFinite(right)
      ? { from: Math.max(0, Math.ceil(left)), to: Math.max(0, Math.floor(right)) }
      : null;
  }

  /** The name that the server gives the file: "filename*=UTF-8''…", else "filename="…"". */
  function nameOf(header) {
    const whole = /filename\*=UTF-8''([^;]+)/.exec(header ?? "")?.[1];
    return whole ? decodeURIComponent(whole) : (/filename="([^"]+)"/.exec(header ?? "")?.[1] ?? "incident.zip");
  }

  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  async function make({ run }) {
    if (making) return;
    making = run;
    const steps = windowOf(tidewatch.curves?.axis);
    const number = (one) => tidewatch.numbers.count(one);
    const told = steps ? say("bundle_making", { first: number(steps.from), last: number(steps.to) }) : say("bundle_making_worst");
    tidewatch.toast.say(told);
    const again = setInterval(() => tidewatch.toast.say(told), AGAIN_MS);
    try {
      const answer = await tidewatch.answers.ask(tidewatch.address.ofRun(run, "/bundle", steps ?? {}));
      save(await answer.blob(), nameOf(answer.headers.get("Content-Disposition")));
      tidewatch.toast.say(say("bundle_saved"));
    } catch (error) {
      tidewatch.toast.say(say("bundle_failed", { reason: error.message }), "bad");
    } finally {
      clearInterval(again);
      making = null;
    }
  }

  tidewatch.shareMenu.on("bundle", make);
  tidewatch.bundleAct = { windowOf, nameOf };
})();
