/* The tip over a mark of the strip or of the ribbon, and the thin line that stands at its step over all panels. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const paragraph = (className, text) => {
    const element = document.createElement("p");
    element.className = className;
    element.textContent = text;
    return element;
  };

  /** The lines of a mark's tip: [class, text]. */
  function lines({ events, from, to }) {
    const words = tidewatch.eventWords;
    if (events.length > 1) {
      const next = from === to ? "tip_log" : "tip_zoom";
      return [
        ["tip-title", tidewatch.words.say("events_here", { count: tidewatch.numbers.count(words.times(events)) })],
        ["tip-place", words.stretch(events)], ["tip-text", words.tally(events)], ["tip-next", tidewatch.words.say(next)],
      ];
    }
    const [event] = events;
    return [
      ["tip-title", words.title(event)], ["tip-place", words.place(event)], ["tip-numbers", words.numbers(event)],
      ["tip-line", words.line(event)], ["tip-next", tidewatch.words.say("tip_log")],
    ];
  }

  /** Shows lines over `at` px from the left of `tip`'s container, which it never leaves; none hides it. */
  function show(tip, at, told) {
    tip.hidden = !told?.length;
    if (tip.hidden) return;
    tip.replaceChildren(...told.filter(([, text]) => text).map(([className, text]) => paragraph(className, text)));
    const room = tip.parentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = `${Math.max(8, Math.min(room, at - tip.offsetWidth / 2))}px`;
  }

  /** Puts the line of `name` at `px` of the figure, or takes it away. */
  function line(figure, name, px) {
    let element = figure.querySelector(`.event-line.${name}`);
    if (!element && px === null) return;
    if (!element) {
      element = figure.appendChild(document.createElement("div"));
      element.className = `event-line ${name}`;
    }
    element.hidden = px === null;
    if (px !== null) element.style.left = `${px}px`;
  }

  tidewatch.eventTip = { lines, show, line };
})();
