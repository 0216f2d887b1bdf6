/* The menu of one panel: logarithmic scale, pin, move, the whole page, hide or remove, picture. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

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
    const { panel: key } = opener.closest("[data-panel]").dataset;
    const menu = document.createElement("div");
    menu.className = "menu panel-menu";
    menu.setAttribute("role", "menu");
    menu.setAttribute("aria-label", opener.getAttribute("aria-label"));
    menu.append(...itemsOf(key).map(entry));
    document.body.append(menu);
    tidewatch.menu.show(menu, opener, { choose: (act) => tidewatch.board.act(act, key), ended: () => menu.remove() });
  }

  function click(event) {
    const pressed = event.target.closest?.(".panel-head [data-act]");
    if (!pressed) return;
    if (pressed.dataset.act !== "menu") return tidewatch.board.act(pressed.dataset.act, pressed.closest("[data-panel]").dataset.panel);
    if (tidewatch.menu.isOpen(pressed)) tidewatch.menu.close();
    else show(pressed);
  }

  document.addEventListener("click", click);

  tidewatch.panelMenu = { items };
})();
