/* Reads what the curves show: the run's details, then the columns of every metric that the run has. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const POINTS = 2_000;
  const GHOST_POINTS = 500;
  const GHOSTS = 5; // earlier attempts drawn; older ones are still in the API

  async function details(run, signal) {
    const answer = await fetch(tidewatch.address.ofRun(run), { signal });
    if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? answer.statusText);
    return answer.json();
  }

  /** Earlier attempts one after the other, with a gap between them, as one line. */
  function joined(attempts) {
    const ghost = { x: [], y: [], customdata: [] };
    for (const columns of attempts) {
      ghost.x.push(...columns.steps, null);
      ghost.y.push(...tidewatch.Series.drawable(columns.values), null);
    }
    return ghost;
  }

  /** What later attempts did again: of each earlier one the steps from where its successor began. */
  async function ghosts(run, metric, attempts, window, signal) {
    const earlier = attempts.slice(-GHOSTS - 1, -1);
    const asked = earlier.map(({ attempt }, index) => {
      const next = attempts[attempts.length - earlier.length + index].first_step;
      const query = { ...window, start: Math.max(next - 1, window.start ?? 0), points: GHOST_POINTS, attempt };
      return tidewatch.columns.load(run, metric, query, signal);
    });
    const answered = await Promise.allSettled(asked); // an attempt without this metric has nothing to show
    return joined(answered.filter((one) => one.status === "fulfilled").map((one) => one.value));
  }

  const earliest = (ids) => ids.reduce((first, id) => (first && tidewatch.stream.isAfter(id, first) ? first : id), null);

  /** Everything for one drawing: {details, series: Map(metric → Series), ghosts: Map(metric → columns), newest,
   *  position: where in the stream to go on from}. */
  async function load(run, { metrics, ghosted, view }, signal) {
    const found = await details(run, signal);
    const newest = found.step ?? -Infinity;
    const window = tidewatch.view.query(view, newest);
    const named = new Set(found.metrics.map((one) => one.metric));
    const known = metrics.filter((metric) => named.has(metric));
    const query = { ...window, points: POINTS, attempt: "latest" };
    const columns = await Promise.all(known.map((metric) => tidewatch.columns.load(run, metric, query, signal)));
    const reaches = window.end === null || window.end >= newest;
    const series = new Map(known.map((metric, k) => [metric, new tidewatch.Series(columns[k], reaches)]));
    const reached = Math.max(newest, ...[...series.values()].map((one) => one.lastStep)); // it may have gone on meanwhile
    const older = found.attempts.length > 1 ? ghosted.filter((metric) => series.has(metric)) : [];
    const lines = await Promise.all(older.map((metric) => ghosts(run, metric, found.attempts, window, signal)));
    const position = earliest(columns.map((one) => one.meta.stream)) ?? found.stream;
    return { details: found, series, newest: reached, position, ghosts: new Map(older.map((metric, k) => [metric, lines[k]])) };
  }

  tidewatch.history = { load };
})();
