/* The language of the page. The switch's choice is a cookie, since the server speaks most of the words. A link may name
   one too (?lang=zh): it holds for this tab, whatever was chosen before, so that a link does not change how its reader
   reads everything else. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const COOKIE = "tidewatch_language"; // app/language.py reads it, and the header
  const HEADER = "X-Tidewatch-Language";
  const LINKED = "tidewatch_language"; // in the tab's own store: the way goes on to pages whose address names none
  const YEAR = 365 * 24 * 3600; // seconds

  /** The language that a query names, "en" of "?lang=en-GB"; "" for none. Pure. */
  const named = (query) => (/^(en|zh)(?=-|$)/i.exec(new URLSearchParams(query).get("lang") ?? "")?.[1] ?? "").toLowerCase();

  /** The query with another language, where it names one. Pure. */
  function renamed(query, language) {
    const said = new URLSearchParams(query);
    if (!said.has("lang")) return query;
    said.set("lang", language);
    return `?${said}`.replaceAll("%2C", ",").replaceAll("%40", "@");
  }

  /** What the link that opened this tab named; "" for none, also where the browser keeps nothing. */
  function linked() {
    const asked = named(location.search);
    try {
      if (asked) sessionStorage.setItem(LINKED, asked);
      return asked || sessionStorage.getItem(LINKED) || "";
    } catch {
      return asked;
    }
  }

  function forget() {
    try {
      sessionStorage.removeItem(LINKED);
    } catch {
      // nothing was kept
    }
  }

  /** Every question of this page, Dash's too, says the language from here on. */
  function speak(language) {
    const plain = globalThis.fetch;
    globalThis.fetch = (address, options = {}) => {
      const headers = new Headers(options.headers);
      headers.set(HEADER, language);
      return plain(address, { ...options, headers });
    };
  }

  function choose(language) {
    document.cookie = `${COOKIE}=${language}; Path=${tidewatch.address.site()}; Max-Age=${YEAR}; SameSite=Lax`;
    forget();
    history.replaceState(history.state, "", location.pathname + renamed(location.search, language) + location.hash);
    location.reload();
  }

  /** The way here named no language, but the tab has one: the page comes again in it, with an address that says so. */
  function comeAgain(language) {
    const said = new URLSearchParams(location.search);
    said.set("lang", language);
    location.replace(`${location.pathname}?${said}${location.hash}`.replaceAll("%2C", ",").replaceAll("%40", "@"));
  }

  const asked = linked();
  if (asked) speak(asked); // before anything is asked
  if (asked && asked !== document.documentElement.lang.split("-")[0]) comeAgain(asked);

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("#language-switch");
    if (button) choose(button.dataset.language);
  });

  tidewatch.language = { named, renamed };
})();
