/* Which part of the run is shown: everything, the newest steps, or a stretch the reader chose, in units of x. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const all = () => ({ kind: "all" });
  const last = (steps) => ({ kind: "last", steps });
  const zoom = (start, end) => ({ kind: "zoom", start, end });

  const rounded = (x) => String(Number(x.toFixed(3)));

  /** The view that state.view spells; what is no stretch is everything. */
  function read(text) {
    if (text.startsWith("last-")) return last(Number(text.slice(5)));
    const ends = tidewatch.codec.ends(text);
    return ends ? zoom(...ends) : all();
  }

  function spell(view) {
    if (view.kind === "last") return `last-${view.steps}`;
    return view.kind === "zoom" ? `${rounded(view.start)}..${rounded(view.end)}` : "all";
  }

  const FARTHEST = 1e15; // there is no step beyond, and the server reads no longer number
  const LATEST = 1e11; // nor a moment (Unix seconds)

  /** A place as it can be asked for. */
  const asked = (place, farthest = FARTHEST) => Math.max(-farthest, Math.min(farthest, place));

  /** The same of a moment, in whole microseconds, which the server reads, towards the outside. */
  const moment = (seconds, outwards) => outwards(asked(seconds, LATEST) * 1e6) / 1e6;

  /** What of the run's history is asked for: steps, or Unix seconds on an axis of time. One step more on each side of
   *  a zoom, so that lines reach the panel's edge. */
  function query(view, axis, newest) {
    if (view.kind === "last") return Number.isFinite(newest) ? { start: Math.max(0, newest - view.steps) } : {};
    if (view.kind === "all") return {};
    if (axis.isTime) return { since: moment(view.start + axis.zero, Math.floor), until: moment(view.end + axis.zero, Math.ceil) };
    return { start: asked(Math.floor(axis.step(view.start)) - 1), end: asked(Math.ceil(axis.step(view.end)) + 1) };
  }

  /** Whether new points belong to the view: a zoom that ends before them takes none. `newest` is in units of x. */
  const reaches = (view, newest) => view.kind !== "zoom" || view.end >= newest;

  /** [low, high] of x to show; `extent` is that of the points there are, `first` where the newest steps begin (x).
   *  Null when there is no stretch. */
  function range(view, extent, first = null) {
    if (view.kind === "zoom") return [view.start, view.end];
    const found = view.kind === "last" && first !== null ? [Math.min(first, extent[1]), extent[1]] : extent;
    return found[0] < found[1] && found.every(Number.isFinite) ? found : null;
  }

  /** The range moved or stretched by keys: `by` of its width to the right, `factor` of its width around `at`. */
  function scaled([start, end], factor, at) {
    return [at - (at - start) * factor, at + (end - at) * factor];
  }

  tidewatch.view = { all, last, zoom, read, spell, asked, query, reaches, range, scaled };
})();
