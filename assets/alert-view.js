/* Which stretch of the curves an alert is about. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const AROUND = 0.5; // of its length, on each side
  const LEAST_ROWS = 25; // on each side, so that what was usual before is seen

  /** [first, last] step to show; `interval` is the usual number of steps between two rows. */
  function steps({ first_step: first, last_step: last, raised_step: raised }, interval) {
    const end = Math.max(last, raised);
    const around = Math.max(LEAST_ROWS * interval, Math.round((end - first) * AROUND));
    return [Math.max(0, first - around), end + around];
  }

  /** The usual number of steps between two rows of a curve; 1 where that is not known. */
  function interval(series) {
    if (!series || series.total < 2 || !series.length) return 1;
    return Math.max(1, (series.steps.at(-1) - series.steps[0]) / series.total);
  }

  /** The view (see state.js) in units of x; null where its places are not known. Of an alert that is not over it shows
   *  where it began, not all that came since. */
  function view(alert, axis, series) {
    const told = tidewatch.alertWords.isOver(alert) ? alert.last_step : alert.value_step;
    return around({ ...alert, last_step: told }, axis, series);
  }

  /** The same of steps alone: {first_step, last_step, raised_step}. */
  function around(stretch, axis, series) {
    const [start, end] = steps(stretch, interval(series)).map((step) => axis.at(step));
    if (![start, end].every(Number.isFinite) || start >= end) return null;
    return tidewatch.view.spell(tidewatch.view.zoom(start, end));
  }

  tidewatch.alertView = { steps, interval, view, around };
})();
