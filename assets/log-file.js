/* The lines of one rank's log that the page holds: a stretch of the file, which grows at both ends as it is read on. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const AROUND = 60; // lines before and after the step that is looked at
  const PAGE = 150; // lines that "older" and "newer" add
  const HELD = 20; // answers in the page at most: past that those at the other end are let go
  const PIECES = 200; // of a search, 64 MB each

  class LogFile {
    constructor(run, rank) {
      this.run = run;
      this.rank = rank;
      this.replace({ lines: [] });
    }

    ask(query, signal) {
      return tidewatch.answers.json(tidewatch.address.ofRun(this.run, "/log", { rank: this.rank, ...query }), signal);
    }

    /** Holds an answer instead of those before; its positions are where to go on from. */
    replace(told) {
      this.pages = [told];
      this.told = told;
      return told;
    }

    get lines() {
      return this.pages.flatMap((page) => page.lines);
    }

    get moreBefore() {
      return Boolean(this.pages[0].more_before);
    }

    get moreAfter() {
      return Boolean(this.pages.at(-1).more_after);
    }

    /** The lines around a step; where no line is near it, the newest ones. */
    async around(step, signal) {
      return this.replace(await this.ask({ around: step, before: AROUND, after: AROUND }, signal));
    }

    /** Adds what stands before the first line. */
    async older(signal) {
      const told = await this.ask({ from: this.pages[0].first, direction: "previous", before: PAGE }, signal);
      if (!told.lines.length) this.pages[0].more_before = false;
      else this.pages = [told, ...this.pages].slice(0, HELD);
    }

    /** Adds what stands after the last line: there may be some now where there was none before. */
    async newer(signal) {
      const told = await this.ask({ from: this.pages.at(-1).last, direction: "next", after: PAGE }, signal);
      if (!told.lines.length) this.pages.at(-1).more_after = false;
      else this.pages = [...this.pages, told].slice(-HELD);
    }

    /** The next line that has `text` behind what was found last (direction "next"), or the one before it ("previous"),
     *  with what stands around it; null when there is none. The server searches a long file in pieces. */
    async find(text, direction, signal) {
      let from = this.told.found ?? (direction === "next" ? this.pages[0].first : this.pages.at(-1).last);
      for (let piece = 0; piece < PIECES; piece += 1) {
        const told = await this.ask({ find: text, direction, from, before: AROUND, after: AROUND }, signal);
        if (told.found) return this.replace(told);
        if (!told.searched) return null;
        from = told.searched;
      }
      return null;
    }
  }

  tidewatch.LogFile = LogFile;
})();
