/* The list of compared runs: box, colour, name, last and best value, value at the common place and the difference there. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SPELLED = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity };

  const say = (key, values) => tidewatch.words.say(key, values);
  const number = (value) => (typeof value === "string" ? SPELLED[value] : value);
  const count = (value) => tidewatch.numbers.count(value); // numbers.js is loaded later

  /** A value with its sign: "+0.0312", "−0.2", "0". Pure. */
  function signed(value) {
    if (value === null || value === undefined) return "–";
    const size = tidewatch.numbers.value(Math.abs(value));
    return value === 0 ? "0" : `${value > 0 ? "+" : "−"}${size}`;
  }

  /** Whether a difference is good news: "good", "bad" or "" where there is no telling. Pure. */
  function tone(difference, better) {
    if (!difference || better === "none") return "";
    return (difference < 0) === (better === "lower") ? "good" : "bad";
  }

  function element(name, { text, ...attributes } = {}, children = []) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
    }
    if (text !== undefined) made.textContent = text;
    made.append(...children);
    return made;
  }

  function mark(mark, label) {
    const cell = element("td", { class: "number", "data-label": label });
    if (!mark) return element("td", { class: "number quiet", "data-label": label, text: "–" });
    const value = number(mark.value);
    cell.append(element("span", { text: tidewatch.numbers.value(value), class: Number.isFinite(value) ? "" : "bad", title: say("at_step", { step: count(mark.step) }) }));
    return cell;
  }

  function row(one, index, { better, hidden, labels }) {
    const colour = element("i", { class: `swatch ${tidewatch.palette.dash(index)}`, style: `--swatch: var(${tidewatch.palette.variable(index)})` });
    const box = element("button", {
      type: "button", role: "checkbox", class: "tick", "aria-checked": String(!hidden), "data-show": one.run,
      "aria-label": say("compare_show", { name: one.name }),
    });
    const link = element("a", { href: tidewatch.address.ofPage(one.run), text: one.name });
    const status = element("span", { class: "hint", text: say(`compare_${one.status}`) });
    const difference = number(one.difference);
    return element("tr", { "data-line": one.run, class: hidden ? "away" : "" }, [
      element("td", { class: "pick" }, [box]),
      element("th", { scope: "row", class: "name" }, [colour, link, status]),
      mark(one.last, labels.last),
      mark(one.best, labels.best),
      mark(one.common, labels.common),
      index === 0
        ? element("td", { class: "number quiet", "data-label": labels.difference, text: say("compare_reference") })
        : element("td", { class: `number ${tone(difference, better)}`, "data-label": labels.difference, text: signed(difference) }),
    ]);
  }

  /** Fills `host`. `common` is said in words already: "At step 600". */
  function fill(host, info, { hide, common, order }) {
    const labels = { last: say("compare_last"), best: say("compare_best"), common, difference: say("compare_difference") };
    const heads = ["", say("compare_run"), labels.last, labels.best, labels.common, labels.difference];
    const cells = heads.map((text, index) => element("th", { scope: "col", text, class: index > 1 ? "number" : "" }));
    const rows = info.runs.map((one) => row(one, order.indexOf(one.run), { better: info.better, hidden: hide.includes(one.run), labels }));
    const focused = document.activeElement?.dataset?.show;
    host.replaceChildren(element("table", { class: "sides" }, [element("thead", {}, [element("tr", {}, cells)]), element("tbody", {}, rows)]));
    if (focused) host.querySelector(`[data-show="${CSS.escape(focused)}"]`)?.focus();
  }

  tidewatch.compareTable = { element, fill, signed, tone };
})();
