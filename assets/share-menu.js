/* The menu "Share" of the page that is shown: opens it with those acts that somebody does here (acts.js). */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  /** Where a menu stands: {page, run, opener, frozen}. */
  function placeOf(opener) {
    const { run, ranks, compare } = opener.closest("[data-run], [data-ranks], [data-compare]")?.dataset ?? {};
    const frozen = "frozen" in (document.getElementById("shell")?.dataset ?? {});
    const page = compare !== undefined ? "compare" : ranks === undefined ? "run" : "ranks";
    return { page, run: ranks ?? run ?? "", opener, frozen };
  }

  function open(opener) {
    const place = placeOf(opener);
    const menu = document.getElementById(opener.getAttribute("aria-controls"));
    for (const item of menu.children) item.hidden = !tidewatch.shareMenu.offers(item.dataset.act, place);
    menu.hidden = false;
    tidewatch.menu.show(menu, opener, {
      choose: (act) => tidewatch.shareMenu.act(act, place),
      ended: () => (menu.hidden = true),
    });
  }

  document.addEventListener("click", ({ target }) => {
    const opener = target.closest?.("#share");
    if (!opener) return;
    if (tidewatch.menu.isOpen(opener)) tidewatch.menu.close();
    else open(opener);
  });

  Object.assign(tidewatch.shareMenu, { placeOf });
})();
