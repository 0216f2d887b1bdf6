/* A menu under its button: one at a time. Arrow keys go around, Home and End to the ends; Escape, Tab, a click elsewhere, and whatever
   moves the page below it close it, and the focus goes back to the button unless the reader has put it elsewhere. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const ITEM = "[role^=menuitem]:not([hidden])";
  const EDGE = 8; // px that stay free around it
  const MOVED = 4; // px
  let open = null; // {menu, opener, choose, ended, top}

  const items = () => [...open.menu.querySelectorAll(ITEM)];

  /** Below its button, or above it where there is no room; over everything, since cards cut off what hangs out. */
  function place(menu, box) {
    const below = box.bottom + menu.offsetHeight + EDGE < innerHeight;
    menu.style.top = `${Math.max(EDGE, below ? box.bottom + 2 : box.top - menu.offsetHeight - 2)}px`;
    menu.style.left = `${Math.max(EDGE, Math.min(box.right, innerWidth - EDGE) - menu.offsetWidth)}px`;
  }

  /** Opens `menu`, which is in the page. `choose(act)` is told the data-act of what was chosen, `ended` when it is closed. */
  function show(menu, opener, { choose, ended = () => {} }) {
    close({ focus: false });
    const box = opener.getBoundingClientRect();
    open = { menu, opener, choose, ended, top: box.top };
    place(menu, box);
    opener.setAttribute("aria-expanded", "true");
    items()[0]?.focus({ preventScroll: true });
  }

  function close({ focus = true } = {}) {
    if (!open) return;
    const { opener, ended } = open;
    open = null;
    opener.setAttribute("aria-expanded", "false");
    if (focus) opener.focus({ preventScroll: true });
    ended();
  }

  const isOpen = (opener) => open?.opener === opener;

  function press(event) {
    if (!open) return;
    if (event.key === "Enter" || event.key === " ") return event.stopPropagation(); // the button does it itself
    const all = items();
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (to !== undefined) all.at(to % all.length)?.focus();
    if (event.key === "Escape" || event.key === "Tab") close();
    if (event.key === "Tab") return; // goes on from the button
    event.preventDefault();
    event.stopPropagation();
  }

  function click({ target }) {
    if (!open || open.opener.contains(target)) return; // whoever has the button closes it
    const chosen = open.menu.contains(target) && target.closest("[data-act]");
    const { choose } = open;
    close({ focus: Boolean(chosen) });
    if (chosen) choose(chosen.dataset.act);
  }

  /** The button has gone from where the menu is; a scroll that was on its way when it opened has not moved it. */
  const leave = () => open && Math.abs(open.opener.getBoundingClientRect().top - open.top) > MOVED && close({ focus: false });

  document.addEventListener("click", click);
  document.addEventListener("keydown", press, { capture: true });
  document.addEventListener("scroll", leave, { capture: true, passive: true });
  addEventListener("resize", () => close({ focus: false }));

  tidewatch.menu = { show, close, isOpen };
})();
