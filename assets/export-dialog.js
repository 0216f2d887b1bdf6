/* "Download data" of the menu "Share": which form, which steps, which series; how much that would be; and a link, so that
   the download is the browser's own. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);
  const element = (...all) => tidewatch.tagRows.element(...all);
  let shown = null;

  /** One choice of several: a group of radio buttons. `options`: [value, text, hint], the first is chosen. */
  function choices(name, options) {
    const rows = options.map(([value, text, hint], index) => {
      const radio = element("input", { type: "radio", name: `export-${name}`, value, checked: index === 0 });
      const said = hint ? [element("small", { textContent: hint })] : [];
      return element("label", { className: "export-choice" }, radio, element("span", { textContent: text }), ...said);
    });
    return element("fieldset", { hidden: options.length < 2 }, element("legend", { textContent: say(`export_${name}`) }), ...rows);
  }

  class ExportDialog {
    constructor(run) {
      this.run = run;
      const { view, attempts } = tidewatch.state.get();
      this.window = view === "all" ? null : tidewatch.bundleAct.windowOf(tidewatch.curves?.axis);
      const panels = tidewatch.board?.listed() ?? [];
      this.names = tidewatch.exportQuestion.namesOf(panels);
      this.added = tidewatch.exportQuestion.namesOf(panels.filter(({ added }) => added));
      this.ended = new AbortController();
      this.build(attempts);
      this.listen();
      document.body.append(this.dialog);
      this.dialog.showModal();
      this.change();
    }

    build(attempts) {
      this.said = element("p", { className: "export-said", role: "status" });
      this.link = element("a", { className: "button primary", id: "export-go", textContent: say("export_download") });
      this.close = element("button", { type: "button", className: "button", textContent: say("close") });
      const form = element("form", { className: "export-form", method: "dialog" }, ...this.groups(attempts));
      this.dialog = element(
        "dialog", { id: "export", className: "export", "aria-labelledby": "export-title" },
        element("h2", { id: "export-title", textContent: say("export_title") }),
        form, this.said, element("div", { className: "acts" }, this.close, this.link),
      );
    }

    groups(attempts) {
      const { from, to } = this.window ?? {};
      const view = this.window ? [["view", say("export_range_view", { first: count(from), last: count(to) })]] : [];
      const panels = this.names.length ? [["shown", say("export_series_shown")]] : [];
      const ofAttempt = (one) => [one, /^\d+$/.test(one) ? say("export_attempt_one", { attempt: one }) : say(`export_attempt_${one}`)];
      return [
        choices("form", tidewatch.exportQuestion.FORMS.map((form) => [form, say(`export_form_${form}`), say(`export_hint_${form}`)])),
        choices("range", [...view, ["all", say("export_range_all")]]),
        choices("series", [...panels, ["all", say("export_series_all")]]),
        choices("attempt", tidewatch.exportQuestion.attemptsOf(attempts).map(ofAttempt)),
        choices("layout", ["wide", "long"].map((layout) => [layout, say(`export_layout_${layout}`), say(`export_hint_${layout}`)])),
      ];
    }

    listen() {
      const until = { signal: this.ended.signal };
      this.close.addEventListener("click", () => this.dialog.close(), until);
      this.dialog.addEventListener("close", () => this.end(), until);
      this.dialog.addEventListener("change", () => this.change(), until);
      this.dialog.addEventListener("click", ({ target }) => target === this.dialog && this.dialog.close(), until);
      this.link.addEventListener("click", () => this.taken(), until);
      addEventListener("popstate", () => this.dialog.close(), until);
    }

    end() {
      this.ended.abort();
      this.asking?.abort();
      this.dialog.remove();
      shown = null;
      if (document.activeElement === document.body) document.getElementById("share")?.focus();
    }

    get choice() {
      const chosen = (name) => this.dialog.querySelector(`input[name="export-${name}"]:checked`)?.value;
      return Object.fromEntries(["form", "range", "series", "attempt", "layout"].map((name) => [name, chosen(name)]));
    }

    /** Another choice: another link, and another size, which is asked for. */
    change() {
      const query = tidewatch.exportQuestion.query(this.choice, this.names, this.window);
      const address = (path) => `${tidewatch.address.ofRun(this.run, path)}${query && `?${query}`}`;
      this.link.href = address(`/export.${this.choice.form}`);
      this.link.download = "";
      this.tell(address("/export"));
    }

    async tell(address) {
      this.asking?.abort();
      const asking = (this.asking = new AbortController());
      this.link.removeAttribute("aria-disabled");
      this.said.classList.remove("bad");
      try {
        const found = await tidewatch.answers.json(address, asking.signal);
        this.said.textContent = this.words(found);
      } catch (error) {
        if (asking.signal.aborted) return;
        this.said.classList.add("bad");
        this.said.textContent = error.message;
        this.link.setAttribute("aria-disabled", "true");
      }
    }

    words({ rows, series, bytes, folded, missing }) {
      const size = tidewatch.exportQuestion.size(bytes[this.choice.form]);
      return [
        say("export_size", { rows: tidewatch.numbers.compact(rows), series: count(series), size }),
        folded ? say("export_folded") : "",
        this.lacking(missing),
      ].filter(Boolean).join(tidewatch.words.language() === "zh" ? "" : " ");
    }

    /** Of the added panels what the run does not have; a standard one is of whatever the run has of its names. */
    lacking(missing) {
      const named = this.added.map(tidewatch.exportQuestion.plain).filter((name) => missing.includes(name));
      return named.length ? say("export_missing", { names: named.slice(0, 5).join(", ") }) : "";
    }

    taken() {
      if (this.link.getAttribute("aria-disabled")) return;
      tidewatch.toast.say(say("export_begun"));
      setTimeout(() => this.dialog.close()); // once the browser has followed the link
    }
  }

  function open({ run }) {
    shown?.dialog.close();
    shown = new ExportDialog(run);
  }

  tidewatch.shareMenu.on("data", open, { frozen: true });
})();
