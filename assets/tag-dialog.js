/* "Add panel": a search over everything the run has, and the panels that were put away. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const LIMIT = 200; // rows; who sees more than that searches more narrowly
  const keyOf = ({ metric, rank }) => (metric && rank === null ? metric : ""); // of a standard panel
  const say = (key, values) => tidewatch.words.say(key, values);

  const element = (...all) => tidewatch.tagRows.element(...all);

  function searchField() {
    const said = {
      role: "combobox", "aria-controls": "tags-list", "aria-expanded": "true", "aria-autocomplete": "list",
      placeholder: say("tags_placeholder"),
    };
    return element("input", { type: "search", id: "tags-text", autocomplete: "off", spellcheck: false, ...said });
  }

  class TagDialog {
    constructor(card) {
      this.card = card;
      this.run = card.dataset.run;
      this.told = new Map(); // entry → {points, last}
      this.rows = [];
      this.active = -1;
      this.ended = new AbortController();
      this.build();
      this.listen();
      this.dialog.showModal();
      this.text.focus();
      this.fill();
    }

    /* ---- elements ---- */

    build() {
      this.text = searchField();
      this.regex = element("input", { type: "checkbox", id: "tags-regex" });
      this.rank = element("input", { type: "number", id: "tags-rank", min: 0, step: 1, placeholder: say("tags_rank_any") });
      this.rankBox = element("label", { className: "tags-rank", hidden: true }, say("tags_rank"), this.rank);
      this.status = element("p", { className: "tags-said", role: "status", textContent: say("tags_loading") });
      const said = { role: "listbox", "aria-multiselectable": "true", "aria-label": say("tags_list") };
      this.list = element("div", { className: "tags-list", id: "tags-list", ...said });
      this.away = element("div", { className: "tags-away" });
      this.close = element("button", { type: "button", className: "button", textContent: say("close") });
      this.dialog = element(
        "dialog",
        { id: "tags", className: "tags", "aria-labelledby": "tags-title" },
        element("header", {}, element("h2", { id: "tags-title", textContent: say("tags_title") }), this.close),
        this.fields(),
        this.status,
        this.list,
        this.away,
      );
      document.body.append(this.dialog);
    }

    fields() {
      const label = element("label", { htmlFor: "tags-text", className: "hidden-text", textContent: say("tags_search") });
      const check = element("label", { className: "tags-check" }, this.regex, say("tags_regex"));
      return element("div", { className: "tags-ask" }, label, this.text, check, this.rankBox);
    }

    listen() {
      const until = { signal: this.ended.signal };
      this.close.addEventListener("click", () => this.dialog.close(), until);
      this.dialog.addEventListener("close", () => this.end(), until);
      this.dialog.addEventListener("click", (event) => this.click(event), until);
      for (const field of [this.text, this.regex, this.rank]) field.addEventListener("input", () => this.ask(), until);
      this.text.addEventListener("keydown", (event) => this.press(event), until);
      this.dialog.addEventListener("keydown", (event) => this.leave(event), until);
      document.addEventListener("tidewatch:state", () => this.mark(), until);
    }

    end() {
      this.ended.abort();
      this.search?.end();
      this.seen?.disconnect();
      this.dialog.remove();
      shown = null;
      if (document.activeElement === document.body) document.getElementById("add-panel")?.focus();
    }

    /* ---- what the run has ---- */

    async fill() {
      this.tellAway();
      try {
        const found = await tidewatch.tags.load(this.run);
        const title = ({ metric }) => (metric ? tidewatch.panels.titleOf({ kind: "metric", name: metric }) : "");
        this.known = found.map((one) => ({ ...one, title: title(one) }));
      } catch (error) {
        this.status.textContent = say("tags_away", { reason: error.message });
        return;
      }
      if (this.ended.signal.aborted) return;
      this.rankBox.hidden = new Set(this.known.flatMap(({ ranks }) => ranks.flat())).size < 2;
      this.search = new tidewatch.TagSearch(this.known, (answer) => this.show(answer));
      this.ask();
    }

    get asked() {
      const rank = this.rank.value === "" || !this.rank.validity.valid ? null : this.rank.valueAsNumber;
      return { text: this.text.value, isRegex: this.regex.checked, rank, limit: LIMIT };
    }

    ask() {
      this.search?.ask(this.asked);
    }

    /* ---- rows ---- */

    show({ indices, total, error, slow }) {
      this.text.toggleAttribute("aria-invalid", Boolean(error || slow));
      if (error !== undefined) return (this.status.textContent = say("tags_invalid", { reason: error }));
      if (slow) return (this.status.textContent = say("tags_slow"));
      const { rank } = this.asked;
      const entry = (one) => tidewatch.tags.entryOf(one, rank);
      this.rows = indices.map((index) => ({ ...this.known[index], entry: entry(this.known[index]), rank }));
      this.status.textContent = this.words(total);
      this.draw();
    }

    words(total) {
      const { count } = tidewatch.numbers;
      const all = this.known.length;
      if (!all) return say("tags_nothing");
      const said = say(total === all ? "tags_all" : "tags_some", { total: count(total), all: count(all) });
      return total > LIMIT ? [said, say("tags_more", { shown: count(LIMIT) })].join(say("comma")) : said;
    }

    draw() {
      this.seen?.disconnect();
      this.seen = new IntersectionObserver((entries) => this.look(entries), { root: this.list, rootMargin: "60px" });
      const { groups, rows } = tidewatch.tagRows.grouped(this.rows);
      this.rows = rows;
      this.list.replaceChildren(...groups);
      this.list.scrollTop = 0;
      this.options = [...this.list.querySelectorAll("[role=option]")];
      for (const option of this.options) this.seen.observe(option);
      this.mark();
      this.activate(rows.length && this.text.value ? 0 : -1);
    }

    /** Says which rows stand on the page, and what was put away. */
    mark() {
      const panels = tidewatch.board.every();
      const { hide } = tidewatch.state.get();
      const isOn = ({ panel }) => panel !== null && !hide.includes(panel.key);
      this.options?.forEach((option, index) => {
        const row = this.rows[index];
        row.panel = panels.get(keyOf(row)) ?? panels.get(tidewatch.panels.keyOf(row.entry)) ?? null;
        tidewatch.tagRows.mark(option, isOn(row));
      });
      this.tellAway();
    }

    /** Puts the row on the page or takes it away; a panel that every run has is shown again, or hidden. */
    toggle({ entry, panel }) {
      const state = tidewatch.state.get();
      const { add, remove, hide, restore, ADDED_AT_MOST } = tidewatch.panels;
      if (panel && state.hide.includes(panel.key)) return tidewatch.state.set(restore(state, panel.key));
      if (panel) return tidewatch.state.set(panel.added ? remove(state, entry) : hide(state, panel.key));
      if (state.panels.length >= ADDED_AT_MOST) return (this.status.textContent = say("tags_full", { number: ADDED_AT_MOST }));
      return tidewatch.state.set(add(state, entry));
    }

    /* ---- the numbers of the rows in view ---- */

    look(entries) {
      const rows = entries.filter((entry) => entry.isIntersecting).map((entry) => this.rows[Number(entry.target.dataset.number)]);
      for (const entry of entries) if (entry.isIntersecting) this.seen.unobserve(entry.target);
      const asked = rows.filter((row) => !this.told.has(row.entry)).slice(0, 100);
      this.write();
      if (asked.length) this.learn(asked);
    }

    async learn(rows) {
      for (const row of rows) this.told.set(row.entry, null);
      const found = await tidewatch.tags.tell(this.run, rows, rows[0].rank, this.ended.signal).catch(() => []);
      for (const one of found) this.told.set(tidewatch.tags.entryOf(one, rows[0].rank), one);
      this.write();
    }

    write() {
      this.options.forEach((option, index) => {
        const told = this.told.get(this.rows[index].entry);
        if (told) tidewatch.tagRows.tell(option, told);
      });
    }

    /* ---- hands ---- */

    activate(index) {
      this.options[this.active]?.classList.remove("active");
      this.active = index;
      const option = this.options[index];
      option?.classList.add("active");
      option?.scrollIntoView({ block: "nearest" });
      if (option) this.text.setAttribute("aria-activedescendant", option.id);
      else this.text.removeAttribute("aria-activedescendant");
    }

    press(event) {
      const last = this.rows.length - 1;
      const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
      if (by && last >= 0) this.activate(Math.max(0, Math.min(last, this.active + by)));
      else if (event.key === "Enter" && !event.isComposing && this.rows[this.active]) this.toggle(this.rows[this.active]);
      else return;
      event.preventDefault();
    }

    /** At once: the browser's own Esc would only empty the field. */
    leave(event) {
      if (event.key !== "Escape" || event.isComposing) return;
      event.preventDefault();
      this.dialog.close();
    }

    click(event) {
      if (event.target === this.dialog) return this.dialog.close(); // beside the dialog
      const back = event.target.closest("[data-restore]");
      if (back) return tidewatch.state.set(tidewatch.panels.restore(tidewatch.state.get(), back.dataset.restore));
      const option = event.target.closest("[role=option]");
      if (!option) return;
      this.activate(Number(option.dataset.number));
      this.toggle(this.rows[this.active]);
    }

    /** The panels that were put away, each with a button that brings it back. */
    tellAway() {
      const button = ({ key, title }) => element("button", {
        type: "button", className: "button", "data-restore": key, textContent: say("tags_show", { title }),
      });
      const buttons = tidewatch.board.hidden().map(button);
      const hadFocus = this.away.contains(document.activeElement);
      this.away.replaceChildren(...(buttons.length ? [say("tags_hidden"), ...buttons] : []));
      if (hadFocus) (this.away.querySelector("button") ?? this.text).focus();
    }
  }

  let shown = null;

  function open() {
    const card = tidewatch.board.card();
    if (card && !shown && !document.querySelector("dialog[open]")) shown = new TagDialog(card);
  }

  document.addEventListener("click", (event) => event.target.closest?.("#add-panel") && open());

  tidewatch.tagDialog = { open };
})();
