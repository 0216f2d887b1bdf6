/* Several ranks as one row: at each step the lowest, the middle and the highest of their values, the deviation that is
   farthest from zero, and the kind of cell that says most. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  // of several cells the one with the highest weight tells what the folded one is: OK, MISSING, NAN, UP, DOWN, ZERO, FROZEN
  const WEIGHT = [3, 0, 6, 5, 4, 1, 3];

  /** Room for the folded row of `indexes` (rows of a block). */
  function begun(indexes, width) {
    const numbers = () => new Float32Array(width).fill(NaN);
    return { indexes, upto: 0, low: numbers(), mid: numbers(), high: numbers(), worst: numbers(), kinds: new Uint8Array(width).fill(1) };
  }

  function grown(row, width) {
    const made = begun(row.indexes, width);
    for (const name of ["low", "mid", "high", "worst", "kinds"]) made[name].set(row[name].subarray(0, row.upto));
    return { ...made, upto: row.upto };
  }

  /** The folded row, filled up to the block's last column; from the column `from` on it is made anew. */
  function filled(row, block, from = row.upto) {
    const made = row.low.length < block.m ? grown(row, block.stride) : row;
    const room = new Float32Array(row.indexes.length);
    for (let column = Math.min(from, made.upto); column < block.m; column++) fill(made, block, column, room);
    return Object.assign(made, { upto: block.m });
  }

  function fill(made, { cells, stride }, column, room) {
    let [count, worst, kind] = [0, NaN, 1];
    for (const index of made.indexes) {
      const at = index * stride + column;
      const [value, far, what] = [cells.values[at], cells.deviation[at], cells.kinds[at]];
      if (WEIGHT[what] > WEIGHT[kind]) kind = what;
      if (what === 5 || what === 1) continue; // zero by design is no value among values
      if (Number.isFinite(value)) room[count++] = value;
      if (!(Math.abs(far) <= Math.abs(worst)) && far === far) worst = far;
    }
    made.worst[column] = worst;
    made.kinds[column] = kind;
    order(made, column, room.subarray(0, count));
  }

  function order(made, column, found) {
    found.sort();
    const { length } = found;
    made.low[column] = length ? found[0] : NaN;
    made.high[column] = length ? found[length - 1] : NaN;
    made.mid[column] = length ? (found[(length - 1) >> 1] + found[length >> 1]) / 2 : NaN;
  }

  /** The columns of a folded row that are filled, as ranksAnswer.line gives those of a block. */
  function line({ low, mid, high, worst, kinds, upto }) {
    return { low: low.subarray(0, upto), mid: mid.subarray(0, upto), high: high.subarray(0, upto), worst: worst.subarray(0, upto), kinds: kinds.subarray(0, upto) };
  }

  tidewatch.ranksFold = { begun, filled, line };
})();
