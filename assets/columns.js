/* History of several curves in one body (GET /api/runs/<run>/curves, see app/DESIGN.md): JSON, then columns. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SOURCES = ["tensorboard", "mindspore", "log"];
  const ALIGNED = 8; // bytes

  const aligned = (offset) => Math.ceil(offset / ALIGNED) * ALIGNED;

  /** The columns of `n` points from `offset` on, as views of the buffer: nothing is copied. */
  function block(buffer, offset, n) {
    const doubles = (k) => new Float64Array(buffer, offset + 8 * n * k, n);
    const [steps, walls, values] = [0, 1, 2].map(doubles);
    const attempts = new Int32Array(buffer, offset + 24 * n, n);
    const sources = new Uint8Array(buffer, offset + 28 * n, n); // indices into SOURCES
    return { columns: { steps, walls, values, attempts, sources }, end: aligned(offset + 29 * n) };
  }

  /** The whole answer: its JSON, in which each curve and each ghost has its columns too. Pure. */
  function decode(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const meta = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    let offset = aligned(4 + length);
    const filled = (one) => {
      const { columns, end } = block(buffer, offset, one.n);
      offset = end;
      return { ...one, ...columns };
    };
    const curves = meta.curves.map(filled); // they come before the ghosts in the body
    return { ...meta, curves, ghosts: meta.ghosts.map(filled) };
  }

  const TAG = "tag:"; // how a trace spells a tag (assets/layout.js); every other name is a canonical metric

  /** The question for `names`, metrics first, in the order in which the answer comes. Pure. */
  function question(names, query = {}) {
    const asked = [...names.filter((name) => !name.startsWith(TAG)), ...names.filter((name) => name.startsWith(TAG))];
    const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
    const pairs = asked.map((name) => (name.startsWith(TAG) ? ["tag", name.slice(TAG.length)] : ["metric", name]));
    return new URLSearchParams([...pairs, ...given.map(([key, value]) => [key, String(value)])]).toString();
  }

  /** The name by which a trace knows a curve of the answer, or a ghost of one. Pure. */
  const nameOf = ({ kind, name }) => (kind === "tag" ? TAG + name : name);

  const address = (run, names, query) => `${tidewatch.address.ofRun(run, "/curves")}?${question(names, query)}`;

  const read = async (answer) => decode(await answer.arrayBuffer());

  /** The answer for some names; rejects with the server's own sentence. */
  const load = async (run, names, query, signal = undefined) => read(await tidewatch.answers.ask(address(run, names, query), signal));

  tidewatch.columns = { SOURCES, decode, question, nameOf, address, read, load };
})();
