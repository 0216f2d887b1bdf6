/* The snapshots that were made of a run, the newest first: who made each, how long its link opens it, how often it was opened; and the way to
   take one back, which is asked once. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const make = (...parts) => tidewatch.elements.make(...parts);
  const say = (key, values) => tidewatch.words.say(key, values);
  const when = (seconds) => tidewatch.clock.moment(seconds);
  const SURE_MS = 6_000; // until a question that nobody answered is taken back

  /** Until when, or since when not any more. */
  function standing({ state, expires, revoked }) {
    const at = state === "revoked" ? revoked : expires;
    return say(`snapshot_${state}`, { when: at === null ? "" : when(at) });
  }

  function used({ uses, used: last }) {
    if (!uses) return say("snapshot_unused");
    const values = { count: tidewatch.numbers.count(uses), when: last === null ? "" : when(last) };
    return say(uses === 1 ? "snapshot_used_once" : "snapshot_used", values);
  }

  /** What one is told by, in order. */
  function facts(one) {
    const found = [standing(one), used(one)];
    if (one.page === "ranks") found.push(say("snapshot_of_ranks"));
    if (one.names) found.push(say("snapshot_names"));
    return found.join(" · ");
  }

  function row(one, mayRevoke) {
    const by = one.author && make("span", {}, say("snapshot_by", { name: one.author }));
    const title = make("p", {}, make("b", {}, when(one.created)), by && " · ", by);
    const revoke = mayRevoke && one.state === "live" && make("button", { class: "button", type: "button", "data-revoke": one.id, "aria-label": say("snapshot_revoke_of", { when: when(one.created) }) }, say("snapshot_revoke"));
    return make("li", { class: "snapshot", "data-snapshot": one.id, "data-state": one.state }, make("div", {}, title, make("p", { class: "hint" }, facts(one))), revoke);
  }

  class FreezeList {
    /** `address` of the run's snapshots; `mayRevoke`: whoever sits here may take one back. */
    constructor(address, mayRevoke) {
      Object.assign(this, { address, mayRevoke });
      this.note = make("p", { class: "hint", role: "status" });
      this.list = make("ul", { class: "snapshots-list" });
      this.root = make("section", { class: "snapshots" }, make("h3", {}, say("snapshots_title")), this.note, this.list);
      this.root.addEventListener("click", ({ target }) => target.closest?.("[data-revoke]") && this.press(target.closest("[data-revoke]")));
    }

    async read() {
      if (!this.list.childElementCount) this.tell(say("snapshots_reading"));
      try {
        this.show((await tidewatch.answers.json(this.address)).snapshots);
      } catch (error) {
        this.tell(error.message);
      }
    }

    show(snapshots) {
      this.list.replaceChildren(...snapshots.map((one) => row(one, this.mayRevoke)));
      this.tell(snapshots.length ? "" : say("snapshots_none"));
    }

    tell(text) {
      this.note.textContent = text;
    }

    /** The first press asks, the second one does it. */
    press(button) {
      if (button.dataset.sure) return this.revoke(button.dataset.revoke);
      button.dataset.sure = "1";
      button.textContent = say("snapshot_revoke_surely");
      button.removeAttribute("aria-label"); // what it asks is what it is called now
      this.tell(say("snapshot_revoke_means"));
      setTimeout(() => button.isConnected && button.dataset.sure && this.read(), SURE_MS);
      return undefined;
    }

    async revoke(id) {
      try {
        await tidewatch.answers.send(`${this.address}/${encodeURIComponent(id)}`, "DELETE");
        await this.read();
        this.tell(say("snapshot_is_revoked"));
      } catch (error) {
        this.tell(error.message);
      }
    }
  }

  tidewatch.freezeList = { FreezeList, standing, used };
})();
