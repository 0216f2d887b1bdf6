/* Light and dark: the system's choice until the reader makes one, which is then kept in this browser. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const KEY = "tidewatch.theme";
  const system = matchMedia("(prefers-color-scheme: dark)");

  const chosen = () => localStorage.getItem(KEY);
  const current = () => chosen() ?? (system.matches ? "dark" : "light");

  function apply() {
    document.documentElement.dataset.theme = current();
    document.dispatchEvent(new CustomEvent("tidewatch:theme"));
  }

  function toggle() {
    localStorage.setItem(KEY, current() === "dark" ? "light" : "dark");
    apply();
  }

  /** The value of a CSS variable as the theme has it now. */
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  system.addEventListener("change", apply);
  addEventListener("storage", (event) => event.key === KEY && apply());
  document.addEventListener("click", (event) => event.target.closest?.("#theme-switch") && toggle());
  apply();

  tidewatch.theme = { current, toggle, colour };
})();
