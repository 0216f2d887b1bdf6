/* The page's sentences in its language: one dictionary, handed over by app/words/browser in the shell's data-words. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  let dictionary = null;

  function load() {
    const shell = document.getElementById("shell");
    if (!shell?.dataset.words) return {};
    dictionary = JSON.parse(shell.dataset.words);
    return dictionary;
  }

  /** The sentence `key` with `{name}` replaced by `values.name`; the key itself while the page is not there yet. */
  function say(key, values = {}) {
    const sentence = (dictionary ?? load())[key] ?? key;
    return sentence.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  }

  tidewatch.words = { say };
})();
