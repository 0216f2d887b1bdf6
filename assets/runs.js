/* The runs page: the address follows what is searched for, how the table is sorted and how much of it is shown
   (/?q=glm&sort=loss&rows=150), and the server renews the table as the address says. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const USUAL = { q: "", sort: "-updated", rows: "50" }; // app/pages/runs.py, Order and FIRST

  /** A query with some of its fields changed; only what is not usual is spelled. Pure. */
  function query(before, changes) {
    const asked = { ...USUAL, ...Object.fromEntries(new URLSearchParams(before)), ...changes };
    const said = new URLSearchParams(Object.entries(asked).filter(([name, value]) => value !== USUAL[name]));
    return said.size ? `?${said}` : "";
  }

  function change(changes) {
    history.replaceState(history.state, "", location.pathname + query(location.search, changes));
    tidewatch.renewal.ask();
  }

  function press({ target }) {
    const { sort, rows } = target.closest?.("#runs-table [data-sort], #runs-rest [data-rows]")?.dataset ?? {};
    if (sort) change({ sort });
    if (rows) change({ rows });
  }

  document.addEventListener("click", press);
  document.addEventListener("input", ({ target }) => target.id === "runs-search" && change({ q: target.value, rows: USUAL.rows }));

  tidewatch.runs = { query };
})();
