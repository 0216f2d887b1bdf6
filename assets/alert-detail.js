/* What is told of one alert when it is open: numbers, causes, steps, the way back, texts to copy. Each part is written anew
   only when it says something else, so that what is selected, unfolded or scrolled stays. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const make = (...parts) => tidewatch.elements.make(...parts);
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);

  const titled = (title, ...parts) => [make("h4", {}, title), ...parts];
  const listed = (kind, texts) => make(kind, { class: "alert-texts" }, texts.map((text) => make("li", {}, text)));

  const numbers = ({ grounds }) => titled(say("alert_numbers"), make("dl", { class: "alert-numbers" }, grounds.map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, text)))));

  /* ---- the way back ---- */

  const health = (one) => make("span", { class: `alert-health ${one}` }, say(`health_${one}`));

  function checkpoint(one, advised) {
    const time = one.seconds === null ? "–" : tidewatch.numbers.duration(Math.round(one.seconds));
    const hours = one.npu_hours === null ? "–" : tidewatch.numbers.value(Number(one.npu_hours.toPrecision(2)));
    const step = make("th", { scope: "row" }, count(one.step), one.step === advised && make("span", { class: "alert-advised" }, say("alert_checkpoint_advised")));
    return make("tr", { class: one.step === advised ? "advised" : null, title: one.name || null }, step, make("td", {}, health(one.health)), ...[count(one.steps), time, hours].map((text) => make("td", {}, text)));
  }

  const HEADS = ["step", "health", "steps", "time", "hours"];

  function table({ checkpoints, advised }) {
    const head = make("tr", {}, HEADS.map((name) => make("th", { scope: "col" }, say(`alert_checkpoint_${name}`))));
    const rows = checkpoints.map((one) => checkpoint(one, advised));
    return make("div", { class: "alert-scroll", tabindex: "0", role: "group", "aria-label": say("alert_way_back") }, make("table", { class: "alert-checkpoints" }, make("thead", {}, head), make("tbody", {}, rows)));
  }

  function wayBack({ rollback }) {
    if (!rollback) return [];
    const advice = make("p", { class: rollback.is_safe ? "alert-advice" : "alert-advice warn" }, rollback.advice);
    return titled(say("alert_way_back"), advice, rollback.checkpoints.length ? table(rollback) : null);
  }

  /* ---- texts to copy ---- */

  function copied({ title, text, mode }, isOpen) {
    const summary = make("summary", {}, title, mode && make("span", { class: "mark" }, say(`alert_mode_${mode}`)));
    const button = make("button", { class: "button", type: "button", "data-copy": text, "aria-label": say("alert_copy_of", { title }) }, say("alert_copy"));
    const code = make("pre", { tabindex: "0", role: "group", "aria-label": title }, make("code", {}, text));
    return make("details", { class: "alert-copy", open: isOpen }, summary, make("div", {}, code, button));
  }

  const copies = ({ copies: several }) => (several.length ? titled(say("alert_copies"), several.map((one, place) => copied(one, place === 0))) : []);

  async function copy(button) {
    const done = (await tidewatch.clipboard.written(button.dataset.copy)) || select(button);
    button.textContent = say(done ? "alert_copied" : "not_copied");
    setTimeout(() => (button.textContent = say("alert_copy")), done ? 1_500 : 5_000);
  }

  /** Where the browser does not let a page copy (no https), the text is selected. */
  function select(button) {
    getSelection().selectAllChildren(button.parentElement.querySelector("code"));
    return document.execCommand("copy");
  }

  /* ---- all of it ---- */

  const PARTS = {
    meaning: ({ meaning }) => [make("p", {}, meaning)],
    numbers,
    causes: ({ causes }) => (causes.length ? titled(say("alert_causes"), listed("ol", causes)) : []),
    steps: ({ steps }) => (steps.length ? titled(say("alert_steps"), listed("ol", steps)) : []),
    way: wayBack,
    copies,
  };
  const MADE_OF = { meaning: ["meaning"], numbers: ["grounds"], causes: ["causes"], steps: ["steps"], way: ["rollback"], copies: ["copies"] };

  class Detail {
    constructor() {
      this.said = {};
      this.parts = Object.fromEntries(Object.keys(PARTS).map((name) => [name, make("section", { class: `alert-part ${name}` })]));
      this.root = make("div", { class: "alert-told" }, make("p", { class: "hint" }, say("alert_reading")));
      this.root.addEventListener("click", ({ target }) => target.dataset?.copy && copy(target));
    }

    /** `told`: the answer of /alerts/<id>. */
    show(told) {
      for (const [name, part] of Object.entries(PARTS)) {
        const said = JSON.stringify(MADE_OF[name].map((field) => told[field]));
        if (this.said[name] !== said) this.parts[name].replaceChildren(...part(told).filter(Boolean).flat());
        this.said[name] = said;
      }
      tidewatch.elements.arrange(this.root, Object.values(this.parts));
    }

    fail(sentence) {
      if (!Object.keys(this.said).length) this.root.replaceChildren(make("p", { class: "hint" }, sentence));
    }
  }

  tidewatch.alertDetail = { Detail };
})();
