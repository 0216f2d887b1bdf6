/* The rows of the search for tags, as elements: which name, of which ranks, from which files. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key, values) => tidewatch.words.say(key, values);

  /** An element with properties, or attributes where it has no such property, and children. */
  function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key in made) made[key] = value;
      else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  }

  const span = (className, textContent = "", more = {}) => element("span", { className, textContent, ...more });

  /** A metric by its title, with the name that a file gives it beside; a tag as it is spelled. */
  function nameOf({ metric, tag, title }) {
    if (!metric) return [tag];
    return [title, span("tags-tag", metric === tag ? metric : `${metric} · ${tag}`)];
  }

  function factsOf({ unit, rank, ranks, sources }) {
    const shown = rank === null ? ranks : [[rank, rank]];
    const said = shown.length ? say("tags_ranks", { ranks: tidewatch.tags.rankText(shown) }) : "";
    return [unit, said, sources.join(" + ")].filter(Boolean).join(" · ");
  }

  function optionOf(row, number) {
    return element(
      "div",
      { role: "option", id: `tags-${number}`, className: "tags-row", "data-number": number },
      span("tags-mark", "", { "aria-hidden": "true" }),
      element("span", { className: "tags-name" }, ...nameOf(row)),
      span("tags-facts", factsOf(row)),
      span("tags-points"),
      span("tags-last"),
    );
  }

  /** Rows in their sections: {groups: elements, rows: in the order in which they stand}. */
  function grouped(rows) {
    const ordered = [];
    const groups = tidewatch.tags.sections(rows).map(({ isMetrics, section, rows: mine }) => {
      const title = isMetrics ? say("tags_metrics") : section ?? say("tags_other");
      const head = element("div", { className: "tags-section", textContent: title, "aria-hidden": "true" });
      const options = mine.map((row) => optionOf(row, ordered.push(row) - 1));
      return element("div", { role: "group", "aria-label": title }, head, ...options);
    });
    return { groups, rows: ordered };
  }

  /** Whether the row stands on the page. */
  function mark(option, isOn) {
    option.setAttribute("aria-selected", String(isOn));
    option.querySelector(".tags-mark").textContent = isOn ? "✓" : "";
  }

  /** How many points there are, and the newest value. */
  function tell(option, { points, last }) {
    const number = tidewatch.panelHead.amount(points);
    option.querySelector(".tags-points").textContent = say(points === 1 ? "tags_point" : "tags_points", { number });
    option.querySelector(".tags-last").textContent = last ? tidewatch.numbers.value(Number(last[2])) : "";
  }

  tidewatch.tagRows = { element, grouped, mark, tell };
})();
