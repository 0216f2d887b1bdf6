/* What stands below the curves: attempt ribbon and event strip of one run, on the curves' own x axis. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const SHARE = 20; // a drawing that takes 10 ms is followed by the next one 200 ms after it began, at the earliest

  class Timeline {
    /** `root` carries data-timeline, the run's id, inside the curves' card. */
    constructor(root) {
      this.root = root;
      this.figure = root.closest("section").querySelector(".figure");
      this.tip = root.querySelector(".strip-tip");
      this.ended = new AbortController();
      this.drawn = -Infinity;
      this.cost = 0;
      const until = { signal: this.ended.signal };
      const act = { point: (mark) => this.point(mark), open: (mark) => this.open(mark) };
      this.strip = new tidewatch.Strip(root, act, until);
      this.ribbon = new tidewatch.Ribbon(root.querySelector(".ribbon"), (at, lines) => this.show(at, lines), until);
      document.addEventListener("tidewatch:axis", () => this.drawSoon(), until);
      document.addEventListener("tidewatch:state", ({ detail }) => this.changed(detail.changed), until);
      root.addEventListener("keydown", (event) => event.key === "Escape" && this.show(0, null), until);
      new tidewatch.RunEvents(root.dataset.timeline, (events, more) => this.hold(events, more), until);
    }

    end() {
      this.ended.abort();
      clearTimeout(this.timer);
      tidewatch.eventFilter.apply([]);
    }

    /** The curves beside this, once they have drawn; else null. */
    get curves() {
      const { curves } = tidewatch;
      return curves?.axis?.range && curves.card === this.root.closest("[data-run]") ? curves : null;
    }

    hold(events, more) {
      this.told = events;
      this.root.querySelector(".strip-more").textContent = more ? tidewatch.words.say("events_more") : "";
      this.placedFrom = null;
      this.draw();
    }

    /** Hands the events to the strip, once it is known where the run began. */
    place([first]) {
      const from = first?.first_step ?? 0;
      if (!this.told || this.placedFrom === from) return;
      this.placedFrom = from;
      this.strip.hold(tidewatch.clusters.placed(this.told, from));
    }

    /** The run's attempts, the newest as far as it has come by now. */
    get attempts() {
      const { attempts = [], newest } = this.curves?.held ?? {};
      return attempts.map((one, index) => (index === attempts.length - 1 ? { ...one, last_step: Math.max(one.last_step, newest) } : one));
    }

    changed(names) {
      if (names.has("quiet")) tidewatch.eventFilter.apply(tidewatch.state.get().quiet);
      if (names.has("quiet")) this.strip.tellChips();
      if (names.has("quiet") || names.has("attempts") || names.has("log_at")) this.draw();
    }

    /** After a drawing of the curves: at once, but where events are so many that this takes long, less often. */
    drawSoon() {
      const wait = SHARE * this.cost - (performance.now() - this.drawn);
      if (wait <= 0) this.draw();
      else this.timer ??= setTimeout(() => this.draw(), wait);
    }

    /** Both bands along the axis as it is now; before the curves know theirs nothing is drawn. */
    draw() {
      this.timer = clearTimeout(this.timer) ?? null;
      const axis = this.curves?.axis;
      if (!axis || document.hidden) return;
      this.drawn = performance.now();
      const { attempts } = this;
      this.place(attempts);
      this.strip.draw(axis, tidewatch.state.get().quiet);
      this.ribbon.hold(attempts, this.strip.events);
      this.ribbon.draw(axis);
      this.tellChosen(axis);
      this.cost = performance.now() - this.drawn;
    }

    /** The line and the mark of the step whose log is open. */
    tellChosen(axis) {
      const [rank, step] = tidewatch.state.get().log_at.split("@").map(Number);
      const x = Number.isFinite(step) ? axis.x(step, null) ?? axis.at?.(step) : null;
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
      this.point(null);
      if (events.length > 1 && to > from) {
        const room = (to - from) * 0.25;
        const view = `${Number((from - room).toPrecision(12))}..${Number((to + room).toPrecision(12))}`;
        tidewatch.state.set({ view });
        return;
      }
      const event = tidewatch.eventShapes.heaviest(events);
      tidewatch.state.set({ log_at: `${event.ranks?.[0] ?? 0}@${event.at.step}` });
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
