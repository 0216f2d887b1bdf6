/* Text into the clipboard. Browsers let a page do that on https and on this machine alone: elsewhere a field shows the text, chosen, so that one
   press of the keys copies it. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key, values) => tidewatch.words.say(key, values);
  const make = (...parts) => tidewatch.elements.make(...parts);

  const written = async (text) => Boolean(await navigator.clipboard?.writeText(text).then(() => true, () => false));

  function choose(field) {
    field.focus();
    field.select();
  }

  /** A dialog with the text in a field. */
  function offer(text, label) {
    const field = make("input", { type: "text", class: "copy-field", readonly: true, value: text, "aria-label": label });
    const told = make("p", { class: "hint", role: "status" }, say("copy_by_hand"));
    const close = make("button", { type: "button", class: "button" }, say("close"));
    const dialog = make("dialog", { class: "copy-dialog", "aria-label": label }, make("h2", {}, label), told, field, make("div", { class: "acts" }, close));
    close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    field.addEventListener("focus", () => field.select());
    field.addEventListener("copy", () => (told.textContent = say("copied_short")));
    document.body.append(dialog);
    dialog.showModal();
    choose(field);
  }

  /** Copies `text`, or shows it in a field named `label`; whether it was copied. */
  async function copy(text, label) {
    const done = await written(text);
    if (!done) offer(text, label);
    return done;
  }

  tidewatch.clipboard = { copy, written, choose };
})();
