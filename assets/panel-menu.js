/* The menu of one panel: logarithmic scale, pin, move, the whole page, hide or remove, picture. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  let open = null; // {menu, opener}

  /** What can be done with a panel now: [{act, checked?}], in the order of the menu. Pure. */
  function items(panel, { logged, isFirst, isLast, full }) {
    const away = panel.added ? "remove" : "hide";
    const scale = { act: "log", checked: tidewatch.layout.isLog(panel, logged) };
    if (full) return [scale, { act: "whole", checked: true }, { act: away }, { act: "picture" }];
    return [
      scale,
      { act: "pin", checked: Boolean(panel.pinned) },
      ...(isFirst ? [] : [{ act: "up" }]),
      ...(isLast ? [] : [{ act: "down" }]),
      { act: "whole" },
      { act: away },
      { act: "picture" },
    ];
  }

  /** The items for the panel of a key, as the page stands. */
  function itemsOf(key) {
    const state = tidewatch.state.get();
    const panels = tidewatch.board.arranged();
    const panel = tidewatch.board.listed().find((one) => one.key === key);
    const mine = panels.filter((one) => Boolean(one.pinned) === Boolean(panel.pinned)).map((one) => one.key);
    const [isFirst, isLast] = [mine[0] === key, mine.at(-1) === key];
    return items(panel, { logged: new Set(state.log), isFirst, isLast, full: Boolean(panel.full) });
  }

  function entry({ act, checked }) {
    const made = document.createElement("button");
    const word = act === "whole" && checked ? "menu_back" : `menu_${act}`;
    Object.assign(made, { type: "button", tabIndex: -1, textContent: tidewatch.words.say(word) });
    made.dataset.act = act;
    const isSwitch = act === "log" || act === "pin";
    made.setAttribute("role", isSwitch ? "menuitemcheckbox" : "menuitem");
    if (isSwitch) made.setAttribute("aria-checked", String(checked));
    return made;
  }

  function show(opener) {
    const head = opener.closest("[data-panel]");
    const menu = document.createElement("div");
    menu.className = "panel-menu";
    menu.setAttribute("role", "menu");
    menu.setAttribute("aria-label", opener.getAttribute("aria-label"));
    menu.append(...itemsOf(head.dataset.panel).map(entry));
    menu.dataset.key = head.dataset.panel;
    document.body.append(menu);
    place(menu, opener.getBoundingClientRect());
    opener.setAttribute("aria-expanded", "true");
    open = { menu, opener };
    menu.firstElementChild.focus({ preventScroll: true });
  }

  /** Below its button, or above it where there is no room; over everything, since the figure cuts off what hangs out. */
  function place(menu, box) {
    const below = box.bottom + menu.offsetHeight + 8 < innerHeight;
    menu.style.top = `${Math.max(8, below ? box.bottom + 2 : box.top - menu.offsetHeight - 2)}px`;
    menu.style.left = `${Math.max(8, box.right - menu.offsetWidth)}px`;
  }

  /** Takes the menu away; the focus goes back to its button unless the reader has put it elsewhere. */
  function close({ focus = true } = {}) {
    if (!open) return;
    const { menu, opener } = open;
    open = null;
    menu.remove();
    opener.setAttribute("aria-expanded", "false");
    if (focus) opener.focus({ preventScroll: true });
  }

  function choose(act) {
    const { key } = open.menu.dataset;
    close();
    tidewatch.board.act(act, key);
  }

  /** Arrow keys go around, Home and End to the ends, Esc and Tab close. */
  function press(event) {
    if (!open) return;
    const all = [...open.menu.children];
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (to !== undefined) all.at(to % all.length).focus();
    if (event.key === "Escape") close();
    if (event.key === "Tab") return close();
    if (event.key === "Enter" || event.key === " ") return event.stopPropagation(); // the button does it itself
    event.preventDefault();
    event.stopPropagation();
  }

  function click(event) {
    const chosen = open && event.target.closest?.(".panel-menu [data-act]");
    if (chosen) return choose(chosen.dataset.act);
    const pressed = event.target.closest?.(".panel-head [data-act]");
    const wasOpen = open?.opener === pressed;
    close({ focus: false });
    if (!pressed || wasOpen) return;
    if (pressed.dataset.act === "menu") show(pressed);
    else tidewatch.board.act(pressed.dataset.act, pressed.closest("[data-panel]").dataset.panel);
  }

  document.addEventListener("click", click);
  document.addEventListener("keydown", press, { capture: true });
  document.addEventListener("scroll", () => close({ focus: false }), { capture: true, passive: true });
  addEventListener("resize", () => close({ focus: false }));

  tidewatch.panelMenu = { items, close };
})();
