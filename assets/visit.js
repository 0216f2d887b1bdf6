/* What leads the reader to a stretch of the curves, and back to the view from before unless another was chosen since. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  class Visit {
    /** `field` of the state says what is open; it is empty when nothing is. */
    constructor(field) {
      this.field = field;
    }

    get id() {
      return tidewatch.state.get()[this.field];
    }

    /** Opens `id`, with `view` where there is a stretch to show. */
    enter(id, view) {
      if (!this.id) this.before = tidewatch.state.get().view;
      tidewatch.state.set({ [this.field]: id, ...(view ? { view } : {}) });
      this.shown = tidewatch.state.get().view;
    }

    leave() {
      const goesOn = tidewatch.state.get().view === this.shown && this.before !== undefined;
      tidewatch.state.set({ [this.field]: "", ...(goesOn ? { view: this.before } : {}) });
    }
  }

  tidewatch.Visit = Visit;
})();
