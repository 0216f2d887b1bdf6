/* "Copy link": the address of what is seen. Where the view follows the newest steps, a second entry names the steps that are seen now, so
   that whoever opens it later sees the same. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const COOKIE = /(?:^|; )tidewatch_language=/; // assets/language.js sets it when somebody chooses
  const PAGES = { pages: ["run", "ranks"] };

  /** The query with the language of the page, where that was chosen, so that it does not depend on the reader's. Pure. */
  function spoken(query, language, isChosen) {
    const said = new URLSearchParams(query);
    said.delete("token"); // opens everything to whoever has it (app/access)
    if (isChosen && !said.has("lang")) said.set("lang", language);
    const spelled = tidewatch.codec.readable(said.toString());
    return spelled && `?${spelled}`;
  }

  /** The query of the page as it is seen, in the language that was chosen; `state`: what of the view is to be otherwise. */
  function query(state = null) {
    const { encode, get } = tidewatch.state;
    const spelled = state ? encode({ ...get(), ...state }, location.search) : location.search;
    return spoken(spelled, tidewatch.words.language(), COOKIE.test(document.cookie));
  }

  const link = (state) => location.origin + location.pathname + query(state);

  /** [first, last] in units of x of what is drawn of a view that is no stretch; null where nothing is. */
  function extent({ page }) {
    if (page !== "ranks") return tidewatch.curves?.scene.seen ?? null;
    const { held, isByClock } = tidewatch.ranks ?? {};
    const { steps, walls, m } = held?.top ?? { m: 0 };
    const column = isByClock ? walls : steps;
    return m ? [column[0], column[m - 1]] : null;
  }

  /** The stretch that is seen now, as the address spells it. Pure. */
  const stretch = ([first, last]) => (first < last ? `${first}..${last}` : "all");

  const isGoing = ({ page }) => !(page === "ranks" ? tidewatch.ranks?.live?.isOver : tidewatch.curves?.isOver);

  const follows = (place) => tidewatch.view.read(tidewatch.state.get().view).kind !== "zoom" && isGoing(place) && extent(place) !== null;

  async function copy(address) {
    const done = await tidewatch.clipboard.copy(address, tidewatch.words.say("share_link"));
    if (done) tidewatch.toast.say(tidewatch.words.say("share_link_copied"));
  }

  tidewatch.shareMenu.on("link", () => copy(link()), { pages: [...PAGES.pages, "compare"], frozen: true });
  tidewatch.shareMenu.on("link-steps", (place) => copy(link({ view: stretch(extent(place)) })), { ...PAGES, when: follows });

  tidewatch.shareLink = { spoken, query, stretch };
})();
