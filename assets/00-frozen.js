/* Whether this is the page of a snapshot (app/sharing/document.py): of when it is, and where to ask. Nothing comes any more there. The address
   says what is shown; one that says nothing gets what the author of the snapshot saw, before any other script reads it. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const { frozen, home, view } = document.getElementById("shell")?.dataset ?? {};

  if (view && !location.search) history.replaceState(history.state, "", `${location.pathname}?${view}${location.hash}`);

  /** `at`: Unix seconds of the snapshot, null on a page that lives. `home`: what addresses begin with there. */
  tidewatch.frozen = { at: frozen ? Date.parse(frozen) / 1000 : null, home: home ?? null };
})();
