/* What can be shown of a run, and the search in it. Pure but for `load`; the search runs in tag-worker.js. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  /** The list of /api/runs/<run>/tags: every name, without its points. */
  const load = (run) => tidewatch.answers.json(tidewatch.address.ofRun(run, "/tags"));

  /** The same for some of them, told in full, of the rank that speaks or of `rank`. */
  async function tell(run, some, rank, signal) {
    const query = new URLSearchParams(some.map(({ metric, tag }) => (metric ? ["metric", metric] : ["tag", tag])));
    if (rank !== null) query.set("rank", rank);
    const answer = await fetch(`${tidewatch.address.ofRun(run, "/tags")}?${query}`, { signal });
    return answer.ok ? answer.json() : [];
  }

  /** One test a text: plain words must all occur; as an expression it is JavaScript's, in either case.
   *  {test} or {error: what is wrong with it}. */
  function matcher(text, isRegex) {
    if (!isRegex) {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      return { test: (name) => words.every((word) => name.toLowerCase().includes(word)) };
    }
    try {
      const expression = new RegExp(text, "i");
      return { test: (name) => expression.test(name) };
    } catch (error) {
      return { error: error.message.split(": ").at(-1) }; // Invalid regular expression: /(/i: Unterminated group
    }
  }

  const hasRank = ({ ranks }, rank) => rank === null || ranks.some(([first, last]) => first <= rank && rank <= last);

  /** Which entries of the list match: {indices of the first `limit`, total} or {error}. A metric is found by its own
   *  name, by the tag that a file gives it, and by its title on this page. */
  function search(list, { text, isRegex, rank, limit }) {
    const { test, error } = matcher(text, isRegex);
    if (error !== undefined) return { error };
    const found = [];
    let total = 0;
    list.forEach((one, index) => {
      if (!hasRank(one, rank) || ![one.metric, one.tag, one.title].some((name) => name && test(name))) return;
      total += 1;
      if (found.length < limit) found.push(index);
    });
    return { indices: found, total };
  }

  /** The section of a name: what stands before the first "/"; null for a metric or a name without one. */
  function sectionOf({ metric, tag }) {
    if (metric) return null;
    const end = tag.indexOf("/");
    return end > 0 ? tag.slice(0, end) : null;
  }

  /** Neighbours of one section together: [{section, rows}]. Sections stand where their first row does. */
  function sections(rows) {
    const found = new Map();
    for (const row of rows) {
      const section = row.metric ? "metrics" : `/${sectionOf(row) ?? ""}`; // a tag may be called "metrics/…" itself
      if (!found.has(section)) found.set(section, { isMetrics: Boolean(row.metric), section: sectionOf(row), rows: [] });
      found.get(section).rows.push(row);
    }
    return [...found.values()];
  }

  /** The entry of the address that adds it as a panel; `rank` null = the rank that speaks. */
  function entryOf({ metric, tag }, rank) {
    const meant = metric && rank === null ? { kind: "metric", name: metric } : { kind: "tag", name: tag, rank };
    return tidewatch.panels.spell(meant);
  }

  /** "0–7, 9": ranks as they are read. */
  const rankText = (ranks) => ranks.map(([first, last]) => (first === last ? String(first) : `${first}–${last}`)).join(", ");

  tidewatch.tags = { load, tell, matcher, search, sections, entryOf, rankText };
})();
