/* What can be said of an alert: acknowledged, over, reopened, muted. Buttons, and a form where something is to be told. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const make = (...parts) => tidewatch.elements.make(...parts);
  const say = (key, values) => tidewatch.words.say(key, values);
  const send = (...parts) => tidewatch.answers.send(...parts);
  const [HOUR, DAY] = [60, 1_440]; // minutes
  const TIMES = { acknowledge: [30, 2 * HOUR, 8 * HOUR, DAY, null], mute: [HOUR, 8 * HOUR, DAY, 7 * DAY, null] };
  const FOR_EVER = { acknowledge: "alert_until_over", mute: "alert_until_taken_back" };

  /** Which buttons an alert has. Pure. */
  function acts({ state, muted }) {
    const own = { open: ["acknowledge", "resolve"], acknowledged: ["reopen", "resolve"], resolved: ["reopen"] }[state];
    return [...own, muted ? "unmute" : "mute"];
  }

  /** What a mute may cover: [{name, words, mute: {class, run, rank}}]. Pure but for the words. */
  function scopes({ class: about, rank, name }, run) {
    const found = [
      { words: say("alert_mute_rule_here", { rule: name }), mute: { class: about, run } },
      { words: say("alert_mute_rule", { rule: name }), mute: { class: about } },
      { words: say("alert_mute_run"), mute: { run } },
    ];
    return rank === null ? found : [...found, { words: say("alert_mute_rank", { rank: tidewatch.numbers.count(rank) }), mute: { run, rank } }];
  }

  /** The mutes that cover an alert of a run. Pure. */
  const covering = (mutes, { class: about, ranks }, run) => mutes.filter((one) => (one.class ?? about) === about && (one.run ?? run) === run && (one.rank === null || ranks.some(([first, last]) => first <= one.rank && one.rank <= last)));

  const labelled = (words, field) => make("label", {}, make("span", {}, words), field);

  function durations(act) {
    const words = (minutes) => (minutes === null ? say(FOR_EVER[act]) : tidewatch.numbers.duration(minutes * 60));
    return make("select", { name: "minutes" }, TIMES[act].map((minutes) => make("option", { value: String(minutes ?? "") }, words(minutes))));
  }

  class Acts {
    /** `done()` is called once something was said. */
    constructor(run, done) {
      Object.assign(this, { run, done, said: "" });
      this.buttons = make("div", { class: "alert-buttons" });
      this.trouble = make("p", { class: "alert-trouble", role: "alert" });
      this.root = make("div", { class: "alert-acts" }, this.buttons, this.trouble);
      this.root.addEventListener("click", (event) => this.click(event.target.closest("button[data-act]")));
      this.root.addEventListener("submit", (event) => this.submit(event));
    }

    show(alert) {
      this.alert = alert;
      const wanted = tidewatch.access.mayWrite() ? acts(alert) : [];
      if (wanted.join() === this.said) return;
      this.said = wanted.join();
      const hadFocus = this.buttons.contains(document.activeElement);
      this.buttons.replaceChildren(...wanted.map((act) => make("button", { class: "button", type: "button", "data-act": act }, say(`alert_${act}`))));
      if (hadFocus) this.buttons.querySelector("button")?.focus();
    }

    click(button) {
      const act = button?.dataset.act;
      if (act === "cancel") this.close();
      if (act === "acknowledge" || act === "mute") this.open(act);
      if (act === "resolve" || act === "reopen") this.say(() => send(this.address(act), "POST", { by: tidewatch.who.kept() }));
      if (act === "unmute") this.say(() => this.unmute());
    }

    address(act) {
      return tidewatch.address.ofRun(this.run, `/alerts/${encodeURIComponent(this.alert.id)}/${act}`);
    }

    /* ---- the form ---- */

    open(act) {
      this.close();
      const what = act === "mute" && labelled(say("alert_mute_what"), make("select", { name: "scope" }, scopes(this.alert, this.run).map(({ words }, at) => make("option", { value: String(at) }, words))));
      const name = make("input", { name: "by", type: "text", required: true, maxlength: "80", autocomplete: "name", value: tidewatch.who.kept(), readonly: Boolean(tidewatch.access.name()) });
      const note = make("input", { name: "note", type: "text", maxlength: "500" });
      const button = make("button", { class: "button primary", type: "submit" }, say(act === "mute" ? "alert_mute_do" : "alert_acknowledge"));
      const cancel = make("button", { class: "button", type: "button", "data-act": "cancel" }, say("alert_cancel"));
      this.form = make("form", { class: "alert-form", "data-form": act }, what, labelled(say("alert_your_name"), name), labelled(say("alert_how_long"), durations(act)), labelled(say("alert_note"), note), make("div", { class: "alert-buttons" }, button, cancel));
      this.buttons.after(this.form);
      this.buttons.hidden = true;
      (tidewatch.who.kept() ? this.form.querySelector("select") : name).focus();
    }

    /** Whether there was a form to close. */
    close() {
      const { form } = this;
      this.form = null;
      this.trouble.textContent = "";
      this.buttons.hidden = false;
      form?.remove();
      if (form) this.buttons.querySelector("button")?.focus();
      return Boolean(form);
    }

    submit(event) {
      event.preventDefault();
      const { form } = this;
      const { by, note, minutes, scope } = Object.fromEntries(new FormData(form));
      const body = { by: by.trim(), note: note.trim(), ...(minutes ? { minutes: Number(minutes) } : {}) };
      tidewatch.who.keep(body.by);
      if (form.dataset.form === "acknowledge") return this.say(() => send(this.address("acknowledge"), "POST", body));
      const { mute } = scopes(this.alert, this.run)[Number(scope)];
      return this.say(() => send(tidewatch.address.of("api/mutes"), "POST", { ...body, ...mute }));
    }

    async unmute() {
      const mutes = await tidewatch.answers.json(tidewatch.address.of("api/mutes"));
      for (const { id } of covering(mutes, this.alert, this.run)) await send(tidewatch.address.of(`api/mutes/${encodeURIComponent(id)}`), "DELETE");
    }

    async say(act) {
      this.root.setAttribute("aria-busy", "true");
      try {
        await act();
        this.close();
        this.done();
      } catch (error) {
        this.trouble.textContent = error.message;
      }
      this.root.removeAttribute("aria-busy");
    }
  }

  tidewatch.alertActs = { Acts, acts, scopes, covering };
})();
