/* The form in which a note is written or edited: its steps, its text, and the name of who writes where nobody knows it. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const make = (...parts) => tidewatch.elements.make(...parts);
  const say = (key, values) => tidewatch.words.say(key, values);
  const LONGEST = 2_000; // app/notes/note.py

  const labelled = (words, field) => make("label", {}, make("span", {}, words), field);

  function stepField(name, value) {
    return make("input", { name, type: "text", inputmode: "numeric", autocomplete: "off", required: true, maxlength: "19", value: String(value) });
  }

  class NoteForm {
    /** `about`: {steps: [first, last] | null, text, name (known to the server, or ""), shown() → [first, last] | null,
     *  send(body) → promise, changed(steps | null), closed()}. */
    constructor(about) {
      this.about = about;
      const [first, last] = about.steps ?? ["", ""];
      this.text = make("textarea", { name: "text", rows: "3", required: true, maxlength: String(LONGEST) });
      this.text.value = about.text ?? "";
      this.trouble = make("div", { class: "note-trouble", role: "alert" });
      const view = make("button", { class: "to-log", type: "button", "data-note-do": "view" }, say("note_steps_shown"));
      const steps = make("div", { class: "note-steps" }, labelled(say("note_from"), stepField("first", first)), labelled(say("note_to"), stepField("last", last)), view);
      const name = !about.name && labelled(say("note_name"), make("input", { name: "author", type: "text", required: true, maxlength: "80", autocomplete: "name", value: tidewatch.who.kept() }));
      const save = make("button", { class: "button primary", type: "submit" }, say("note_save"));
      const cancel = make("button", { class: "button", type: "button", "data-note-do": "cancel" }, say("note_cancel"));
      this.root = make("form", { class: "note-form", novalidate: true }, steps, labelled(say("note_text"), this.text), name, this.trouble, make("div", { class: "alert-buttons" }, save, cancel));
      this.root.addEventListener("submit", (event) => this.submit(event));
      this.root.addEventListener("click", ({ target }) => this.click(target.closest("[data-note-do]")?.dataset.noteDo));
      this.root.addEventListener("input", () => about.changed(this.steps));
      this.root.addEventListener("keydown", (event) => this.key(event));
    }

    focus() {
      const { author } = this.root.elements;
      (this.steps === null ? this.root.elements.first : author && !author.value && this.text.value ? author : this.text).focus({ preventScroll: true });
      this.root.scrollIntoView({ block: "nearest" });
      this.about.changed(this.steps);
    }

    /** What stands in the fields of the steps; null while that is no stretch. An empty last one is the first. */
    get steps() {
      const { first, last } = this.root.elements;
      const from = tidewatch.noteWords.step(first.value);
      const to = last.value.trim() ? tidewatch.noteWords.step(last.value) : from;
      return from === null || to === null || to < from ? null : [from, to];
    }

    key(event) {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.root.requestSubmit();
    }

    click(what) {
      if (what === "cancel") this.close();
      const shown = what === "view" && this.about.shown();
      if (!shown) return;
      const { first, last } = this.root.elements;
      [first.value, last.value] = shown.map(String);
      this.about.changed(this.steps);
    }

    close() {
      this.root.remove();
      this.about.closed();
    }

    /** What keeps it from being sent, and the field that it is about; null when nothing does. */
    get lack() {
      const { first, author } = this.root.elements;
      if (!this.steps) return [say("note_lacks_steps"), first];
      if (!this.text.value.trim()) return [say("note_lacks_text"), this.text];
      return author && !author.value.trim() ? [say("note_lacks_name"), author] : null;
    }

    async submit(event) {
      event.preventDefault();
      if (this.isSending) return;
      const { lack } = this;
      this.trouble.textContent = lack?.[0] ?? "";
      if (lack) return lack[1].focus();
      const name = this.root.elements.author?.value.trim();
      if (name) tidewatch.who.keep(name);
      const [first, last] = this.steps;
      await this.send({ first, last, text: this.text.value, ...(name ? { author: name } : {}) });
    }

    async send(body) {
      this.isSending = true;
      this.root.setAttribute("aria-busy", "true");
      try {
        await this.about.send(body);
        this.close();
      } catch (error) {
        this.tell(error);
      }
      this.isSending = false;
      this.root.removeAttribute("aria-busy");
    }

    /** Why it was not kept; where somebody else was faster, what that one wrote: sent again, it is written over. */
    tell({ message, told }) {
      const newer = told?.note;
      const theirs = newer && make("blockquote", { class: "note-text" }, tidewatch.noteText.nodes(newer.text));
      this.trouble.replaceChildren(make("p", {}, message), ...(newer ? [theirs, make("p", {}, say("note_save_again"))] : []));
      this.root.querySelector("[type=submit]").focus();
    }
  }

  tidewatch.NoteForm = NoteForm;
})();
