/* The line over each panel, HTML over the figure: title, unit, how much is drawn, last value, and the panel's buttons. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  /* ---- words, pure ---- */

  /** A count as people say it: 1,337, but 1.24 M (124 万 in Chinese) from a million on. */
  const amount = (number, language) => (number < 1e6 ? tidewatch.numbers.count(number) : tidewatch.numbers.compact(number, { language }));

  const some = (key, number) => (number ? [tidewatch.words.say(key, { number: amount(number) })] : []);

  /** "1.2 M points, 1,900 drawn, no extreme hidden, 12 NaN": what the window holds, and what of it is not seen. */
  function note(facts) {
    const { say } = tidewatch.words;
    if (facts.state === "loading") return say("note_loading");
    if (!facts.total) return say(isElsewhere(facts) ? "note_none_here" : "note_none");
    const [total, drawn] = [amount(facts.total), amount(facts.drawn)];
    const isReduced = facts.drawn < facts.total;
    const all = facts.total === 1 ? "note_all_one" : "note_all";
    return [
      say(isReduced ? "note_drawn" : all, { total, drawn }),
      ...(facts.outside ? some("note_outside", facts.outside) : isReduced ? [say("note_no_extreme")] : []),
      ...some("note_folded", facts.folded),
      ...some("note_nan", facts.nan),
      ...some("note_inf", facts.inf),
      ...some("note_unclocked", facts.unclocked),
    ].join(say("comma"));
  }

  /** Whether the metric has points, only none in the window. */
  const isElsewhere = ({ state, last }) => state !== "no_points" && last !== null && last !== undefined;

  /** "eval − train +0.031 at step 1,200": the generalisation gap; nothing where it is not known. */
  function gapText(gap) {
    if (!gap || !Number.isFinite(gap.value)) return "";
    const size = tidewatch.numbers.value(Math.abs(gap.value));
    const value = `${gap.value < 0 ? "−" : "+"}${size}`;
    return tidewatch.words.say("note_gap", { value, step: tidewatch.numbers.count(gap.step) });
  }

  /** What stands in an empty panel: why it is empty, and what would fill it; nothing in one that has points. */
  function emptyText(facts, hint) {
    if (facts.total || facts.state === "loading" || isElsewhere(facts)) return "";
    return tidewatch.words.say("empty", { hint });
  }

  /* ---- elements ---- */

  const BUTTONS = [
    { act: "previous", face: "‹", whole: true },
    { act: "next", face: "›", whole: true },
    { act: "whole", face: "✕", whole: true },
    { act: "menu", face: "⋮", whole: false },
  ];

  function element(name, className, text = "") {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text;
    return made;
  }

  function button({ act, face }, title) {
    const made = element("button", "panel-button", face);
    const label = tidewatch.words.say(`panel_${act}`, { title });
    Object.assign(made, { type: "button", title: label });
    made.dataset.act = act;
    made.setAttribute("aria-label", label);
    if (act === "menu") made.setAttribute("aria-haspopup", "menu");
    if (act === "menu") made.setAttribute("aria-expanded", "false");
    return made;
  }

  /** The head of one panel, without words about its points. */
  function make(panel) {
    const head = element("div", "panel-head");
    const last = element("span", "last");
    last.style.color = `var(${panel.lines[0].colour})`;
    const title = element("h3", "", panel.title);
    title.title = panel.title;
    const pinned = element("span", "pinned", tidewatch.words.say("panel_pinned"));
    const [unit, said, gap, buttons] = ["unit", "note", "gap", "buttons"].map((name) => element("span", name));
    head.append(title, pinned, unit, said, gap, last, buttons, element("p", "panel-empty"));
    head.dataset.panel = panel.key;
    return head;
  }

  /** Puts a head in its place; its buttons are those that fit a panel among others, or one that has the whole page. */
  function put(head, panel, place) {
    head.style.top = `${place.top}px`;
    head.style.setProperty("--panel-height", `${place.height}px`);
    head.dataset.hint = panel.hint ?? "";
    head.classList.toggle("is-pinned", Boolean(panel.pinned));
    const whole = String(Boolean(panel.full));
    if (head.dataset.whole === whole) return head;
    head.dataset.whole = whole;
    const wanted = BUTTONS.filter((one) => panel.full || !one.whole);
    head.querySelector(".buttons").replaceChildren(...wanted.map((one) => button(one, panel.title)));
    return head;
  }

  /** Which button of which panel has the focus, to be given back when the heads were laid anew. */
  function held(holder) {
    const focused = document.activeElement;
    if (!holder.contains(focused)) return null;
    return { key: focused.closest("[data-panel]").dataset.panel, act: focused.dataset.act };
  }

  function giveBack(holder, { key, act }) {
    const mine = [...holder.children].find((head) => head.dataset.panel === key);
    const head = mine ?? holder.querySelector(".panel-head");
    const target = head?.querySelector(`[data-act="${act}"]`) ?? head?.querySelector('[data-act="menu"]');
    (target ?? document.getElementById("add-panel"))?.focus();
  }

  let laid = {}; // for which list of panels the heads stand

  /** Makes the heads of the panels that are shown, in their order, at the places that layout.build gave; called after
   *  every drawing, it does nothing while `panels` is the same list. */
  function lay(card, panels, places) {
    const holder = card.querySelector(".panel-heads");
    if (laid.panels === panels && laid.holder === holder) return;
    laid = { holder, panels };
    const focus = held(holder);
    const before = new Map([...holder.querySelectorAll(".panel-head")].map((head) => [head.dataset.panel, head]));
    const heads = panels.map((panel, index) => put(before.get(panel.key) ?? make(panel), panel, places[index]));
    holder.classList.toggle("none", !heads.length);
    holder.replaceChildren(...(heads.length ? heads : [element("p", "panels-none", tidewatch.words.say("panels_none"))]));
    if (focus) giveBack(holder, focus);
  }

  function write(head, selector, text) {
    const target = head.querySelector(selector);
    if (target.textContent !== text) target.textContent = text;
  }

  const headOf = (card, key) => [...card.querySelectorAll(".panel-head")].find((one) => one.dataset.panel === key);

  /** Puts words about its points into the head of a panel: {total, drawn, folded, nan, inf, outside, unclocked, last, unit,
   *  gap: {value, step} | null, state: "loading" | "no_points" | …}; counts are of the window that is shown. */
  function tell(card, key, facts) {
    const head = headOf(card, key);
    if (!head) return; // the reader has put it away since
    write(head, ".note", note(facts));
    write(head, ".unit", facts.unit ?? "");
    write(head, ".gap", gapText(facts.gap));
    write(head, ".panel-empty", emptyText(facts, head.dataset.hint));
    tellLast(card, key, facts.last);
  }

  /** Its newest value alone. */
  function tellLast(card, key, last) {
    const head = headOf(card, key);
    if (!head) return;
    write(head, ".last", tidewatch.numbers.value(last));
    head.classList.toggle("unhealthy", typeof last === "number" && !Number.isFinite(last));
  }

  tidewatch.panelHead = { amount, note, gapText, emptyText, arrange: lay, tell, tellLast };
})();
