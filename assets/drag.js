/* A drag over any panel chooses a stretch of x for all of them; a double click shows everything again. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const LEAST = 6; // px; less is a click
  const CONTROLS = "button, a, input, select, summary, details, [role=menu]";

  /** The stretch between two places in px, held between the figure's edges; null for a click. Pure. */
  function stretch(from, to, [left, right]) {
    const held = [from, to].map((px) => Math.min(right, Math.max(left, px))).sort((one, other) => one - other);
    return held[1] - held[0] < LEAST ? null : held;
  }

  function shade(plot) {
    const element = plot.host.appendChild(document.createElement("div"));
    element.className = "zooming";
    return element;
  }

  class Drag {
    constructor(plot, { show, showAll, began }, until) {
      Object.assign(this, { plot, show, began });
      this.area = plot.host.parentElement;
      this.area.addEventListener("pointerdown", (event) => this.press(event), until);
      this.area.addEventListener("pointermove", (event) => this.move(event), until);
      this.area.addEventListener("pointerup", (event) => this.release(event), until);
      this.area.addEventListener("pointercancel", () => this.stop(), until);
      this.area.addEventListener("dblclick", (event) => event.target.closest(CONTROLS) || showAll(), until);
      document.addEventListener("keydown", (event) => event.key === "Escape" && this.stop(), until);
    }

    at(event) {
      return event.clientX - this.plot.graph.getBoundingClientRect().left;
    }

    get edges() {
      const { margin: { left }, inner } = this.plot;
      return [left, left + inner];
    }

    press(event) {
      if (event.button !== 0 || event.pointerType === "touch" || event.target.closest(CONTROLS)) return; // a finger scrolls
      const at = this.at(event);
      if (!this.plot.range || at < this.edges[0] - 8 || at > this.edges[1] + 8) return;
      event.preventDefault(); // no text is selected on the way
      this.area.setPointerCapture(event.pointerId);
      this.from = at;
    }

    move(event) {
      if (this.from === undefined) return;
      const found = stretch(this.from, this.at(event), this.edges);
      if (!found) return;
      if (!this.shade) this.began();
      this.shade ??= shade(this.plot);
      this.shade.style.left = `${found[0]}px`;
      this.shade.style.width = `${found[1] - found[0]}px`;
    }

    release(event) {
      const found = this.from === undefined ? null : stretch(this.from, this.at(event), this.edges);
      this.stop();
      if (found) this.show(...found.map((px) => this.plot.x(px)));
    }

    stop() {
      this.from = undefined;
      this.shade?.remove();
      this.shade = null;
    }
  }

  tidewatch.drag = { Drag, stretch };
})();
