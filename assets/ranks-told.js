/* What the ranks page tells beside its map: the notice over it, the chosen rank, and what its controls show. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  class RanksTold {
    /** `ranks` is the page. */
    constructor(ranks) {
      this.ranks = ranks;
      this.element = ranks.find(".ranks-notice");
    }

    notice(text, isBad) {
      const { element } = this;
      if (element.textContent !== text) element.textContent = text;
      element.classList.toggle("bad", isBad);
    }

    /** What is to be known of the map as it stands. */
    reason() {
      const { held, older } = this.ranks;
      this.notice(tidewatch.ranksTelling.reason(held.top, older.isReading), false);
    }

    empty() {
      this.notice(tidewatch.words.say("ranks_no_metric"), false);
      this.ranks.page.dataset.state = "empty";
    }

    chosen() {
      const { panel, state, ranks, held, layout, questions } = this.ranks;
      const cell = tidewatch.ranksState.cell(state.rank);
      if (!cell) return panel.clear();
      this.mark(cell);
      if (!ranks.length) return undefined; // told when they are known
      const { steps, m } = held.top;
      return panel.show(ranks, cell.rank, cell.step, { layout, metric: questions.metric, start: m ? steps[0] : "", end: m ? steps[m - 1] : "" });
    }

    /** The frame of the chosen cell, as far as its row is in sight. */
    mark({ rank, step }) {
      const { rows, hands, held } = this.ranks;
      const at = (rows ?? []).findIndex((row) => row.meta?.rank === rank);
      if (at >= 0) hands.moveTo(at, tidewatch.ranksAnswer.columnAt(held.top, step), false);
    }

    controls() {
      const { controls, told, held, state, show, questions } = this.ranks;
      const { view, x } = tidewatch.state.get();
      const by = held.top && told.count > tidewatch.ranksAhead.MANY ? held.top.meta.fold : state.by || "node";
      controls.tell({ by, show, x: x === "wall" ? "wall" : "step", metric: questions.metric, isWhole: view === "all" });
    }
  }

  tidewatch.RanksTold = RanksTold;
})();
