/* The log drawer: one rank's log around a step, beside the page, which stays usable. `log_at` of the page's view
   ("rank@step") opens it, so that a link does too; every element with data-log="rank@step" is a way in. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);
  const NAMED = 12; // ranks that a sentence lists

  /** {rank, step} that `log_at` spells, or null. Pure. */
  function placeOf(said) {
    const [rank, step] = said.split("@").map(Number);
    return said && Number.isFinite(step) ? { rank, step } : null;
  }

  /** Ranks that have a log, rising; of a run's details. Pure. */
  function ranksOf({ sources = [] }) {
    const found = sources.filter(({ source }) => source === "log").map(({ rank }) => rank ?? 0);
    return [...new Set(found)].sort((one, other) => one - other);
  }

  class Drawer {
    constructor(root) {
      this.root = root;
      this.run = root.dataset.drawer;
      this.parts = tidewatch.drawerParts.build(root);
      this.ended = new AbortController();
      this.place = null;
      this.listen({ signal: this.ended.signal });
      this.follow(false);
    }

    listen(until) {
      const { root, parts } = this;
      document.addEventListener("tidewatch:state", ({ detail }) => this.changed(detail.changed), until);
      document.addEventListener("click", (event) => this.clicked(event), until);
      document.addEventListener("keydown", (event) => event.key === "Escape" && this.escape(event), until);
      root.addEventListener("submit", (event) => this.submitted(event), until);
      parts.rank.addEventListener("change", () => this.go(), until);
      root.addEventListener("click", (event) => this.act(event.target.closest?.("[data-do]")?.dataset.do), until);
    }

    end() {
      this.ended.abort();
      this.asking?.abort();
      this.show(false);
    }

    /* ---- opening and closing ---- */

    clicked(event) {
      const way = event.target.closest?.("[data-log]");
      if (way) tidewatch.state.set({ log_at: way.dataset.log });
    }

    changed(names) {
      if (names.has("log_at")) this.follow(true);
      else if (names.has("log_find")) this.follow(false);
    }

    /** Opens, moves or closes as the page's view says; `asked` = the reader did it just now, so that focus follows. */
    follow(asked) {
      const { log_at: said, log_find: wanted } = tidewatch.state.get();
      const place = placeOf(said);
      const wasOpen = !this.root.hidden;
      const stays = wasOpen && place?.rank === this.place?.rank && place?.step === this.place?.step;
      this.place = place;
      if (this.parts.find !== document.activeElement) this.parts.find.value = wanted;
      if (place && stays) return this.draw();
      if (!place) return wasOpen && this.close();
      if (!wasOpen && asked) this.cameFrom = document.activeElement;
      this.show(true);
      if (asked && !this.root.contains(document.activeElement)) this.parts.region.focus({ preventScroll: true });
      return this.load();
    }

    show(open) {
      this.root.hidden = !open;
      document.documentElement.classList.toggle("drawer-open", open);
    }

    close() {
      this.asking?.abort();
      const had = this.root.contains(document.activeElement);
      this.show(false);
      if (had && this.cameFrom?.isConnected) this.cameFrom.focus();
    }

    escape(event) {
      const at = document.activeElement;
      if (this.root.hidden || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      if (at && at !== document.body && !this.root.contains(at)) return;
      event.preventDefault();
      this.leave();
    }

    leave() {
      tidewatch.state.set({ log_at: "", log_find: "" });
    }

    submitted(event) {
      event.preventDefault();
      if (event.target.dataset.form === "find") this.find("next");
      else this.go();
    }

    /** To the rank and step that the reader chose. */
    go() {
      const step = Math.trunc(Number(this.parts.step.value)) || 0;
      tidewatch.state.set({ log_at: `${this.parts.rank.value || 0}@${step}` });
    }

    act(does) {
      const actions = {
        close: () => this.leave(),
        older: () => this.more("older"), newer: () => this.more("newer"),
        back: () => this.find("previous"), on: () => this.find("next"),
        copy: () => this.copy(), retry: () => this.load(),
      };
      actions[does]?.();
    }

    /* ---- reading ---- */

    /** Runs `question` with a signal that the next one aborts; its failure becomes a sentence. */
    async ask(question) {
      this.asking?.abort();
      const asking = (this.asking = new AbortController());
      this.root.setAttribute("aria-busy", "true");
      try {
        return await question(asking.signal);
      } catch (error) {
        if (!asking.signal.aborted) this.failed(error);
        return undefined;
      } finally {
        if (this.asking === asking) this.root.removeAttribute("aria-busy");
      }
    }

    async load() {
      const { rank, step } = this.place;
      if (this.file?.rank !== rank) this.file = new tidewatch.LogFile(this.run, rank);
      this.tellPlace();
      this.tell(say("log_loading"));
      this.offering = this.offerRanks();
      const told = await this.ask((signal) => this.file.around(step, signal));
      if (!told) return;
      this.draw();
      this.scrollTo(".here") || this.scrollToNearest(step);
    }

    tellPlace() {
      const { rank, step } = this.place;
      this.parts.place.textContent = say("log_place", { rank, step: count(step) });
      this.parts.step.value = String(step);
    }

    async offerRanks() {
      const { rank } = this.parts;
      if (!this.ranks?.includes(this.place.rank)) await this.learnRanks();
      const wanted = [...new Set([...this.ranks, this.place?.rank ?? 0])].sort((one, other) => one - other);
      if (rank.options.length !== wanted.length) rank.replaceChildren(...wanted.map((one) => new Option(count(one), one)));
      rank.value = String(this.place?.rank ?? 0);
    }

    async learnRanks() {
      const address = tidewatch.address.ofRun(this.run, "", { metrics: 0 });
      const answer = await fetch(address, { signal: this.ended.signal }).catch(() => null);
      const details = answer?.ok ? await answer.json().catch(() => ({})) : {};
      this.path = details.path;
      this.ranks = ranksOf(details);
    }

    async more(where) {
      if (!this.file?.lines.length) return;
      const kept = this.topLine();
      const added = await this.ask(async (signal) => [await this.file[where](signal)]);
      if (!added) return;
      this.draw();
      this.scrollBack(kept);
    }

    /** The first line in sight and how far below the top it stands. */
    topLine() {
      const { region, list } = this.parts;
      const index = [...list.children].findIndex((row) => row.offsetTop + row.offsetHeight > region.scrollTop);
      return { line: this.file.lines[index], above: (list.children[index]?.offsetTop ?? 0) - region.scrollTop };
    }

    /** Puts a line back to where it was in sight, so that what was read stays in place. */
    scrollBack({ line, above }) {
      const row = this.parts.list.children[this.file.lines.indexOf(line)];
      if (row) this.parts.region.scrollTop = row.offsetTop - above;
    }

    async find(direction) {
      const text = this.parts.find.value;
      if (!text || !this.file?.lines.length) return;
      const told = await this.ask((signal) => this.file.find(text, direction, signal));
      if (told === undefined) return;
      this.parts.found.textContent = told ? "" : say(direction === "next" ? "find_nothing_on" : "find_nothing_back");
      this.foundAt(told ? this.file.lines.find(({ match }) => match)?.step : null, text);
      if (!told) return;
      this.draw();
      this.scrollTo(".match");
    }

    /** What was searched for is in the address, and the step where it was found. */
    foundAt(step, text) {
      const place = Number.isFinite(step) ? { ...this.place, step } : this.place;
      this.place = place;
      this.tellPlace();
      tidewatch.state.set({ log_at: `${place.rank}@${place.step}`, log_find: text }, { step: "slide" });
    }

    async copy() {
      const { lines } = this.file ?? { lines: [] };
      const chosen = String(getSelection());
      const text = chosen && this.parts.list.contains(getSelection().anchorNode) ? chosen : tidewatch.logLines.plain(lines);
      const done = await tidewatch.clipboard.written(text);
      this.tell(done ? say("copied", { count: count(text.split("\n").length) }) : say("not_copied"));
    }

    /* ---- telling ---- */

    draw() {
      const { list, file, older, newer } = this.parts;
      const { lines, told } = this.file;
      let before = null;
      const rows = lines.map((line) => {
        const row = tidewatch.logLines.row(line, { wanted: this.parts.find.value, at: this.place?.step, before });
        before = line.step;
        return row;
      });
      list.replaceChildren(...rows);
      file.textContent = told.host ? say("log_host", { file: told.file, host: told.host }) : told.file ?? "";
      older.disabled = !this.file.moreBefore;
      older.title = older.disabled ? say("log_start") : "";
      this.tell(lines.length ? (this.file.moreAfter ? "" : say("log_end")) : say("log_empty"));
      newer.disabled = !lines.length;
    }

    /** Why there are no lines, and what can be done. */
    async failed(error) {
      await this.offering;
      const { rank } = this.place ?? {};
      const ranks = this.ranks?.length ? this.ranks.slice(0, NAMED).map(count).join(", ") : "";
      const why = { 404: ranks ? say("log_other_ranks", { rank, ranks }) : say("log_none"), 503: say("log_silent", { rank, path: this.path ?? "" }) };
      this.parts.list.replaceChildren();
      this.tell(why[error.status] ?? say("log_failed", { reason: error.message }), true);
    }

    tell(text, again = false) {
      const { notice } = this.parts;
      if (notice.textContent !== text || again) notice.textContent = text;
      if (!again) return;
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "button", textContent: say("log_retry") });
      button.dataset.do = "retry";
      notice.append(" ", button);
    }

    scrollTo(selector) {
      const row = this.parts.list.querySelector(selector);
      const { region } = this.parts;
      if (row) region.scrollTop = row.offsetTop - region.clientHeight / 3;
      return Boolean(row);
    }

    /** A step without a line of its own (a start, steps between two prints): where the file is nearest to it. */
    scrollToNearest(step) {
      const index = this.file.lines.findIndex((line) => Number.isFinite(line.step) && line.step >= step);
      this.parts.region.scrollTop = this.parts.list.children[index]?.offsetTop ?? this.parts.region.scrollHeight;
    }
  }

  /** On a frozen page, which has no logs: whoever wants one is told why. */
  function closed() {
    const ended = new AbortController();
    const tell = () => tidewatch.toast.say(say("log_frozen"));
    const told = ({ detail: { state, changed } }) => {
      if (!changed.has("log_at") || !state.log_at) return;
      tidewatch.state.set({ log_at: "", log_find: "" }, { step: false });
      tell();
    };
    document.addEventListener("tidewatch:state", told, { signal: ended.signal });
    document.addEventListener("click", ({ target }) => target.closest?.("[data-log]") && tell(), { signal: ended.signal });
    if (tidewatch.state.get().log_at) tell();
    return () => ended.abort();
  }

  (tidewatch.mounts ??= []).push({
    selector: "[data-drawer]",
    start(root) {
      if (tidewatch.frozen.is) return closed();
      const drawer = new Drawer(root);
      tidewatch.drawer = drawer;
      return () => drawer.end();
    },
  });
  tidewatch.drawerPlace = { placeOf, ranksOf };
})();
