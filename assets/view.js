/* Which part of the run is shown: everything, the last n steps, or a stretch the reader chose. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const all = () => ({ kind: "all" });
  const last = (steps) => ({ kind: "last", steps });
  const zoom = (start, end) => ({ kind: "zoom", start, end });

  /** The steps of the view when the run has come to `newest`: [start, end], null where it is open. */
  function span(view, newest) {
    if (view.kind === "zoom") return [view.start, view.end];
    return view.kind === "last" && Number.isFinite(newest) ? [Math.max(0, newest - view.steps), null] : [null, null];
  }

  /** Start and end for the series route: whole steps, and one more on each side of a zoom, so that lines reach
   *  the panel's edge. */
  function query(view, newest) {
    const [start, end] = span(view, newest);
    return {
      start: start === null ? null : Math.floor(start) - (view.kind === "zoom" ? 1 : 0),
      end: end === null ? null : Math.ceil(end) + 1,
    };
  }

  /** The x axis for the view of a run that is known from `oldest` to `newest`; null when that is no stretch. Without
   *  it Plotly would leave room for the dots of the evaluation, and the curves would not begin at the edge. */
  function range(view, oldest, newest) {
    const [start, end] = span(view, newest);
    const found = [start ?? oldest, end ?? newest];
    return found[0] < found[1] && found.every(Number.isFinite) ? found : null;
  }

  /** What a plotly_relayout event asks for: a zoom, everything (double click), or nothing of ours. */
  function asked(event) {
    if (event["xaxis.autorange"]) return all();
    const pair = event["xaxis.range"] ?? [event["xaxis.range[0]"], event["xaxis.range[1]"]];
    return pair[0] === undefined || pair[1] === undefined ? null : zoom(Number(pair[0]), Number(pair[1]));
  }

  tidewatch.view = { all, last, zoom, query, range, asked };
})();
