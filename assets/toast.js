/* A short word about what was just done, at the foot of the window; read out, and gone after a while. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SHOWN_MS = 4_000;
  let host = null;
  let timer = null;

  /** `tone`: "" or "bad". What takes longer to read stays longer. */
  function say(text, tone = "") {
    host ??= document.body.appendChild(tidewatch.elements.make("div", { class: "toast", role: "status" }));
    host.textContent = text;
    host.dataset.tone = tone;
    clearTimeout(timer);
    timer = setTimeout(() => (host.textContent = ""), SHOWN_MS + 40 * text.length);
  }

  tidewatch.toast = { say };
})();
