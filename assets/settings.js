/* The configuration of one run: its layout in the card's head, its settings once the card is opened. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const AGAIN_MS = 15_000; // until a setting is known: files of a run that starts tell it after a while
  const FIELDS = ["settings", "setting"]; // of the state
  const HEAD = 4; // facts of the layout that stand in the card's head

  const say = (key, values) => tidewatch.words.say(key, values);

  /** "4,096" for a count; any other text as it is. Pure. */
  const told = (text) => (/^\d{1,15}$/.test(text) ? tidewatch.numbers.count(Number(text)) : text);

  class Settings {
    /** `card` is the folded card; its data-settings is the run's id. */
    constructor(card) {
      this.card = card;
      this.ended = new AbortController();
      this.host = card.querySelector(".settings-frame");
      this.search = card.querySelector(".search-field").appendChild(document.createElement("input"));
      Object.assign(this.search, { type: "search", placeholder: say("setting_search"), ariaLabel: say("setting_search") });
      const until = { signal: this.ended.signal };
      this.search.addEventListener("input", () => tidewatch.state.set({ setting: this.search.value }, { step: "slide" }), until);
      card.querySelector("summary").addEventListener("click", (event) => this.turn(event), until);
      document.addEventListener("tidewatch:state", ({ detail }) => FIELDS.some((one) => detail.changed.has(one)) && this.follow(), until);
      this.follow();
      if (!card.open) this.read();
    }

    end() {
      this.ended.abort();
      clearTimeout(this.timer);
    }

    /** Unfolded or folded as the address says. */
    turn(event) {
      event.preventDefault();
      tidewatch.state.set({ settings: !this.card.open });
    }

    follow() {
      const { settings, setting } = tidewatch.state.get();
      const opens = settings && !this.card.open;
      this.card.open = settings;
      if (this.search !== document.activeElement) this.search.value = setting;
      this.show();
      if (opens) this.read();
    }

    async read() {
      clearTimeout(this.timer);
      const query = { runs: this.card.dataset.settings, all: 1 };
      try {
        this.take(await tidewatch.answers.json(tidewatch.address.of("api/compare/configuration", query), this.ended.signal));
      } catch (error) {
        if (!this.ended.signal.aborted && this.card.open) this.host.textContent = say("compare_away", { reason: error.message });
      }
      if (!this.info && !this.ended.signal.aborted) this.timer = setTimeout(() => this.read(), AGAIN_MS);
    }

    take(body) {
      if (!body.total) return;
      this.info = body;
      this.card.classList.remove("unknown");
      this.tellLayout(body.runs[0].layout);
      this.show();
    }

    tellLayout(layout) {
      const { element } = tidewatch.compareTable;
      const pairs = Object.entries(layout).map(([name, text]) => [say(`layout_${name}`), told(text)]);
      const head = [...pairs.slice(0, HEAD).map((pair) => pair.join(" ")), this.info.total === 1 ? say("setting_one") : say("setting_count", { count: told(String(this.info.total)) })];
      this.card.querySelector("summary .hint").textContent = head.join(" · ");
      const list = pairs.map(([name, text]) => element("div", {}, [element("dt", { text: name }), element("dd", { text })]));
      this.card.querySelector(".layout").replaceChildren(...list);
    }

    show() {
      if (this.info && this.card.open) tidewatch.compareSettings.fill(this.host, this.info, tidewatch.state.get().setting);
    }
  }

  (tidewatch.mounts ??= []).push({
    selector: "[data-settings]",
    start: (card) => {
      const settings = new Settings(card);
      return () => settings.end();
    },
  });

  tidewatch.Settings = Settings;
})();
