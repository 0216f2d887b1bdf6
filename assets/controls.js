/* The controls in the head of the curves' card: range buttons, smoothing, logarithmic loss, Save PNG. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  /** The view that a range button stands for: data-steps holds a count, or nothing for all. Pure. */
  const viewOf = (steps) => (steps ? tidewatch.view.last(Number(steps)) : tidewatch.view.all());

  /** Presses the button that stands for the view; none for a zoom. */
  function tellView(card, view) {
    for (const button of card.querySelectorAll("button[data-steps]")) {
      const meant = viewOf(button.dataset.steps);
      button.setAttribute("aria-pressed", String(meant.kind === view.kind && meant.steps === view.steps));
    }
  }

  function pressed(button) {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(now));
    return now;
  }

  function click(curves, button) {
    if (button.dataset.steps !== undefined) curves.show(viewOf(button.dataset.steps));
    if (button.id === "loss-log") curves.setLossAxis(pressed(button) ? "log" : "linear");
    if (button.id === "save-png") tidewatch.snapshot.save(curves);
  }

  function slide(card, curves, slider) {
    const weight = Number(slider.value);
    card.querySelector("#smoothing-value").textContent = weight ? String(weight) : tidewatch.words.say("off");
    curves.smoothBy(weight);
  }

  function connect(card, curves, until) {
    const find = (event) => event.target.closest("button");
    card.addEventListener("click", (event) => find(event) && click(curves, find(event)), until);
    card.addEventListener("input", (event) => event.target.type === "range" && slide(card, curves, event.target), until);
    tellView(card, curves.view);
  }

  tidewatch.controls = { connect, tellView, viewOf };
})();
