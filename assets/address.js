/* Addresses below the prefix that the page is served under ("/" or, behind a proxy, "/mon/"); of a snapshot below its own. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  let prefix = null;

  function findPrefix() {
    if (tidewatch.frozen?.is) return tidewatch.frozen.home;
    const config = document.getElementById("_dash-config");
    return (config && JSON.parse(config.textContent).requests_pathname_prefix) || "/";
  }

  /** Absolute path of `path` (which has no leading slash), with `query` appended; empty values are left out. */
  function address(path, query = {}) {
    prefix ??= findPrefix();
    const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
    const search = new URLSearchParams(given).toString();
    return prefix + path + (search ? `?${search}` : "");
  }

  /** A page's query with the language that the address names by now (?lang=zh), so that a copied address still does. */
  function spoken(query, before = location.search) {
    const language = new URLSearchParams(before).get("lang");
    return language ? `${query ? `${query}&` : "?"}lang=${encodeURIComponent(language)}` : query;
  }

  /** A file of ours that a script loads; beside the one that the shell names. */
  function ofFile(name) {
    const worker = document.getElementById("shell")?.dataset.worker;
    return worker ? worker.replace(/[^/]*$/, name) : address(`assets/${name}`);
  }

  const ofRun = (run, path = "", query = {}) => address(`api/runs/${encodeURIComponent(run)}${path}`, query);

  /** The page of a run, or the one `behind` it ("/ranks"), with a query ("?rank=3@7") in the language that is named by now. */
  function ofPage(run, behind = "", query = "") {
    const path = tidewatch.frozen?.is ? address(behind.slice(1)).replace(/\/$/, "") : address(`run/${encodeURIComponent(run)}${behind}`);
    return path + spoken(query);
  }

  /** Where all pages are, also for a frozen one. */
  const site = () => address("").replace(tidewatch.frozen?.is ? /s\/[^/]*\/$/ : "", "");

  tidewatch.address = { of: address, ofFile, ofRun, ofPage, site, spoken };
})();
