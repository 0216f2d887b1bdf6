/* A link to another page of ours changes the page in place, so that what was read and drawn need not be again; without
   Dash, or with a key that asks for another tab, it is the browser's. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const PAGES = /^$|^run\/|^compare$/; // app/pages/site.py

  /** Whether an address is a page of ours other than this one. Pure. */
  function isOther(address, here, prefix) {
    if (address.origin !== here.origin || address.pathname === here.pathname) return false;
    return address.pathname.startsWith(prefix) && PAGES.test(address.pathname.slice(prefix.length));
  }

  const isPlain = (event) => event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

  function follow(event) {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || !isPlain(event) || link.target || link.download) return;
    if (!tidewatch.renewal.isReady() || !isOther(link, location, tidewatch.address.of(""))) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    dispatchEvent(new CustomEvent("_dashprivate_pushstate")); // what dcc.Location listens to
  }

  document.addEventListener("click", follow);

  tidewatch.links = { isOther };
})();
