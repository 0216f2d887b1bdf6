/* Points that came over the stream and are not drawn yet. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const MOST = 20_000; // points of one line kept for a hidden tab; past that it reads history when it is shown

  class Queue {
    constructor() {
      this.points = new Map(); // name → rows
      this.overran = false;
      this.heard = null; // {id, at} of the oldest batch, which waited longest
    }

    get size() {
      return this.points.size;
    }

    /** Takes {name: rows} that came with the stream's `id` at `at` (ms). */
    add(id, points, at) {
      for (const [name, rows] of Object.entries(points)) {
        const queued = this.points.get(name) ?? [];
        for (const row of rows) queued.push(row);
        this.points.set(name, queued);
        this.overran ||= queued.length > MOST;
      }
      if (this.overran) this.points.clear();
      this.heard ??= { id, at };
    }

    /** Everything, once: {points: Map(name → rows), heard}. */
    take() {
      const { points, heard } = this;
      this.points = new Map();
      this.heard = null;
      return { points, heard };
    }
  }

  tidewatch.Queue = Queue;
})();
