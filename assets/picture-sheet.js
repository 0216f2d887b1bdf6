/* A sheet of a picture: texts, boxes and lines as SVG, all of it made of nodes, so that no text can be anything but text. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SVG = "http://www.w3.org/2000/svg";
  const DOTS = "…";
  let ruler = null;

  function node(name, attributes = {}, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    made.append(...children);
    return made;
  }

  /** What XML cannot hold, and what would turn the order of letters, is left out. Pure. */
  const clean = (text) => String(text).toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Co}\uFFFE\uFFFF]/gu, "");

  class Sheet {
    /** `colours` has ground, ink, ink2, ink3; `font` is a family. */
    constructor(width, height, { colours, font }) {
      Object.assign(this, { width, height, colours, font });
      this.root = node("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": font });
      this.root.append(node("rect", { width, height, fill: colours.ground }));
    }

    /** The file begins with what it is, for readers of screens too. */
    name(title, about) {
      this.root.prepend(node("title", {}, clean(title)), node("desc", {}, clean(about)));
      this.root.setAttribute("role", "img");
    }

    wide(text, size = 12, bold = false) {
      ruler ??= document.createElement("canvas").getContext("2d");
      ruler.font = `${bold ? "600 " : ""}${size}px ${this.font}`;
      return ruler.measureText(text).width;
    }

    /** As much of a text as there is room for. */
    fitted(text, room, size, bold) {
      const letters = [...clean(text).slice(0, 1_000)];
      if (this.wide(letters.join(""), size, bold) <= room) return letters.join("");
      let [low, high] = [0, letters.length];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.wide(letters.slice(0, middle).join("") + DOTS, size, bold) <= room) low = middle;
        else high = middle - 1;
      }
      return low ? letters.slice(0, low).join("") + DOTS : "";
    }

    /** Writes a line at its base; gives its width. */
    text(x, y, text, { size = 12, bold = false, colour = this.colours.ink2, anchor = "start", room = Infinity } = {}) {
      const fitting = this.fitted(text, room, size, bold);
      if (!fitting) return 0;
      this.root.append(node("text", { x, y, "font-size": size, fill: colour, "text-anchor": anchor, ...(bold ? { "font-weight": 600 } : {}) }, fitting));
      return this.wide(fitting, size, bold);
    }

    box(x, y, width, height, fill, more = {}) {
      this.root.append(node("rect", { x, y, width, height, fill, ...more }));
    }

    line(x1, y1, x2, y2, stroke, more = {}) {
      this.root.append(node("line", { x1, y1, x2, y2, stroke, ...more }));
    }

    path(d, fill, more = {}) {
      this.root.append(node("path", { d, fill, ...more }));
    }

    /** A picture that is an SVG itself, put at a place. */
    inset(text, x, y) {
      const found = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
      if (found.localName !== "svg") throw new Error("the figure could not be drawn");
      found.setAttribute("x", x);
      found.setAttribute("y", y);
      this.root.append(document.importNode(found, true));
    }

    /** A bitmap at a place, from an address of data. */
    bitmap(href, x, y, width, height) {
      this.root.append(node("image", { href, x, y, width, height, style: "image-rendering: pixelated" }));
    }

    /** {svg, width, height}. */
    done() {
      const svg = new XMLSerializer().serializeToString(this.root);
      return { svg: `<?xml version="1.0" encoding="UTF-8"?>\n${svg}\n`, width: this.width, height: this.height };
    }
  }

  tidewatch.pictureSheet = { Sheet, clean };
})();
