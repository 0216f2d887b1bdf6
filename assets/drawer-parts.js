/* The elements of the log drawer, made once for each drawer: every control has a label, a name or both. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key) => tidewatch.words.say(key);

  function create(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  const button = (does, face, attributes = {}) => create("button", { type: "button", class: "button", "data-do": does, ...attributes }, face);
  const sign = (does, face, label) => button(does, face, { class: "button icon-button", title: label, "aria-label": label });
  const labelled = (text, control) => create("label", {}, create("span", {}, text), control);

  /** Fills `root` and gives its parts by name. */
  function build(root) {
    const parts = {
      place: create("span", { class: "drawer-place" }),
      rank: create("select", { class: "drawer-rank" }),
      step: create("input", { type: "number", class: "drawer-step", step: "1" }),
      find: create("input", { type: "text", class: "drawer-find", placeholder: say("find_what"), autocomplete: "off", spellcheck: "false" }),
      found: create("span", { class: "drawer-found", role: "status" }),
      file: create("p", { class: "drawer-file" }),
      notice: create("p", { class: "drawer-notice", role: "status" }),
      list: create("ol", { class: "log-lines" }),
      older: button("older", say("older")),
      newer: button("newer", say("newer")),
      copy: button("copy", say("copy_lines")),
    };
    parts.region = create("div", { class: "drawer-lines", role: "region", tabindex: "0", "aria-label": say("log_lines") }, parts.list);
    root.setAttribute("role", "dialog");
    root.setAttribute("aria-label", say("log_title"));
    root.replaceChildren(
      create("header", {}, create("h2", {}, say("log_title")), parts.place, sign("close", "×", say("log_close"))),
      create("form", { class: "drawer-row", "data-form": "place" }, labelled(say("rank_label"), parts.rank), labelled(say("step_label"), parts.step), button("go", say("log_go"), { type: "submit" })),
      create("form", { class: "drawer-row", "data-form": "find", role: "search" }, labelled(say("find_label"), parts.find), sign("back", "↑", say("find_back")), sign("on", "↓", say("find_on")), parts.found),
      parts.file, parts.notice, parts.region,
      create("footer", {}, parts.older, parts.newer, parts.copy),
    );
    return parts;
  }

  tidewatch.drawerParts = { build };
})();
