/* The card of notes: the list by step, the form for a new one, and the same notes along the curves. Which one is open is in
   the address (note=<id>), so that it can be sent to somebody and the browser's back leads out of it. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const make = (...parts) => tidewatch.elements.make(...parts);
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);
  const LONGEST_MS = 400; // the first answer is slow while the page is made, and says nothing of the next
  const DRAFT = "draft"; // stands for the id of the note that is being written

  class Notes {
    /** `root` carries data-notes, the run's id. */
    constructor(root) {
      this.root = root;
      this.run = root.dataset.notes;
      this.ended = new AbortController();
      this.until = { signal: this.ended.signal };
      this.find = (name) => root.querySelector(`.${name}`);
      this.list = this.find("notes-list");
      this.rows = new Map(); // id → NoteRow
      this.visit = new tidewatch.Visit("note");
      this.notes = null; // before the first answer
      this.mayWrite = false;
      this.connect();
      this.reading = new tidewatch.rereading.Rereading(this.run, { path: "/notes", event: "notes", longest: LONGEST_MS, tell: (answer) => this.take(answer) }, this.until);
    }

    connect() {
      const { root, until } = this;
      root.addEventListener("click", ({ target }) => this.press(target), until);
      for (const one of [root, document]) one.addEventListener("keydown", (event) => this.key(event), until); // before keys.js
      document.addEventListener("tidewatch:state", ({ detail }) => detail.changed.has("note") && this.show(), until);
      document.addEventListener("tidewatch:axis", () => this.draw(), until);
      tidewatch.roving.connect(this.list, () => this.stops(), until);
    }

    end() {
      this.ended.abort();
      this.marks?.end();
    }

    /* ---- what there is ---- */

    get id() {
      return tidewatch.state.get().note;
    }

    get chosen() {
      return this.notes?.find(({ id }) => id === this.id) ?? null;
    }

    take({ notes, name, may_write: mayWrite }) {
      const before = this.notes;
      Object.assign(this, { notes, name, mayWrite: mayWrite && tidewatch.access.mayWrite() });
      this.show();
      const known = new Set(before?.map(({ id }) => id));
      const news = before ? notes.filter(({ id }) => !known.has(id)) : [];
      if (news.length) this.find("notes-news").textContent = news.slice(0, 3).map((one) => say("note_new", { author: one.author, place: tidewatch.noteWords.place(one) })).join(" ");
    }

    show() {
      if (!this.notes) return;
      const { id, mayWrite } = this;
      const wanted = this.notes.map((note) => {
        const row = this.rows.get(note.id) ?? new tidewatch.NoteRow({ edit: (one, closed) => this.edit(one, closed), remove: (one) => this.remove(one) });
        this.rows.set(note.id, row);
        row.show(note, { isChosen: note.id === id, mayWrite });
        return row;
      });
      const known = new Set(this.notes.map((one) => one.id));
      const kept = [...this.rows.values()].filter((row) => !known.has(row.note.id) && row.isEdited); // what is being written is not taken away
      for (const row of [...this.rows.values()]) if (!known.has(row.note.id) && !row.isEdited) this.rows.delete(row.note.id);
      tidewatch.elements.arrange(this.list, [...wanted, ...kept].map(({ root }) => root));
      this.tell();
      this.hold();
      this.draw();
    }

    tell() {
      const { length } = this.notes;
      this.find("notes-count").textContent = length ? count(length) : "";
      this.find("notes-add").hidden = !this.mayWrite || Boolean(this.form);
      this.find("notes-note").textContent = this.id && !this.chosen ? say("notes_gone") : length ? "" : say(this.mayWrite ? "notes_none_yet" : "notes_none");
      this.list.hidden = !this.list.children.length;
    }

    /* ---- the keyboard ---- */

    stops() {
      return [...this.list.querySelectorAll("button.note-open")].map((button) => [{ button, at: 0 }]);
    }

    /** One of them is what Tab reaches. */
    hold() {
      const buttons = this.stops().flat().map(({ button }) => button);
      if (buttons.filter(({ tabIndex }) => tabIndex === 0).length === 1) return;
      tidewatch.roving.hold(buttons, this.rows.get(this.id)?.button ?? buttons[0]);
    }

    /** Escape closes a form, then the note that is open. */
    key(event) {
      if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      const form = this.form ?? [...this.rows.values()].find(({ isEdited }) => isEdited)?.form;
      const isHere = this.root.contains(event.target) || event.target === document.body;
      if (!isHere || !(form || this.id) || tidewatch.state.get().full) return;
      event.preventDefault();
      if (form) return form.close();
      const row = this.rows.get(this.id);
      this.visit.leave();
      row?.button.focus({ preventScroll: true });
    }

    /* ---- open and closed ---- */

    press(target) {
      if (target.closest(".notes-add")) this.write();
      const button = target.closest("button.note-open");
      const id = button?.closest("[data-note-id]").dataset.noteId;
      if (id && id === this.id) this.visit.leave();
      else if (id) this.open(id);
    }

    open(id) {
      const note = this.notes?.find((one) => one.id === id);
      if (note) this.visit.enter(id, this.viewOf(note));
    }

    viewOf({ first, last }) {
      const { held } = tidewatch.curves ?? {};
      if (!held?.series.size) return null;
      return tidewatch.alertView.around({ first_step: first, last_step: last, raised_step: first }, held.axis(tidewatch.state.get().x), held.series.get("loss"));
    }

    /* ---- written ---- */

    get address() {
      return tidewatch.address.ofRun(this.run, "/notes");
    }

    /** Opens the form for a new note about the steps that the reader looks at. */
    write() {
      if (!this.mayWrite) return;
      const { crosshair, shown, newest } = this.looked;
      const alert = tidewatch.alerts?.root.isConnected ? tidewatch.alerts.chosen : null;
      this.form ??= this.formOf({
        steps: tidewatch.noteWords.proposed({ crosshair, alert, shown, newest }),
        send: async (body) => this.written(await tidewatch.answers.send(this.address, "POST", body)),
        closed: () => this.closed(),
      });
      this.find("notes-form").append(this.form.root);
      this.tell();
      this.form.focus();
    }

    closed() {
      this.form = null;
      this.tell();
      (this.rows.get(this.id)?.button ?? this.find("notes-add")).focus({ preventScroll: true });
    }

    edit(note, closed) {
      let { version } = note;
      return this.formOf({
        steps: [note.first, note.last],
        text: note.text,
        send: async (body) => {
          const sent = tidewatch.answers.send(`${this.address}/${note.id}`, "PUT", { ...body, version });
          const made = await sent.catch((error) => {
            version = error.told?.note?.version ?? version; // sent again, it is written over what has been shown then
            throw error;
          });
          this.written(made);
        },
        closed,
      });
    }

    formOf(about) {
      const changed = (steps) => {
        this.draft = steps && { id: DRAFT, first: steps[0], last: steps[1] };
        this.draw();
      };
      const closed = () => {
        changed(null);
        about.closed();
      };
      return new tidewatch.NoteForm({ name: this.name, shown: () => tidewatch.noteWords.proposed({ crosshair: null, ...this.looked, shown: this.range }), ...about, changed, closed });
    }

    /** Shows it before the stream tells of it. */
    written(note) {
      this.notes = [...this.notes.filter(({ id }) => id !== note.id), note].sort((one, other) => one.first - other.first || one.last - other.last || one.created - other.created);
      tidewatch.state.set({ note: note.id }, { step: false });
      this.show();
      this.find("notes-news").textContent = say("note_saved");
      this.reading.readSoon();
    }

    async remove({ id, version }) {
      await tidewatch.answers.send(`${this.address}/${id}?version=${version}`, "DELETE").catch((error) => {
        this.reading.readSoon();
        throw error;
      });
      this.notes = this.notes.filter((one) => one.id !== id);
      if (this.id === id) tidewatch.state.set({ note: "" }, { step: false });
      this.show();
      this.find("notes-add").focus({ preventScroll: true });
      this.reading.readSoon();
    }

    /* ---- along the curves ---- */

    get curves() {
      const { curves } = tidewatch;
      return curves?.axis?.range && curves.card.isConnected && curves.run === this.run ? curves : null;
    }

    /** The steps that the figure shows. */
    get range() {
      const { axis } = this.curves ?? {};
      const found = axis?.range.map((x) => axis.step(x)) ?? [];
      return found.length && found.every(Number.isFinite) ? found : null;
    }

    /** Where the reader looks: {crosshair, shown, newest} in steps. */
    get looked() {
      const { curves } = this;
      const at = curves?.hover.shownAt ?? null;
      const isPart = curves && curves.view.kind !== "all";
      return { crosshair: at === null ? null : Math.round(curves.axis.step(at)), shown: isPart ? this.range : null, newest: curves?.newest ?? -Infinity };
    }

    draw() {
      const { curves } = this;
      if (!curves || !this.notes || document.hidden) return;
      const figure = curves.card.querySelector(".figure");
      const lane = curves.card.querySelector(".note-lane");
      const act = { point: (mark) => this.point(mark), open: (mark) => this.openMark(mark) };
      this.marks ??= new tidewatch.noteMarks.NoteMarks(lane, figure, act, this.until);
      const strong = new Set([this.id, DRAFT, ...(this.pointed ?? [])]);
      this.marks.draw(this.notes, this.draft ? [this.draft] : [], curves.axis, strong);
    }

    point(mark) {
      const tip = this.curves?.card.querySelector(".strip-tip");
      if (tip) tidewatch.eventTip.show(tip, mark?.at ?? 0, mark ? tidewatch.noteWords.lines(mark.notes) : null);
      this.pointed = mark?.notes.map(({ id }) => id);
      this.draw();
    }

    /** Several that lie apart are zoomed into until they can be told apart; else the first is opened, and then the next. */
    openMark({ notes, from, to }) {
      this.point(null);
      const [first] = notes;
      const isApart = notes.some(({ first: step }) => step !== first.first) && to > from;
      if (isApart) return tidewatch.state.set({ view: tidewatch.view.spell(tidewatch.view.zoom(from - (to - from) / 4, to + (to - from) / 4)) });
      const next = notes[(notes.findIndex(({ id }) => id === this.id) + 1) % notes.length];
      this.open(next.id);
      this.rows.get(next.id)?.root.scrollIntoView({ block: "nearest" });
    }
  }

  tidewatch.shareMenu.on("note", () => tidewatch.notes?.write(), { when: () => tidewatch.notes?.mayWrite });

  (tidewatch.mounts ??= []).push({
    selector: "[data-notes]",
    start(root) {
      const notes = new Notes(root);
      tidewatch.notes = notes;
      return () => {
        notes.end();
        if (tidewatch.notes === notes) tidewatch.notes = null;
      };
    },
  });
})();
