/* The lines of one rank's log that the page holds: a stretch of the file, which grows at both ends as it is read on. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const AROUND = 60; // lines before and after the step that is looked at
  const PAGE = 150; // lines that "older" and "newer" add
  const HELD = 3_000; // lines in the page at most: past that the other end is let go

  class LogFile {
    constructor(run, rank) {
      this.run = run;
      this.rank = rank;
      this.forget();
    }

    forget() {
      this.lines = [];
      this.told = {};
      this.moreBefore = this.moreAfter = false;
    }

    async ask(query, signal) {
      const address = tidewatch.address.ofRun(this.run, "/log", { rank: this.rank, ...query });
      const answer = await fetch(address, { signal });
      const told = await answer.json().catch(() => ({}));
      if (!answer.ok) throw Object.assign(new Error(told.error ?? answer.statusText), { status: answer.status });
      return told;
    }

    replace(told) {
      this.told = told;
      this.lines = told.lines;
      this.moreBefore = told.more_before;
      this.moreAfter = told.more_after;
      return told;
    }

    /** The lines around a step, or the end of the file without one. */
    async around(step, signal) {
      return this.replace(await this.ask({ around: step, before: AROUND, after: AROUND }, signal));
    }

    /** Adds what stands before the first line; gives how many lines. */
    async older(signal) {
      const [first] = this.lines;
      const told = await this.ask({ from: first.offset, before: PAGE, after: 0 }, signal);
      const added = told.lines.filter(({ offset }) => offset < first.offset);
      this.lines = [...added, ...this.lines];
      this.moreBefore = told.more_before && added.length > 0;
      if (this.lines.length > HELD) this.moreAfter = true;
      this.lines.length = Math.min(this.lines.length, HELD);
      return added.length;
    }

    /** Adds what stands after the last line; gives how many lines. */
    async newer(signal) {
      const last = this.lines.at(-1);
      const told = await this.ask({ from: last.offset, before: 0, after: PAGE }, signal);
      const added = told.lines.filter(({ offset }) => offset > last.offset);
      this.lines = [...this.lines, ...added];
      this.moreAfter = told.more_after;
      if (this.lines.length > HELD) this.moreBefore = true;
      this.lines = this.lines.slice(-HELD);
      return added.length;
    }

    /** The next line from `offset` on (direction "next") or before it ("previous") that has `text`, with what stands
     *  around it; null when there is none. */
    async find(text, direction, offset, signal) {
      const told = await this.ask({ find: text, direction, from: offset, before: AROUND, after: AROUND }, signal);
      return told.found === null || told.found === undefined ? null : this.replace(told);
    }
  }

  tidewatch.LogFile = LogFile;
})();
