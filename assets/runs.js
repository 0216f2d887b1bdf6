/* The runs page between two renewals of its table: the address follows what is searched for and how the table is sorted
   (/?q=glm&sort=loss), and the keyboard stays where it is, though the server sends every row anew. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const USUAL = "-updated"; // app/pages/runs.py, Order

  /** The query for a search and an order; only what is not usual is spelled. Pure. */
  function query(text, order) {
    const said = new URLSearchParams();
    if (text) said.set("q", text);
    if (order && order !== USUAL) said.set("sort", order);
    return said.size ? `?${said}` : "";
  }

  /** The order that the table is in: its key is in the id that Dash gave the head's button. */
  function order() {
    const head = document.querySelector("#runs-table th[aria-sort]");
    const key = head && JSON.parse(head.querySelector("button").id).key;
    return key && (head.getAttribute("aria-sort") === "descending" ? `-${key}` : key);
  }

  function tell() {
    const search = document.getElementById("runs-search");
    const sorted = order();
    if (!search || !sorted) return;
    const address = location.pathname + tidewatch.address.spoken(query(search.value, sorted));
    if (address !== location.pathname + location.search) history.replaceState(history.state, "", address);
  }

  /** How to find the same thing in the next table: a box, a link or a head of a column. */
  function same(element) {
    if (element.dataset.pick) return `[data-pick="${CSS.escape(element.dataset.pick)}"]`;
    if (element.id) return `#${CSS.escape(element.id)}`;
    return element.getAttribute("href") && `a[href="${CSS.escape(element.getAttribute("href"))}"]`;
  }

  let focused = null; // the element in the table that has the keyboard, also after it was taken away

  /** Gives the keyboard back to what stands where its element stood. */
  function keepFocus(table) {
    if (!focused || focused.isConnected || document.activeElement !== document.body) return;
    const selector = same(focused);
    focused = null;
    if (selector) table.querySelector(selector)?.focus({ preventScroll: true });
  }

  document.addEventListener("focusin", ({ target }) => (focused = target.closest("#runs-table") ? target : null));
  document.addEventListener("input", (event) => event.target.id === "runs-search" && tell());
  (tidewatch.mounts ??= []).push({
    selector: "#runs-table",
    start: (table) => {
      const watched = new MutationObserver(() => {
        tell();
        keepFocus(table);
      });
      watched.observe(table, { subtree: true, childList: true, attributes: true, attributeFilter: ["aria-sort"] });
      return () => watched.disconnect();
    },
  });

  tidewatch.runs = { query };
})();
