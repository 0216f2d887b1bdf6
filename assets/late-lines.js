/* Lines that the stream does not carry, tags and metrics of single ranks: asked for every few seconds while others come. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const EVERY_MS = 5_000;

  class LateLines {
    /** `curves` is the page's: scene, held, queue, run, stream, ended, and reload(), drawSoon(). */
    constructor(curves) {
      Object.assign(this, { curves, askedAt: -Infinity });
    }

    soon(streamed) {
      const { scene, held } = this.curves;
      const names = scene.names.filter((name) => held.series.has(name) && !streamed.has(name));
      if (!names.length || performance.now() - this.askedAt < EVERY_MS) return;
      this.askedAt = performance.now();
      this.ask(names);
    }

    /** Asks for what is newer than the points of some lines. */
    async ask(names) {
      const { curves } = this;
      if (document.hidden || curves.loading) return;
      const ends = names.map((name) => curves.held.series.get(name)?.lastStep).filter(Number.isFinite);
      if (!ends.length) return curves.reload();
      try {
        const answer = await tidewatch.history.newer(curves.run, names, Math.min(...ends) + 1, curves.ended.signal);
        if (answer.attempts.length !== curves.held.attempts.length) return curves.reload();
        const rows = answer.curves.map((curve) => [tidewatch.columns.nameOf(curve), tidewatch.history.rows(curve)]);
        curves.queue.add("", Object.fromEntries(rows.filter(([, found]) => found.length)), Date.now());
        curves.drawSoon();
      } catch (error) {
        if (!curves.ended.signal.aborted && curves.stream === "refused") tidewatch.liveness.tell("away", { reason: error.message });
      }
    }
  }

  tidewatch.LateLines = LateLines;
})();
