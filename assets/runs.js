/* The address of the runs page follows what is searched for and how the table is sorted: /?q=glm&sort=loss. */
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
    const address = location.pathname + query(search.value, sorted);
    if (address !== location.pathname + location.search) history.replaceState(history.state, "", address);
  }

  document.addEventListener("input", (event) => event.target.id === "runs-search" && tell());
  (tidewatch.mounts ??= []).push({
    selector: "#runs-table",
    start: (table) => {
      const watched = new MutationObserver(tell);
      watched.observe(table, { subtree: true, childList: true, attributes: true, attributeFilter: ["aria-sort"] });
      return () => watched.disconnect();
    },
  });

  tidewatch.runs = { query };
})();
