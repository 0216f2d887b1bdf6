/* The bar over the curves: it shows the view that the address spells, and changes it. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const LEAST_STEPS = 1;

  /** Makes the inputs of the bar, once: React keeps none of them. */
  function makeFields(card) {
    for (const host of card.querySelectorAll("[data-field]")) {
      if (host.firstChild) continue;
      const input = host.appendChild(document.createElement("input"));
      for (const [name, value] of Object.entries(JSON.parse(host.dataset.field))) input[name] = value;
    }
  }

  /** What the bar changes, by the id of the control: value → patch of the state, or null where it makes no sense. */
  const CHANGES = {
    "run-smoothing": (value) => ({ smooth: Number(value) }),
    "smoothing-number": (value) => (value.trim() && Number(value) >= 0 && Number(value) <= 0.999 ? { smooth: Number(value) } : null),
    "last-steps": (value) => (Number(value) >= LEAST_STEPS ? { view: `last-${Math.round(Number(value))}` } : null),
    attempts: (value) => ({ attempts: value }),
  };

  function click(card, curves, button) {
    const { clip, gap } = tidewatch.state.get();
    if (button.dataset.view) tidewatch.state.set({ view: button.dataset.view });
    if (button.id === "clip") tidewatch.state.set({ clip: !clip });
    if (button.id === "gap") tidewatch.state.set({ gap: !gap });
  }

  function change(curves, { id, value }) {
    if (id === "x-kind") return curves.countIn(value);
    const patch = CHANGES[id]?.(value);
    if (patch) tidewatch.state.set(patch, { step: "smooth" in patch ? "slide" : true });
  }

  /** "More" closes as menus do: by Escape, and by a click or the focus elsewhere. */
  function closeMore(card, until) {
    const more = () => card.querySelector("details.more[open]");
    const away = ({ target }) => more()?.contains(target) === false && more().removeAttribute("open");
    for (const kind of ["pointerdown", "focusin"]) document.addEventListener(kind, away, until);
    document.addEventListener("keydown", (event) => {
      const open = more();
      if (event.key !== "Escape" || !open || event.defaultPrevented) return;
      const hadFocus = open.contains(document.activeElement);
      open.removeAttribute("open");
      if (hadFocus) open.querySelector("summary").focus();
      event.preventDefault();
    }, until);
  }

  const write = (element, name, value) => element && element[name] !== value && (element[name] = value);

  /** A field under the reader's hands is left alone: "0." is on the way to 0.6. */
  function writeField(card, id, value) {
    const input = card.querySelector(`#${id}`);
    if (input !== document.activeElement || input?.type === "range") write(input, "value", value);
  }

  const press = (card, id, on) => card.querySelector(`#${id}`)?.setAttribute("aria-pressed", String(on));

  /** Shows the view in the bar. */
  function tell(card, { view, smooth, clip, gap, x, attempts }) {
    const ranges = [...card.querySelectorAll("button[data-view]")];
    for (const button of ranges) button.setAttribute("aria-pressed", String(button.dataset.view === view));
    const isOwn = view.startsWith("last-") && !ranges.some((button) => button.dataset.view === view);
    writeField(card, "last-steps", isOwn ? view.slice(5) : "");
    card.querySelector("#last-steps")?.classList.toggle("chosen", isOwn);
    writeField(card, "run-smoothing", String(smooth));
    writeField(card, "smoothing-number", String(smooth));
    press(card, "clip", clip);
    press(card, "gap", gap);
    write(card.querySelector("#x-kind"), "value", x);
    write(card.querySelector("#attempts"), "value", attempts);
  }

  /** What the run has: kinds of x, attempts. */
  function tellRun(card, { known, attempts }) {
    for (const option of card.querySelectorAll("#x-kind option")) {
      const lacking = tidewatch.axis.lacking(option.value, known);
      write(option, "disabled", lacking !== "");
      write(option, "title", lacking && tidewatch.words.say(lacking));
    }
    const lacking = [...card.querySelectorAll("#x-kind option")].filter(({ disabled }) => disabled);
    write(card.querySelector("#x-kind"), "title", lacking.map(({ textContent, title }) => `${textContent}: ${title}`).join("\n"));
    tellAttempts(card, attempts);
  }

  function tellAttempts(card, attempts) {
    const select = card.querySelector("#attempts");
    write(card.querySelector("#attempts-choice"), "hidden", attempts.length < 2);
    if (select.options.length - 2 === attempts.length) return;
    for (const option of [...select.options].slice(2)) option.remove();
    for (const { attempt } of attempts) {
      select.add(new Option(tidewatch.words.say("attempt_alone", { attempt }), String(attempt)));
    }
    select.value = tidewatch.state.get().attempts;
  }

  function connect(card, curves, until) {
    makeFields(card);
    closeMore(card, until);
    card.addEventListener("click", (event) => click(card, curves, event.target.closest("button") ?? event.target), until);
    card.addEventListener("input", ({ target }) => target.id in CHANGES && target.id !== "last-steps" && change(curves, target), until);
    card.addEventListener("change", ({ target }) => change(curves, target), until);
    document.addEventListener("tidewatch:state", ({ detail }) => tell(card, detail.state), until);
    document.addEventListener("tidewatch:axis", () => tellRun(card, curves.held), until);
    tell(card, tidewatch.state.get());
  }

  tidewatch.controls = { connect, tell, tellRun };
})();
