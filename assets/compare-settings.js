/* The settings of the compared runs: those that differ, or all; a key that a run does not have is said to be missing. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const FOLDED = 60; // characters of a value that are shown before it is unfolded

  const say = (key, values) => tidewatch.words.say(key, values);

  /** The settings that have every word of a search in their key or a value. Pure. */
  function matching(settings, text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const told = ({ key, values }) => [key, ...values.map((value) => value ?? "")].join("\n").toLowerCase();
    return settings.filter((one) => words.every((word) => told(one).includes(word)));
  }

  function value(text, label) {
    const { element } = tidewatch.compareTable;
    if (text === null) return element("td", { class: "missing", "data-label": label, text: say("setting_missing") });
    if (text.length <= FOLDED) return element("td", { "data-label": label }, [element("code", { text })]);
    const short = element("summary", {}, [element("code", { text: `${text.slice(0, FOLDED)}…` })]);
    return element("td", { "data-label": label }, [element("details", {}, [short, element("code", { text })])]);
  }

  function table({ runs, settings }) {
    const { element } = tidewatch.compareTable;
    const heads = [say("setting_key"), ...runs.map((one) => one.name)].map((text) => element("th", { scope: "col", text }));
    const rows = settings.map((one) => element("tr", { class: one.differs ? "differs" : "" }, [
      element("th", { scope: "row", text: one.key }), ...one.values.map((text, k) => value(text, runs[k].name)),
    ]));
    return element("table", { class: "settings" }, [element("thead", {}, [element("tr", {}, heads)]), element("tbody", {}, rows)]);
  }

  /** The sentence in place of a table that would be empty. */
  function nothing(info, text) {
    if (!info.total) return say("setting_unknown");
    return text ? say("setting_no_match", { words: text }) : say("setting_same", { total: tidewatch.numbers.count(info.total) });
  }

  /** Fills `host`; `text` is what is searched for. */
  function fill(host, info, text) {
    const { element } = tidewatch.compareTable;
    const shown = matching(info.settings, text);
    host.replaceChildren(shown.length ? table({ ...info, settings: shown }) : element("p", { class: "hint", text: nothing(info, text) }));
  }

  tidewatch.compareSettings = { fill, matching };
})();
