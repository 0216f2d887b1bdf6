/* The page's sentences in its language: one dictionary, handed over by app/words/browser in the shell's data-words. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  // the last character of "12 秒", and what follows the blank of "{age} 前"
  const HAN = /[\u4e00-\u9fff]$/;
  const PLACE = /\{(\w+)\}( (?=[\u4e00-\u9fff]))?/g;
  let dictionary = null;

  function load() {
    const shell = document.getElementById("shell");
    if (!shell?.dataset.words) return {};
    dictionary = JSON.parse(shell.dataset.words);
    return dictionary;
  }

  /** The language of the page, "en" or "zh"; English while the page is not there yet. */
  const language = () => (document.getElementById("shell")?.dataset.language ?? "en").split("-")[0];

  /** `{name}` replaced by `values.name`. Between two Chinese characters no blank is left: "12 秒" + " 前" is "12 秒前". */
  const filled = (sentence, values) => sentence.replace(PLACE, (whole, name, gap = "") => {
    const value = values[name];
    return value === undefined || value === null ? whole : value + (HAN.test(value) ? "" : gap);
  });

  /** The sentence `key` with its values; the key itself while the page is not there yet. */
  function say(key, values = {}) {
    return filled((dictionary ?? load())[key] ?? key, values);
  }

  tidewatch.words = { say, filled, language };
})();
