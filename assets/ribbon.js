/* The attempt ribbon: one segment a start of the job, over the steps that count, and what was done twice hatched. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const NARROW = 3; // px: what is shorter would vanish

  /** px of a stretch on the axis: {left, width}; null when none of it is in view. Pure. */
  function stretch(axis, [first, started], [last, ended]) {
    const x = [axis.x(first, started), axis.x(last, ended)];
    if (!x.every(Number.isFinite)) return null;
    const [low, high] = [Math.min(...axis.range), Math.max(...axis.range)];
    if (Math.max(...x) < low || Math.min(...x) > high) return null;
    const [left, right] = [Math.min(...x), Math.max(...x)].map((one) => axis.px(Math.max(low, Math.min(high, one))));
    return { left, width: Math.max(NARROW, right - left) };
  }

  const isOverTime = (axis) => axis.kind === "wall" || axis.kind === "relative";

  /** The segments of a run's attempts: {attempt, left, width, tail: {left, width} | null}. Over steps an attempt reaches
   *  to where the next one began, and what it had done beyond is its tail; over time nothing overlaps. Pure. */
  function segments(attempts, axis) {
    return attempts.flatMap((one, index) => {
      const began = attempts.slice(index + 1).map((later) => later.first_step);
      const cut = isOverTime(axis) ? one.last_step : Math.min(one.last_step, ...began);
      const solid = cut >= one.first_step ? stretch(axis, [one.first_step, one.started], [cut, one.ended]) : null;
      const tail = cut < one.last_step ? stretch(axis, [Math.max(cut, one.first_step), null], [one.last_step, null]) : null;
      return solid || tail ? [{ attempt: one.attempt, left: solid?.left ?? tail.left, width: solid?.width ?? 0, tail }] : [];
    });
  }

  /** Seconds that went into steps which had to be done again, by the pace of the attempt that did them first; null when
   *  no clock tells. Pure. */
  function secondsTwice(attempts, index) {
    const { first_step: first, steps_redone: redone } = attempts[index];
    const before = attempts.slice(0, index).reverse().find((one) => one.last_step >= first);
    if (!redone || !before || before.started === null || before.ended === null) return null;
    const steps = before.last_step - before.first_step;
    return steps > 0 ? ((before.ended - before.started) / steps) * redone : null;
  }

  const count = (number) => tidewatch.numbers.count(number);
  const say = (key, values) => tidewatch.words.say(key, values);

  /** Why the attempt before `attempt` ended, in words; "" when nothing tells. */
  function why(events, attempt) {
    const restart = events.find(({ kind, detail }) => kind === "restart" && detail?.attempt === attempt);
    return restart?.detail.ended ? tidewatch.eventWords.ending(restart.detail.ended) : "";
  }

  /** "2 · resumed at 4,000 · NaN in the loss": as much as `width` px hold. */
  function label({ attempt, first_step: first, reason }, ended, width) {
    const number = count(attempt);
    if (attempt === 1) return width > 14 ? number : "";
    const said = [number, say(reason === "first" ? "began_at" : "resumed_at", { step: count(first) }), ...(ended ? [say("after", { why: ended })] : [])];
    while (said.length && said.join(" · ").length * 6.2 + 12 > width) said.pop();
    return said.join(" · ");
  }

  /** The lines of an attempt's tip: [class, text]. */
  function lines(attempts, index, events) {
    const { attempt, first_step: first, last_step: last, started, ended, steps_redone: redone } = attempts[index];
    const clock = (at) => (Number.isFinite(at) ? tidewatch.clock.moment(at) : "?");
    const seconds = secondsTwice(attempts, index);
    const twice = redone ? say("done_twice", { steps: count(redone) }) : "";
    const before = why(events, attempt);
    const after = why(events, attempt + 1);
    return [
      ["tip-title", say("attempt_number", { attempt: count(attempt) })],
      ["tip-place", say("at_steps", { first: count(first), last: count(last) })],
      ["tip-text", Number.isFinite(started) ? say("from_to", { from: clock(started), to: clock(ended) }) : ""],
      ["tip-text", seconds === null ? twice : say("done_twice_time", { twice, time: tidewatch.numbers.duration(seconds) })],
      ["tip-text", before && say("after", { why: before })],
      ["tip-text", after && say("it_ended", { why: after })],
    ];
  }

  class Ribbon {
    /** `root` is the band; `point(px, lines | null)` shows a tip. */
    constructor(root, point, until) {
      this.root = root;
      this.band = root.querySelector(".ribbon-band");
      this.attempts = [];
      this.events = [];
      tidewatch.roving.connect(this.band, () => [this.places()], until);
      for (const kind of ["pointerover", "focusin"]) this.band.addEventListener(kind, (event) => this.tip(event.target, point), until);
      for (const kind of ["pointerleave", "focusout"]) this.band.addEventListener(kind, () => point(0, null), until);
      this.band.addEventListener("click", (event) => this.choose(event.target.closest("button")), until);
    }

    hold(attempts, events) {
      this.attempts = attempts;
      this.events = events;
    }

    places() {
      return [...this.band.querySelectorAll("button")].map((button) => ({ button, at: button.offsetLeft }));
    }

    tip(target, point) {
      const button = target.closest?.("button");
      if (!button) return;
      const index = this.attempts.findIndex(({ attempt }) => attempt === Number(button.dataset.attempt));
      if (index >= 0) point(button.offsetLeft + button.offsetWidth / 2, lines(this.attempts, index, this.events));
    }

    choose(button) {
      if (!button) return;
      const chosen = tidewatch.state.get().attempts === button.dataset.attempt ? "stitched" : button.dataset.attempt;
      tidewatch.state.set({ attempts: chosen });
    }

    /** Draws the segments along `axis`; a run of one attempt has no ribbon. */
    draw(axis) {
      const shown = this.attempts.length > 1 ? segments(this.attempts, axis) : [];
      this.root.hidden = this.attempts.length < 2;
      const held = new Map([...this.band.querySelectorAll("button")].map((button) => [button.dataset.attempt, button]));
      const buttons = shown.map((one) => {
        const button = held.get(String(one.attempt)) ?? this.band.appendChild(this.button(one.attempt));
        held.delete(String(one.attempt));
        this.dress(button, one);
        return button;
      });
      for (const button of held.values()) button.remove();
      if (!buttons.some((button) => button.tabIndex === 0)) tidewatch.roving.hold(buttons, buttons.at(-1));
    }

    button(attempt) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "attempt";
      button.tabIndex = -1;
      button.dataset.attempt = String(attempt);
      button.append(document.createElement("span"), document.createElement("i"));
      return button;
    }

    dress(button, { attempt, left, width, tail }) {
      const known = this.attempts.find((one) => one.attempt === attempt);
      const ended = why(this.events, attempt);
      const [text, hatched] = button.children;
      const set = (element, name, value) => element.style.getPropertyValue(name) === value || element.style.setProperty(name, value);
      set(button, "left", `${left.toFixed(1)}px`);
      set(button, "width", `${Math.max(width, NARROW).toFixed(1)}px`);
      hatched.hidden = !tail;
      if (tail) set(hatched, "left", `${(tail.left - left).toFixed(1)}px`);
      if (tail) set(hatched, "width", `${tail.width.toFixed(1)}px`);
      const said = label(known, ended, width);
      if (text.textContent !== said) text.textContent = said;
      const chosen = tidewatch.state.get().attempts;
      button.setAttribute("aria-pressed", String(chosen === String(attempt)));
      button.classList.toggle("odd", attempt % 2 === 1);
      const index = this.attempts.indexOf(known);
      button.setAttribute("aria-label", lines(this.attempts, index, this.events).map(([, one]) => one).filter(Boolean).join(", "));
    }
  }

  tidewatch.Ribbon = Ribbon;
  tidewatch.ribbon = { segments, secondsTwice };
})();
