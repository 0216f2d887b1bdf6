/* Who does what the menu "Share" offers (app/pages/share_menu.py). Stands before all other scripts, so that each of them
   can connect its own act; share-menu.js shows those that are connected. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const connected = new Map(); // act → {handler, pages, frozen, when}

  /** Connects an act: handler(place) with {page: "run" | "ranks" | "compare", run, opener}, on `pages`; on a frozen page only with
   *  `frozen`, and only while when(place) holds, which is asked each time the menu opens. */
  function on(act, handler, { pages = ["run"], frozen = false, when = () => true } = {}) {
    connected.set(act, { handler, pages, frozen, when });
  }

  /** Whether somebody does an act at a place ({page, frozen}). */
  function offers(act, place) {
    const found = connected.get(act);
    if (!found?.pages.includes(place.page) || (place.frozen && !found.frozen)) return false;
    return found.when(place);
  }

  const act = (name, place) => connected.get(name)?.handler(place);

  tidewatch.shareMenu = { on, offers, act };
})();
