/* A frozen page (app/sharing) shows a run as it was: what is asked is asked below its own link, nothing comes by itself, and its clock stands.
   The element #shell says so: data-frozen (when), data-home (where to ask), data-view (what its maker saw, for an address that says
   nothing itself). Before all scripts that read the address. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const { frozen = "", home = "", view = "" } = document.getElementById("shell")?.dataset ?? {};
  const is = frozen !== "";
  const GONE = 410; // revoked, or expired by now
  let isOver = false;

  if (is && view && !location.search) history.replaceState(history.state, "", `${location.pathname}?${view}${location.hash}`);

  /** Whoever has the link open when it is taken back is told, once, and nothing more is asked. */
  function heard(error) {
    if (!is || error.status !== GONE || isOver) return;
    isOver = true;
    const { make } = tidewatch.elements;
    document.getElementById("page")?.before(make("div", { class: "banner frozen-over", role: "alert" }, error.message));
  }

  tidewatch.frozen = {
    is, heard,
    home: is ? home : null, // what addresses begin with
    at: is ? Date.parse(frozen) / 1_000 : null, // Unix seconds of the snapshot
    isOver: () => isOver,
    bare: "?view=all", // an address that says nothing would show what its maker saw
  };
})();
