/* The figure on the page: one Plotly call a drawing, and the places of x in px. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  // Hover, zoom and keys are this page's own (hover.js, drag.js, figure-keys.js): Plotly draws, and listens to nothing.
  const CONFIG = { staticPlot: true, displayModeBar: false, displaylogo: false, responsive: false };
  const NARROWEST = 120; // px; a card that is not laid out yet has no width

  class Plot {
    /** `host` is the empty element of the card; the figure is put into an element of its own in it, which React never
     *  sees. `resized` is called when the card has another width. */
    constructor(host, resized) {
      this.host = host;
      this.graph = host.appendChild(document.createElement("div"));
      this.graph.className = "plot";
      this.width = Math.max(NARROWEST, host.clientWidth);
      this.range = null;
      this.drawn = null;
      this.watcher = new ResizeObserver(() => this.measure(resized));
      this.watcher.observe(host);
    }

    measure(resized) {
      const width = Math.max(NARROWEST, this.host.clientWidth);
      if (width === this.width || !this.host.clientWidth) return; // a card that is not laid out keeps its drawing
      this.width = width;
      resized();
    }

    get margin() {
      return { left: tidewatch.layout.SIDES.l, right: tidewatch.layout.SIDES.r };
    }

    /** Draws `held` (see figure.js) over `range`, `height` px high. The first drawing makes the figure, and another list of panels makes it anew. */
    async draw(held, range, height) {
      const { data, layout, outside } = tidewatch.figure.draw(held, range, { width: this.width, height });
      await this.put(data, layout);
      this.range = this.rangeDrawn();
      this.outside = outside;
    }

    /** Only new points at the ends of lines, where that is enough: `lines` are the figure's lines as they should be.
     *  False when a whole drawing is needed. */
    extend(lines) {
      const { data, layout } = this.graph;
      const from = data.findIndex(({ meta }) => meta.role === lines[0]?.meta.role && meta.panel === lines[0].meta.panel);
      const parts = tidewatch.tail.appended(data.slice(Math.max(0, from), from + lines.length), lines);
      const isIn = (part) => tidewatch.tail.fits(part, this.range, layout[tidewatch.layout.axisKey(lines[part.index].yaxis)]);
      if (!this.range || from < 0 || !parts?.every(isIn)) return false;
      const placed = parts.map((part) => ({ ...part, index: from + part.index }));
      if (!tidewatch.tail.write(this.graph, placed)) return false;
      lines.forEach((line, index) => Object.assign(data[from + index], { x: line.x, y: line.y }));
      return true;
    }

    /** Puts the figure on the page by the least that is enough: its axes and lines moved, drawn whole, made anew. */
    async put(data, layout) {
      const panels = Object.keys(layout).join();
      const likeness = layout.xaxis.range ? tidewatch.again.likeness(data, layout) : null;
      if (this.drawn !== panels) await Plotly.newPlot(this.graph, data, layout, CONFIG); // react draws axes that are new at NaN first
      else if (likeness === null || likeness !== this.likeness) await this.redraw(data, layout);
      else await this.move(data, layout);
      this.drawn = panels;
      this.likeness = likeness;
    }

    move(data, layout) {
      tidewatch.tail.clear(this.graph);
      return tidewatch.again.draw(this.graph, data, layout);
    }

    /** Everything is new in a drawing, so that Plotly need not look for what has changed. */
    redraw(data, layout) {
      tidewatch.tail.clear(this.graph);
      this.graph.data = data;
      this.graph.layout = layout;
      return Plotly.redraw(this.graph);
    }

    rangeDrawn() {
      return [...this.graph._fullLayout.xaxis.range]; // of one point Plotly chooses the range, and tells nobody
    }

    /** px from the figure's left. */
    px(x) {
      const [low, high] = this.range;
      return this.margin.left + ((x - low) / (high - low)) * this.inner;
    }

    /** x at px from the figure's left. */
    x(px) {
      const [low, high] = this.range;
      return low + ((px - this.margin.left) / this.inner) * (high - low);
    }

    /** px between the margins. */
    get inner() {
      return this.width - this.margin.left - this.margin.right;
    }

    end() {
      this.watcher.disconnect();
      Plotly.purge(this.graph);
      this.graph.remove();
    }
  }

  tidewatch.Plot = Plot;
})();
