/* One note in the list: where, what, who and when, and for editors what can be done with it. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const make = (...parts) => tidewatch.elements.make(...parts);
  const say = (key, values) => tidewatch.words.say(key, values);

  class NoteRow {
    /** `page` has edit(note) → NoteForm and remove(note) → promise. */
    constructor(page) {
      this.page = page;
      this.button = make("button", { class: "note-open", type: "button" });
      this.text = make("p", { class: "note-text" });
      this.by = make("p", { class: "note-by" });
      this.acts = make("p", { class: "note-acts" });
      this.trouble = make("p", { class: "note-trouble", role: "alert" });
      this.read = make("div", { class: "note-read" }, this.text, this.by, this.acts, this.trouble);
      this.root = make("li", { class: "run-note" }, this.button, this.read);
      this.acts.addEventListener("click", ({ target }) => this.act(target.closest("button")?.dataset.noteDo));
    }

    get isEdited() {
      return Boolean(this.form);
    }

    show(note, { isChosen, mayWrite }) {
      this.note = note;
      this.root.dataset.noteId = note.id;
      this.root.classList.toggle("chosen", isChosen);
      this.button.setAttribute("aria-pressed", String(isChosen));
      const said = JSON.stringify([note, mayWrite]);
      if (said === this.said) return;
      this.said = said;
      this.button.replaceChildren(tidewatch.eventShapes.draw(tidewatch.noteWords.LOOK), make("b", {}, tidewatch.noteWords.place(note)));
      this.text.replaceChildren(...tidewatch.noteText.nodes(note.text));
      this.tellBy(note);
      this.offer(mayWrite ? ["edit", "remove"] : []);
    }

    tellBy({ author, created, edited, editor }) {
      const at = (seconds) => make("time", { "data-at": String(seconds) });
      const changed = edited === null ? [] : [" · ", editor === author ? say("note_edited") : say("note_edited_by", { name: editor }), " ", at(edited)];
      this.by.replaceChildren(make("b", {}, author), " · ", at(created), ...changed);
    }

    /** Buttons, the first of which takes the focus where one of the others had it. */
    offer(names) {
      const hadFocus = this.acts.contains(document.activeElement);
      this.acts.replaceChildren(...names.map((name) => make("button", { class: "to-log", type: "button", "data-note-do": name }, say(`note_${name}`))));
      if (hadFocus) this.acts.firstChild?.focus();
    }

    act(what) {
      this.trouble.textContent = "";
      if (what === "edit") this.edit();
      if (what === "remove") this.offer(["remove_surely", "keep"]);
      if (what === "keep") this.offer(["edit", "remove"]);
      if (what === "remove_surely") this.remove();
    }

    edit() {
      this.form = this.page.edit(this.note, () => this.closed());
      this.read.hidden = true;
      this.root.append(this.form.root);
      this.form.focus();
    }

    closed() {
      this.form = null;
      this.read.hidden = false;
      this.acts.querySelector("[data-note-do=edit]")?.focus({ preventScroll: true });
    }

    async remove() {
      try {
        await this.page.remove(this.note);
      } catch (error) {
        this.offer(["edit", "remove"]);
        this.trouble.textContent = error.message;
      }
    }
  }

  tidewatch.NoteRow = NoteRow;
})();
