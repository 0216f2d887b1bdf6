/* What GET /api/runs/<run>/ranks answers: one body of JSON and matrices, a row a rank (values, deviation) or, folded, a
   row for several (low, mid, high, worst), a column a step. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const ALIGNED = 8; // bytes
  const SPARE = 64; // columns that may come before the matrices are moved to larger ones
  const OF_RANKS = ["values", "deviation"];
  const OF_FOLDS = ["low", "mid", "high", "worst"];

  /** What a cell is, as the server counts (app/series/ranks/grid.py). */
  const KINDS = { OK: 0, MISSING: 1, NAN: 2, UP: 3, DOWN: 4, ZERO: 5, FROZEN: 6 };

  const aligned = (offset) => Math.ceil(offset / ALIGNED) * ALIGNED;

  /** {metric: "loss"} of "loss", {tag: "a/b"} of "tag:a/b". */
  const named = (name) => (name.startsWith("tag:") ? { tag: name.slice(4) } : { metric: name });

  /** A block of cells: its meta data, `rows` that tell of each row, columns, and matrices whose rows begin every `stride`. */
  function decode(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const meta = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    const { isFolded, rows, m } = shape(meta);
    let offset = aligned(4 + length);
    const take = (Kind, count) => {
      const found = new Kind(buffer, offset, count);
      offset += found.byteLength;
      return found;
    };
    const [steps, walls] = [take(Float64Array, m), take(Float64Array, m)];
    const cells = Object.fromEntries((isFolded ? OF_FOLDS : OF_RANKS).map((name) => [name, take(Float32Array, rows.length * m)]));
    return { meta, isFolded, rows, m, stride: m, steps, walls, cells: { ...cells, kinds: take(Uint8Array, rows.length * m) } };
  }

  function shape(meta) {
    const isFolded = Array.isArray(meta.rows);
    return { isFolded, rows: isFolded ? meta.rows : meta.ranks, m: meta.m };
  }

  /** One row of a block as five columns of numbers, views of it: lowest, middle, highest value, farthest deviation, kind. */
  function line(block, index) {
    const { cells, stride, m } = block;
    const part = (matrix) => matrix.subarray(index * stride, index * stride + m);
    if (block.isFolded) return { low: part(cells.low), mid: part(cells.mid), high: part(cells.high), worst: part(cells.worst), kinds: part(cells.kinds) };
    const values = part(cells.values);
    return { low: values, mid: values, high: values, worst: part(cells.deviation), kinds: part(cells.kinds) };
  }

  function wider(matrix, rows, { stride, m }, wide) {
    const made = new matrix.constructor(rows * wide);
    for (let row = 0; row < rows; row++) made.set(matrix.subarray(row * stride, row * stride + m), row * wide);
    return made;
  }

  function longer(column, m, wide) {
    const made = new Float64Array(wide);
    made.set(column.subarray(0, m));
    return made;
  }

  /** Makes room for `more` columns. */
  function widen(block, more) {
    if (block.m + more <= block.stride && block.steps.length >= block.stride) return;
    const wide = block.m + more + SPARE;
    const move = ([name, matrix]) => [name, wider(matrix, block.rows.length, block, wide)];
    block.cells = Object.fromEntries(Object.entries(block.cells).map(move));
    block.steps = longer(block.steps, block.m, wide);
    block.walls = longer(block.walls, block.m, wide);
    block.stride = wide;
  }

  /** Index of the first of a block's columns whose step is not below `step`. */
  function columnAt({ steps, m }, step) {
    let [low, high] = [0, m];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (steps[middle] < step) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const nameOf = (row) => (row.rank === undefined ? spelled(row.ranks) : String(row.rank));

  /** [[0,7],[16,16]] → "0-7,16". */
  const spelled = (spans) => spans.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(",");

  const isSame = (one, other) => one.rows.length === other.rows.length && one.rows.every((row, k) => nameOf(row) === nameOf(other.rows[k]));

  /** Writes what is newer behind a block, over the columns from its first step on; gives the first changed column, null
   *  when the rows are others, so that everything has to be read again. */
  function append(block, newer) {
    if (!isSame(block, newer)) return null;
    const from = newer.m ? columnAt(block, newer.steps[0]) : block.m;
    widen(block, Math.max(0, from + newer.m - block.m));
    block.m = from + newer.m;
    block.steps.set(newer.steps.subarray(0, newer.m), from);
    block.walls.set(newer.walls.subarray(0, newer.m), from);
    for (const [name, matrix] of Object.entries(block.cells)) {
      for (let row = 0; row < block.rows.length; row++) {
        matrix.set(newer.cells[name].subarray(row * newer.stride, row * newer.stride + newer.m), row * block.stride + from);
      }
    }
    block.rows.forEach((row, k) => Object.assign(row, newer.rows[k]));
    Object.assign(block.meta, { last_step: newer.meta.last_step, total_columns: newer.meta.total_columns });
    return from;
  }

  /** Only some rows of a block, as one of its own. */
  function taken(block, indexes) {
    const { stride } = block;
    const pick = ([name, matrix]) => {
      const made = new matrix.constructor(indexes.length * stride);
      indexes.forEach((index, row) => made.set(matrix.subarray(index * stride, (index + 1) * stride), row * stride));
      return [name, made];
    };
    return { ...block, rows: indexes.map((index) => block.rows[index]), cells: Object.fromEntries(Object.entries(block.cells).map(pick)) };
  }

  /** The same rows over other columns: each of its own goes to the first that is not before it. What lies there twice is the
   *  cell that is farther from its like. */
  function over(block, other) {
    const { steps, walls, m } = other;
    if (block.m === m && block.steps.subarray(0, m).every((step, k) => step === steps[k])) return block;
    const made = { ...block, m, stride: m, steps: steps.slice(0, m), walls: walls.slice(0, m), cells: {} };
    const count = block.rows.length * m;
    for (const name of Object.keys(block.cells)) made.cells[name] = name === "kinds" ? new Uint8Array(count).fill(KINDS.MISSING) : new Float32Array(count).fill(NaN);
    for (let from = 0; from < block.m; from++) {
      const to = columnAt(other, block.steps[from]);
      if (to < m) lay(block, from, made, to);
    }
    return made;
  }

  function lay(block, from, made, to) {
    const far = block.isFolded ? "worst" : "deviation";
    for (let row = 0; row < block.rows.length; row++) {
      const [source, target] = [row * block.stride + from, row * made.stride + to];
      if (block.cells.kinds[source] === KINDS.MISSING || Math.abs(made.cells[far][target]) > Math.abs(block.cells[far][source])) continue;
      for (const name of Object.keys(made.cells)) made.cells[name][target] = block.cells[name][source];
    }
  }

  /** Where a block is asked for. `query`: columns, start, end, fold, ranks (spans). */
  function address(run, metric, { ranks, ...query }) {
    return tidewatch.address.ofRun(run, "/ranks", { ...named(metric), ...query, ranks: ranks ? spelled(ranks) : "", form: "columns" });
  }

  tidewatch.ranksAnswer = { KINDS, named, decode, line, append, taken, over, columnAt, spelled, address };
})();
