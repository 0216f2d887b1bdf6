/* Who sits here: who is logged in, else the name under which something was said last, which the next form offers again. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const NAME = "tidewatch.name"; // no other page than ours reads it

  function kept() {
    try {
      return tidewatch.access.name() || (localStorage.getItem(NAME) ?? "");
    } catch {
      return ""; // a browser that keeps nothing
    }
  }

  function keep(name) {
    try {
      localStorage.setItem(NAME, name);
    } catch {
      // it is asked again
    }
  }

  tidewatch.who = { kept, keep };
})();
