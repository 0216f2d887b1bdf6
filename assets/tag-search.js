/* Asks tag-worker.js, one question at a time, and ends it when an expression goes back over its text for ever. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const PATIENCE_MS = 1_000;

  class TagSearch {
    /** `list` as tags.load gives it, with titles; `answer` is called with {indices, total}, {error} or {slow: true}. */
    constructor(list, answer) {
      this.list = list;
      this.answer = answer;
      this.begin();
    }

    begin() {
      this.worker = new Worker(tidewatch.address.ofFile("tag-worker.js"));
      this.worker.onmessage = ({ data }) => this.hear(data);
      this.worker.postMessage({ list: this.list });
      this.busy = true; // until it has read the list, which is not the expression's time
    }

    /** Of several questions in a row only the newest is answered. */
    ask(asked) {
      this.next = asked;
      if (!this.busy) this.send();
    }

    send() {
      this.busy = true;
      this.worker.postMessage({ asked: this.next });
      this.next = null;
      this.timer = setTimeout(() => this.giveUp(), PATIENCE_MS);
    }

    hear(data) {
      clearTimeout(this.timer);
      this.busy = false;
      if (this.next) this.send();
      else if (!data.ready) this.answer(data);
    }

    giveUp() {
      this.worker.terminate();
      this.begin();
      if (!this.next) this.answer({ slow: true });
    }

    end() {
      clearTimeout(this.timer);
      this.worker.terminate();
    }
  }

  tidewatch.TagSearch = TagSearch;
})();
