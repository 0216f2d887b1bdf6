/* The dialog that freezes the run in the view that is seen, gives the link to it, and lists those that there are. Who may only look
   sees the list. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const make = (...parts) => tidewatch.elements.make(...parts);
  const say = (key, values) => tidewatch.words.say(key, values);
  const DAYS = [1, 7, 30, 365];
  const USUAL = 7;
  const PAGES = { pages: ["run", "ranks"] };

  const labelled = (words, field) => make("label", {}, make("span", {}, words), field);

  /** What is asked for, and the button. */
  function form() {
    const days = make("select", { name: "days" }, DAYS.map((count) => make("option", { value: String(count), selected: count === USUAL }, say(`freeze_days_${count}`))));
    const names = make("label", { class: "freeze-check" }, make("input", { type: "checkbox", name: "names" }), make("span", {}, say("freeze_names")));
    const by = !tidewatch.access.name() && labelled(say("freeze_by"), make("input", { type: "text", name: "by", maxlength: "80", autocomplete: "name", value: tidewatch.who.kept() }));
    const create = make("button", { class: "button primary", type: "submit" }, say("freeze_create"));
    return make("form", { class: "freeze-form" }, make("p", {}, say("freeze_means")), make("div", { class: "freeze-row" }, labelled(say("freeze_until"), days), by), names, make("div", { class: "acts" }, create));
  }

  /** The link that was made, which is told this once. */
  function linked({ url }) {
    const field = make("input", { type: "text", class: "copy-field", readonly: true, value: url, "aria-label": say("freeze_link") });
    field.addEventListener("focus", () => field.select());
    const copy = make("button", { class: "button primary", type: "button", "data-do": "copy" }, say("freeze_copy"));
    const open = make("a", { class: "button", href: url, target: "_blank", rel: "noreferrer" }, say("freeze_open"));
    return [make("p", { class: "freeze-made" }, say("freeze_made")), field, make("div", { class: "acts" }, copy, open)];
  }

  class FreezeDialog {
    /** `place` is where the menu stands (share-menu.js). */
    constructor(place) {
      const mayWrite = tidewatch.access.mayWrite();
      Object.assign(this, { place, address: tidewatch.address.ofRun(place.run, "/snapshots") });
      this.list = new tidewatch.freezeList.FreezeList(this.address, mayWrite);
      this.form = mayWrite && form();
      this.made = make("div", { class: "freeze-link" });
      this.trouble = make("p", { class: "alert-trouble", role: "alert" });
      const title = say(mayWrite ? "freeze_title" : "snapshots_title");
      const close = make("button", { class: "button icon-button", type: "button", "data-do": "close", "aria-label": say("close"), title: say("close") }, "✕");
      this.root = make("dialog", { class: "freeze-dialog", "aria-label": title }, make("header", {}, make("h2", {}, title), close), this.form, this.made, this.trouble, this.list.root);
      this.root.addEventListener("click", ({ target }) => this.click(target));
      this.root.addEventListener("submit", (event) => this.submit(event));
      this.root.addEventListener("close", () => this.ended());
    }

    open() {
      document.body.append(this.root);
      this.root.showModal();
      this.list.read();
    }

    ended() {
      this.root.remove();
      this.place.opener.focus({ preventScroll: true });
    }

    click(target) {
      if (target === this.root || target.closest("[data-do=close]")) this.root.close(); // beside it, or on its cross
      if (target.closest("[data-do=copy]")) this.copy();
    }

    /** The view as the address spells it, with the language that was chosen; the browser's own parts of it are none of its. */
    get wish() {
      const { days, names, by } = this.form.elements;
      const view = tidewatch.shareLink.query().replace(/^\?/, "");
      return { view, page: this.place.page, days: Number(days.value), names: names.checked, ...(by?.value.trim() ? { by: by.value.trim() } : {}) };
    }

    async submit(event) {
      event.preventDefault();
      const { wish } = this;
      const create = this.form.querySelector("[type=submit]");
      if (wish.by) tidewatch.who.keep(wish.by);
      this.trouble.textContent = "";
      create.disabled = true;
      try {
        this.made.replaceChildren(...linked(await tidewatch.answers.send(this.address, "POST", wish)));
        this.made.querySelector("[data-do=copy]").focus();
        this.list.read();
      } catch (error) {
        this.trouble.textContent = error.message;
      }
      create.disabled = false;
    }

    async copy() {
      const field = this.made.querySelector("input");
      const done = await tidewatch.clipboard.written(field.value);
      if (!done) tidewatch.clipboard.choose(field);
      this.made.querySelector(".freeze-made").textContent = say(done ? "freeze_copied" : "copy_by_hand");
    }
  }

  const open = (place) => new FreezeDialog(place).open();
  tidewatch.shareMenu.on("freeze", open, { ...PAGES, when: () => tidewatch.access.mayWrite() });
  tidewatch.shareMenu.on("snapshots", open, { ...PAGES, when: () => !tidewatch.access.mayWrite() });
})();
