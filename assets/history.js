/* Reads what the curves show: every line of a window in one answer. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const POINTS = 2_000; // of each line; the server keeps every extreme, and all points of a shorter window
  const SURVEY_POINTS = 200; // to learn how steps, samples and clock go together
  const CONSUMED = "consumed_samples"; // places the points on the axes of samples and tokens

  /** What the reader chose among the attempts, as the route spells it. Pure. */
  function attemptsAsked(attempts) {
    if (attempts === "stitched") return { attempt: "latest", ghosts: 1 };
    return { attempt: attempts };
  }

  /** Where everything for one drawing is asked for. `window` is view.query's. Pure. */
  function address(run, { names, attempts, window }) {
    const query = { points: POINTS, ...attemptsAsked(attempts), ...window };
    return tidewatch.columns.address(run, [...new Set([...names, CONSUMED])], query);
  }

  /** Everything for one drawing; of the first one the answer may be on its way already. */
  const load = async (run, wanted, signal) => tidewatch.columns.read(await tidewatch.ahead.ask(address(run, wanted), signal));

  /** The run from its beginning to its end, roughly: what an axis must know before a stretch of it can be asked for. */
  function survey(run, names, signal) {
    return tidewatch.columns.load(run, [...new Set([...names, CONSUMED])], { points: SURVEY_POINTS }, signal);
  }

  /** What is newer: from the step `start` on. */
  const newer = (run, names, start, signal) => tidewatch.columns.load(run, names, { points: POINTS, start }, signal);

  /** The points of a curve of the answer in the stream's form: [[step, wall, value, source], …]. Pure. */
  function rows({ steps, walls, values, sources }) {
    return Array.from(steps, (step, k) => [step, walls[k], values[k], tidewatch.columns.SOURCES[sources[k]]]);
  }

  /** The run's details without the list of its metrics, which may be long: its state above all. */
  const details = (run, signal) => tidewatch.answers.json(tidewatch.address.ofRun(run, "", { metrics: 0 }), signal);

  tidewatch.history = { CONSUMED, address, load, survey, newer, rows, details, attemptsAsked };
})();
