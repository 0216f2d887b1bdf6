/* What stands below the curves: attempt ribbon and event strip of one run, on the curves' own x axis. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  class Timeline {
    /** `root` carries data-timeline, the run's id, inside the curves' card. */
    constructor(root) {
      this.root = root;
      this.figure = root.closest("section").querySelector(".figure");
      this.tip = root.querySelector(".strip-tip");
      this.ended = new AbortController();
      const until = { signal: this.ended.signal };
      const act = { point: (mark) => this.point(mark), open: (mark) => this.open(mark) };
      this.strip = new tidewatch.Strip(root, act, until);
      this.ribbon = new tidewatch.Ribbon(root.querySelector(".ribbon"), (at, lines) => this.show(at, lines), until);
      document.addEventListener("tidewatch:axis", () => this.draw(), until);
      document.addEventListener("tidewatch:state", ({ detail }) => this.changed(detail.changed), until);
      root.addEventListener("keydown", (event) => event.key === "Escape" && this.show(0, null), until);
      this.events = new tidewatch.RunEvents(root.dataset.timeline, (told) => this.hold(told), until);
    }

    end() {
      this.ended.abort();
      tidewatch.eventFilter.apply([]);
    }

    get axis() {
      return this.root.closest("[data-run]") === tidewatch.curves?.card ? tidewatch.curves.axis : null;
    }

    hold({ events, attempts }) {
      this.strip.hold(events);
      this.ribbon.hold(attempts, events);
      this.draw();
    }

    changed(names) {
      if (names.has("quiet")) tidewatch.eventFilter.apply(tidewatch.state.get().quiet);
      if (names.has("quiet")) this.strip.tellChips();
      if (names.has("quiet") || names.has("attempts") || names.has("log_at")) this.draw();
    }

    /** Both bands along the axis as it is now; before the curves know theirs nothing is drawn. */
    draw() {
      const { axis } = this;
      if (!axis || document.hidden) return;
      this.strip.draw(axis, tidewatch.state.get().quiet);
      this.ribbon.draw(axis);
      this.tellChosen(axis);
    }

    /** The line and the mark of the step whose log is open. */
    tellChosen(axis) {
      const [rank, step] = tidewatch.state.get().log_at.split("@").map(Number);
      const x = Number.isFinite(step) ? axis.x(step, null) : null;
      const inView = Number.isFinite(x) && x >= Math.min(...axis.range) && x <= Math.max(...axis.range);
      tidewatch.eventTip.line(this.figure, "chosen", inView ? axis.px(x) : null);
      const chosen = Number.isFinite(step) ? this.strip.at(step, rank)?.button : null;
      for (const { button } of this.strip.marks.values()) button.classList.toggle("chosen", button === chosen);
    }

    /* ---- what the reader does ---- */

    point(found) {
      const mark = found?.mark;
      this.show(mark?.at ?? 0, mark ? tidewatch.eventTip.lines(mark) : null);
      tidewatch.eventTip.line(this.figure, "pointed", mark ? mark.at : null);
    }

    show(at, lines) {
      tidewatch.eventTip.show(this.tip, at, lines);
    }

    /** One event opens its log; several that lie apart are zoomed into, until they can be told apart. */
    open({ events, from, to }) {
      if (events.length > 1 && to > from) {
        const room = (to - from) * 0.25;
        const view = `${Number((from - room).toPrecision(12))}..${Number((to + room).toPrecision(12))}`;
        tidewatch.state.set({ view }, { step: true });
        return;
      }
      const [event] = [...events].sort(tidewatch.eventShapes.byWeight);
      tidewatch.state.set({ log_at: `${event.ranks?.[0] ?? 0}@${event.at.step}` }, { step: true });
    }
  }

  (tidewatch.mounts ??= []).push({
    selector: "[data-timeline]",
    start(root) {
      tidewatch.eventFilter.apply(tidewatch.state.get().quiet);
      const timeline = new Timeline(root);
      tidewatch.timeline = timeline;
      return () => timeline.end();
    },
  });
})();
