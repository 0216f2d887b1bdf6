/* The figure under the keyboard: arrows move the crosshair from point to point, + and − zoom around it, 0 shows all. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const PAGE = 20; // points that Page Up and Page Down pass

  /** Index of the point to stand on next, of `length` points and one at `index` (−1 = none yet). Pure. */
  function moved(key, index, length) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: PAGE, PageDown: -PAGE, Home: -Infinity, End: Infinity };
    if (!(key in steps)) return null;
    return Math.min(length - 1, Math.max(0, (index < 0 ? length - 1 : index) + steps[key]));
  }

  const FACTORS = { "+": 0.5, "=": 0.5, "-": 2, _: 2 };

  class FigureKeys {
    constructor({ plot, hover, source, show, showAll }, until) {
      Object.assign(this, { plot, hover, source, show, showAll });
      plot.host.addEventListener("keydown", (event) => this.press(event), until);
      plot.host.addEventListener("blur", () => hover.hide(), until);
    }

    /** x of the points of the first line that are in view, in order. */
    points() {
      const [low, high] = this.plot.range;
      return [...(this.source().lines[0]?.xs ?? [])].filter((x) => x >= low && x <= high).sort((one, other) => one - other);
    }

    press(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.plot.range) return;
      const done = this.step(event.key) || this.scale(event.key) || this.reset(event.key);
      if (done) event.preventDefault();
      if (done) event.stopPropagation();
    }

    step(key) {
      const xs = this.points();
      const at = this.hover.shownAt === null ? -1 : tidewatch.readings.nearest(xs, this.hover.shownAt);
      const index = xs.length ? moved(key, at, xs.length) : null;
      if (index === null) return false;
      this.hover.readAt(xs[index], true);
      return true;
    }

    scale(key) {
      if (!FACTORS[key]) return false;
      const { range } = this.plot;
      this.show(...tidewatch.view.scaled(range, FACTORS[key], this.hover.shownAt ?? (range[0] + range[1]) / 2));
      return true;
    }

    reset(key) {
      if (key === "Escape") this.hover.hide();
      if (key === "0") this.showAll();
      return key === "0";
    }
  }

  tidewatch.figureKeys = { FigureKeys, moved };
})();
