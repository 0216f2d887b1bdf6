/* What the page has of the ranks: everything at once, or rows that the server has folded, and below the unfolded ones blocks
   of their own. It makes the rows of the map of them. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const OVERLAP = 3; // newest columns that are read once more
  const FINE = ["ok", "no_data_by_design"];

  const isOdd = ({ state }) => Boolean(state) && !FINE.includes(state);

  class RanksHeld {
    constructor() {
      this.top = null;
      this.by = "node"; // what the first level is
      this.below = new Map(); // id of a folded row → its block
    }

    /** A new answer for everything. */
    take(block, by) {
      Object.assign(this, { top: block, by, below: new Map() });
      block.folds = new Map();
      this.exactFrom = block.meta.total_columns > block.m ? block.m : 0;
    }

    /** One answer for the ranks of several folded rows. */
    takeBelow(block, ids) {
      const rows = new Map(block.rows.map((row, index) => [row.rank, index]));
      for (const id of ids) {
        const row = this.top.rows.find((one) => this.idOf(one) === id);
        const indexes = [...rows].filter(([rank]) => row?.ranks.some(([first, last]) => first <= rank && rank <= last)).map(([, index]) => index);
        if (!row || !indexes.length) continue;
        const own = tidewatch.ranksAnswer.over(tidewatch.ranksAnswer.taken(block, indexes), this.top);
        this.below.set(id, { ...own, folds: new Map() });
      }
    }

    /** Whether any cell is compared with others. */
    get compares() {
      const { cells, isFolded } = this.top ?? {};
      return Boolean(cells) && (isFolded ? cells.worst : cells.deviation).some((z) => z === z);
    }

    get m() {
      return this.top?.m ?? 0;
    }

    /** What is said of the rows, to be compared with what is said later. */
    get states() {
      return this.top.rows.map(({ state, odd }) => `${state}${odd ?? ""}`).join();
    }

    get lastStep() {
      return this.m ? this.top.steps[this.m - 1] : -Infinity;
    }

    /** Of a row that the server folded: by stage and by group its rows lie within a host. */
    idOf({ label: { host, stage, group } }) {
      return [`n${host}`, stage === undefined ? "" : `s${stage}`, group === undefined ? "" : `g${group}`].filter(Boolean).join(".");
    }

    /** Ids of folded rows that are open and not here yet, with their ranks: [{id, ranks}]. */
    wanting(isOpen) {
      if (!this.top?.isFolded) return [];
      const rows = this.top.rows.map((row) => ({ id: this.idOf(row), ranks: row.ranks }));
      return rows.filter(({ id }) => isOpen(id) && !this.below.has(id));
    }

    /** The rows in sight, from the top, each with what the map asks: see `row`. */
    rows(isOpen) {
      if (!this.top) return [];
      const nodes = this.top.isFolded ? this.top.rows.map((row, index) => this.folded(row, index)) : this.planted(this.top, tidewatch.ranksTree.whole(this.top.rows, this.by));
      return tidewatch.ranksTree.visible(nodes, isOpen).map(({ node, depth }) => this.row(node, depth, isOpen));
    }

    folded(row, index) {
      const { by: level } = this;
      const value = level === "node" ? row.label.host : row.label[level];
      const id = this.idOf(row);
      const block = this.below.get(id);
      const children = block ? this.planted(block, tidewatch.ranksTree.below(block.rows, this.by, id)) : [];
      return { id, level, value, block: this.top, indexes: [index], children, told: row };
    }

    planted(block, nodes) {
      for (const node of nodes) {
        node.block = block;
        this.planted(block, node.children);
      }
      return nodes;
    }

    /** {id, level, value, depth, isParent, isOpen, ranks (spans), count, odd, state, meta (of one rank), line()}. */
    row(node, depth, isOpen) {
      const { id, level, value, block, indexes, told } = node;
      const isParent = Boolean(told || node.children.length);
      const base = { id, level, value, depth, isParent, host: told?.label.host, isOpen: isParent && isOpen(id), line: () => this.lineOf(node) };
      if (told) return { ...base, ranks: told.ranks, count: told.ranks.reduce((sum, [first, last]) => sum + last - first + 1, 0), odd: told.odd, state: told.state };
      const metas = indexes.map((index) => block.rows[index]);
      if (!isParent) return { ...base, ranks: [[value, value]], count: 1, odd: isOdd(metas[0]) ? 1 : 0, state: metas[0].state, meta: metas[0] };
      return { ...base, ranks: tidewatch.ranksTree.spans(metas.map(({ rank }) => rank)), count: metas.length, odd: metas.filter(isOdd).length, state: "" };
    }

    lineOf({ id, block, indexes, children, told }) {
      if (told || !children.length) return tidewatch.ranksAnswer.line(block, indexes[0]);
      const row = block.folds.get(id) ?? tidewatch.ranksFold.begun(indexes, block.stride);
      const made = tidewatch.ranksFold.filled(row, block);
      block.folds.set(id, made);
      return tidewatch.ranksFold.line(made);
    }

    /** Writes newer columns behind; gives the first changed column, null where everything has to be read again. */
    append(newer, newerBelow) {
      const from = tidewatch.ranksAnswer.append(this.top, newer);
      if (from === null) return null;
      this.forget(this.top, from);
      for (const block of this.below.values()) this.follow(block, newerBelow, from);
      return from;
    }

    follow(block, newer, from) {
      const wanted = new Map((newer?.rows ?? []).map((row, index) => [row.rank, index]));
      const indexes = block.rows.map(({ rank }) => wanted.get(rank));
      if (!newer || indexes.some((one) => one === undefined)) return;
      const own = tidewatch.ranksAnswer.taken(newer, indexes);
      const columns = { steps: this.top.steps.subarray(from), walls: this.top.walls.subarray(from), m: this.top.m - from };
      tidewatch.ranksAnswer.append(block, tidewatch.ranksAnswer.over(own, columns));
      this.forget(block, from);
    }

    forget(block, from) {
      for (const row of block.folds.values()) row.upto = Math.min(row.upto, from);
    }

    /** The step from which newer columns are asked for: the newest few once more, since some ranks write later than others;
     *  but no column that stands for several steps, which a single one would replace. */
    get next() {
      const again = Math.max(this.exactFrom, this.m - OVERLAP);
      return again < this.m ? this.top.steps[again] : this.lastStep + 1;
    }
  }

  tidewatch.ranksHeld = { RanksHeld, isOdd };
})();
