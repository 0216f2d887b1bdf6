/* Asks tag-worker.js, one question at a time, and ends it when an expression goes back over its text for ever. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const PATIENCE_MS = 1_000;

  class TagSearch {
    /** `list` as tags.load gives it, with titles; `answer` is called with {indices, total}, {error} or {slow: true}. */
    constructor(list, answer) {
      this.list = list;
      this.answer = answer;
      this.id = 0;
      this.begin();
    }

    begin() {
      this.worker = new Worker(tidewatch.address.of("assets/tag-worker.js"));
      this.worker.onmessage = ({ data }) => this.hear(data);
      this.worker.postMessage({ list: this.list });
      this.busy = false;
    }

    /** Of several questions in a row only the newest is answered. */
    ask(asked) {
      this.next = asked;
      if (!this.busy) this.send();
    }

    send() {
      this.busy = true;
      this.id += 1;
      this.worker.postMessage({ id: this.id, asked: this.next });
      this.next = null;
      this.timer = setTimeout(() => this.giveUp(), PATIENCE_MS);
    }

    hear(data) {
      if (data.id !== this.id) return;
      clearTimeout(this.timer);
      this.busy = false;
      if (this.next) this.send();
      else this.answer(data);
    }

    giveUp() {
      this.worker.terminate();
      this.begin();
      if (this.next) this.send();
      else this.answer({ slow: true });
    }

    end() {
      clearTimeout(this.timer);
      this.worker.terminate();
    }
  }

  tidewatch.TagSearch = TagSearch;
})();
