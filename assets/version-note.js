/* A link of a newer Tidewatch than this one may say what we do not know: a line over the page tells so. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  function tell() {
    const { make } = tidewatch.elements;
    const close = make("button", { type: "button", class: "button" }, tidewatch.words.say("close"));
    const note = make("div", { class: "banner version-note", role: "status" }, make("span", {}, tidewatch.words.say("link_newer")), close);
    close.addEventListener("click", () => note.remove());
    document.getElementById("page")?.before(note);
  }

  queueMicrotask(() => tidewatch.codec.isNewer(location.search) && tell()); // the words stand behind this script
})();
