/* Ranks as a tree: node, pipeline stage, data-parallel group, rank. A level at which everything is alike is left out. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const LEVELS = { node: ["node", "stage", "group"], stage: ["stage", "group"], group: ["group"], none: [] };
  const SHORT = { node: "n", stage: "s", group: "g" };

  const valueOf = (rank, level) => (level === "node" ? rank.host ?? "" : rank[level] ?? "");

  /** Rank numbers, rising, as spans: [[first, last], …]. */
  function spans(ranks) {
    const found = [];
    for (const rank of [...ranks].sort((one, other) => one - other)) {
      if (found.length && rank === found.at(-1)[1] + 1) found.at(-1)[1] = rank;
      else found.push([rank, rank]);
    }
    return found;
  }

  /** Places of `ranks` by the value of a level, in the order in which they come. */
  function parted(ranks, indexes, level) {
    const found = new Map();
    for (const index of indexes) {
      const value = valueOf(ranks[index], level);
      if (!found.has(value)) found.set(value, []);
      found.get(value).push(index);
    }
    return found;
  }

  /** The tree of some rows of a block: [{id, level, value, indexes, children}], whose leaves have level "rank". */
  function grow(ranks, indexes, levels, path = "") {
    const [level, ...rest] = levels;
    if (!level) return indexes.map((index) => ({ id: `r${ranks[index].rank}`, level: "rank", value: ranks[index].rank, indexes: [index], children: [] }));
    const parts = parted(ranks, indexes, level);
    if (parts.size === 1 || parts.size === indexes.length) return grow(ranks, indexes, rest, path);
    return [...parts].map(([value, within]) => {
      const id = `${path}${SHORT[level]}${value}`;
      return { id, level, value, indexes: within, children: grow(ranks, within, rest, `${id}.`) };
    });
  }

  const whole = (ranks, by) => grow(ranks, ranks.map((_, index) => index), LEVELS[by]);

  /** What is below a row that the server has folded by `by`. */
  const below = (ranks, by, path) => grow(ranks, ranks.map((_, index) => index), LEVELS[by].slice(1), `${path}.`);

  /** The rows in sight, from the top: a folded one hides what is below it. `isOpen(id)`. */
  function visible(nodes, isOpen, depth = 0, into = []) {
    for (const node of nodes) {
      into.push({ node, depth });
      if (node.children.length && isOpen(node.id)) visible(node.children, isOpen, depth + 1, into);
    }
    return into;
  }

  tidewatch.ranksTree = { LEVELS, spans, whole, below, visible };
})();
