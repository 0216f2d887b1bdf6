/* The language switch: the choice is a cookie, since the server speaks most of the words. */
(() => {
  const COOKIE = "tidewatch_language"; // app/language.py reads it
  const YEAR = 365 * 24 * 3600; // seconds

  function choose(language) {
    document.cookie = `${COOKIE}=${language}; Path=${globalThis.tidewatch.address.of("")}; Max-Age=${YEAR}; SameSite=Lax`;
    location.reload();
  }

  /** Tells the browser which language the page is in (fonts, hyphenation, screen readers), once the shell is there. */
  function tell(observer) {
    const language = document.getElementById("shell")?.dataset.language;
    if (!language) return;
    document.documentElement.lang = language;
    observer.disconnect();
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("#language-switch");
    if (button) choose(button.dataset.language);
  });
  new MutationObserver((_, observer) => tell(observer)).observe(document.documentElement, {
    subtree: true, childList: true,
  });
})();
