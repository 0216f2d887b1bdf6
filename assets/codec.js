/* How a view is spelled in the address: fields with a default each, of which only those are spelled that differ from it, and the version of the
   spelling. Links live as long as chats do, so every link that was ever written means the same for ever. Pure.

   Version 1 has no mark. Whoever changes what a spelled field means (a new field, or a new value of one, changes nothing: old
   links do not have it) raises VERSION and adds to STEPS the function that makes of a query of the version before one of the new one; from then
   on addresses that spell anything carry v=2. A query of a later version than ours is read as far as we know its fields, and
   version-note.js says so. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const VERSION = 1;
  const STEPS = {}; // version → (URLSearchParams) → URLSearchParams of the next version
  const MARK = "v";

  // -3, 0.25, 1e+21
  const NUMBER = "-?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[+-]?\\d+)?";
  const FARTHEST = 1e24; // of what x counts there is never more, tokens above all; an axis could not be drawn for much more
  // 1200..1800
  const STRETCH = new RegExp(`^(${NUMBER})\\.\\.(${NUMBER})$`);

  /* ---- fields: {fallback, read(text), write(value)}; what cannot be read is the default ---- */

  const text = (most = 1_000) => ({ fallback: "", read: (said) => (said.length <= most ? said : ""), write: (value) => value });
  const oneOf = (fallback, pattern) => ({ fallback, read: (said) => (pattern.test(said) ? said : fallback), write: (value) => value });
  const flag = () => ({ fallback: false, read: (said) => said === "1", write: () => "1" });

  /** Within bounds; spelled by JavaScript, so that each number comes back exactly. */
  const number = (fallback, low, high) => ({
    fallback,
    read: (said) => (said.trim() && Number(said) >= low && Number(said) <= high ? Number(said) : fallback),
    write: String,
  });

  /** What stands between the commas; percent signs that stand for nothing are what they are. */
  function plain(said) {
    try {
      return decodeURIComponent(said);
    } catch {
      return said;
    }
  }

  /** Texts of any kind; a comma in one of them is spelled %2C. */
  const list = () => ({
    fallback: [],
    read: (said) => said.split(",").filter(Boolean).map(plain),
    write: (value) => value.map((one) => one.replace(/[%,]/g, encodeURIComponent)).join(","),
  });

  /** Names without commas, each once. */
  const names = () => ({ fallback: [], read: (said) => [...new Set(said.split(",").filter(Boolean))], write: (value) => value.join(",") });

  /** [from, to] of "1200..1800", or null. */
  function ends(said) {
    const [from, to] = STRETCH.exec(said)?.slice(1).map(Number) ?? [];
    return from < to && Math.max(-from, to) <= FARTHEST ? [from, to] : null;
  }

  const stretch = () => ({ fallback: null, read: ends, write: ([from, to]) => `${from}..${to}` });

  /* ---- versions ---- */

  /** Which version a query is of; what is no version is the first. */
  function versionOf(said) {
    const mark = said.get(MARK) ?? "";
    return /^[1-9]\d{0,5}$/.test(mark) ? Number(mark) : 1;
  }

  /** The query as the newest version spells it. */
  function upgraded(query, steps = STEPS, newest = VERSION) {
    let said = new URLSearchParams(query);
    for (let version = versionOf(said); version < newest; version += 1) said = steps[version](said);
    return said;
  }

  const isNewer = (query) => versionOf(new URLSearchParams(query)) > VERSION;

  /* ---- a state and its query ---- */

  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

  /** The state that a query ("?x=wall&smooth=0.6") spells. */
  function decode(fields, query) {
    const said = upgraded(query);
    const read = ([name, field]) => [name, said.has(name) ? field.read(said.get(name)) : field.fallback];
    return Object.freeze(Object.fromEntries(Object.entries(fields).map(read)));
  }

  // What may stand behind the "?" as it is.
  const SIGNS = { "%2C": ",", "%40": "@", "%2F": "/", "%3A": ":" };
  const readable = (spelled) => spelled.replace(/%(?:2C|40|2F|3A)/g, (sign) => SIGNS[sign]);

  /** The query that spells a state, with "?" unless it is empty; parameters that are no fields stay. */
  function encode(fields, state, query = "") {
    const said = upgraded(query);
    said.delete(MARK);
    for (const [name, { fallback, write }] of Object.entries(fields)) {
      said.delete(name);
      if (!same(state[name], fallback)) said.set(name, write(state[name]));
    }
    const isMarked = VERSION > 1 && said.size > 0;
    if (isMarked) said.set(MARK, String(VERSION));
    const spelled = readable(said.toString());
    return spelled && `?${spelled}`;
  }

  tidewatch.codec = { VERSION, text, oneOf, number, flag, list, names, stretch, ends, same, upgraded, isNewer, decode, encode, readable };
})();
