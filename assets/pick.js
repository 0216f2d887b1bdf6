/* The boxes of the runs page: two to twenty ticked runs are compared on a page of their own. What is ticked stays so
   while the table is renewed, searched and sorted, and until the tab is closed. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const FEWEST = 2;
  const MOST = 20;
  const picked = new Set();

  const say = (key, values) => tidewatch.words.say(key, values);
  const boxes = () => document.querySelectorAll("[data-pick]");

  /** What is said beside the table, and whether there is something to compare. Pure. */
  function told(count) {
    if (count === 0) return { key: "pick_none", ready: false };
    if (count === 1) return { key: "pick_one", ready: false };
    return { key: count >= MOST ? "pick_full" : "pick_some", ready: true };
  }

  function put(element, name, value) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }

  /** Writes what is ticked into what the table has become. */
  function tell() {
    for (const box of boxes()) {
      const ticked = picked.has(box.dataset.pick);
      put(box, "aria-checked", String(ticked));
      put(box, "aria-disabled", String(!ticked && picked.size >= MOST));
    }
    tellLink();
  }

  function tellLink() {
    const said = document.getElementById("runs-picked");
    const link = document.getElementById("runs-compare");
    if (!said || !link) return;
    const { key, ready } = told(picked.size);
    const text = say(key, { count: picked.size, most: MOST });
    if (said.textContent !== text) said.textContent = text;
    link.hidden = !ready;
    const label = say("pick_compare", { count: picked.size });
    if (link.textContent !== label) link.textContent = label;
    put(link, "href", tidewatch.address.of("compare") + tidewatch.compareState.encode({ ...tidewatch.compareState.decode(""), runs: [...picked] }));
  }

  function toggle(run) {
    if (picked.has(run)) picked.delete(run);
    else if (picked.size < MOST) picked.add(run);
    tell();
  }

  document.addEventListener("click", (event) => {
    const box = event.target.closest?.("[data-pick]");
    if (box) toggle(box.dataset.pick);
  });
  tidewatch.arrivals.watch(() => document.getElementById("runs-picked") && tell(), ["data-pick"]);

  tidewatch.pick = { told };
})();
