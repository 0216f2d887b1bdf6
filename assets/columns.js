/* History of one metric: the binary columns of the series route (see app/DESIGN.md, HTTP). */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SOURCES = ["tensorboard", "mindspore", "log"];

  /** n float64 steps, walls and values, then n uint8 sources, as plain arrays: extendTraces refuses typed ones. */
  function decode(buffer, meta) {
    const n = meta.n;
    const column = (k) => Array.from(new Float64Array(buffer, k * 8 * n, n));
    const sources = Array.from(new Uint8Array(buffer, 24 * n, n), (index) => SOURCES[index] ?? "");
    return { meta, steps: column(0), walls: column(1), values: column(2), sources };
  }

  /** The points of a metric, reduced to `query.points`; rejects with the server's own sentence. */
  async function load(run, metric, query = {}, signal = undefined) {
    const address = tidewatch.address.ofRun(run, "/series", { metric, ...query });
    const answer = await fetch(address, { headers: { Accept: "application/octet-stream" }, signal });
    if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? answer.statusText);
    return decode(await answer.arrayBuffer(), JSON.parse(answer.headers.get("X-Tidewatch-Meta")));
  }

  tidewatch.columns = { decode, load };
})();
