/* What each kind of event looks like on the strip: lane, tone and shape, so that no two differ by colour alone. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const LANES = ["run", "saved", "scale", "trouble"];

  // Paths in a square of 16 around (8, 8); `line` is drawn as a stroke, the rest filled.
  const SQUARE = "M3 3h10v10h-10z";
  const kind = (lane, tone, path, line = false) => Object.freeze({ lane, tone, path, line });
  const KINDS = {
    start: kind("run", "info", "M4 2.5l9.5 5.5l-9.5 5.5z"),
    resume: kind("run", "info", "M2.5 3h2v10h-2zM6.5 3l7.5 5l-7.5 5z"),
    restart: kind("run", "info", "M12.8 5.6A5.2 5.2 0 1 0 13.2 9M13.4 2.2v3.9h-3.9", true),
    compile: kind("run", "info", "M8 1.8l5.4 3.1v6.2l-5.4 3.1l-5.4-3.1v-6.2z", true),
    train: kind("run", "info", "M3 3l5 5l-5 5M8 3l5 5l-5 5", true),
    stress: kind("run", "info", "M3.5 2.5h9l-9 11h9z", true),
    end: kind("run", "good", "M3.5 14v-12M3.5 3h9l-2.5 3l2.5 3h-9", true),
    checkpoint: kind("saved", "good", SQUARE),
    eval: kind("saved", "good", "M8 2.2a5.8 5.8 0 1 1-.01 0zM8 6.2a1.8 1.8 0 1 1-.01 0z", true),
    loss_scale: kind("scale", "info", "M2.5 3.5h4v4.5h4v4.5h3", true),
    lr_phase: kind("scale", "info", "M2 12.5c3 0 3-9 6-9s3 9 6 9", true),
    overflow: kind("scale", "warn", "M2.2 3.5h11.6l-5.8 10z"),
    skip: kind("scale", "warn", "M2.5 8h2.5M11 8h2.5M5.5 13l2-10M8.5 13l2-10", true),
    nan_stop: kind("trouble", "bad", "M5.4 1.8h5.2l3.6 3.6v5.2l-3.6 3.6h-5.2l-3.6-3.6v-5.2zM5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8", true),
    norm_stop: kind("trouble", "bad", "M5.4 1.8h5.2l3.6 3.6v5.2l-3.6 3.6h-5.2l-3.6-3.6v-5.2zM4.8 8h6.4", true),
    error: kind("trouble", "bad", "M3.2 3.2l9.6 9.6M12.8 3.2l-9.6 9.6", true),
    traceback: kind("trouble", "bad", "M2.5 3.5h11M4.5 8h9M6.5 12.5h7", true),
    sdc: kind("trouble", "bad", "M8 1.5l6.5 6.5l-6.5 6.5l-6.5-6.5z"),
    norm_spike: kind("trouble", "warn", "M1.8 13h3.2l3-10l3 10h3.2", true),
    moe: kind("trouble", "info", "M3 8a1.6 1.6 0 1 1 0 .01zM7 4a1.6 1.6 0 1 1 0 .01zM10.5 9.5a1.6 1.6 0 1 1 0 .01z"),
  };
  const UNKNOWN = kind("trouble", "", "M8 4a4 4 0 1 1-.01 0z");

  // A checkpoint says by its shape whether it can be gone back to: ticked, crossed, or an empty square.
  const HEALTH = {
    healthy: { ...KINDS.checkpoint, tone: "good", path: "M1.8 1.8h12.4v12.4h-12.4zM4.6 8.2l2.4 2.4l4.4-5", line: true },
    unhealthy: { ...KINDS.checkpoint, tone: "bad", path: "M1.8 1.8h12.4v12.4h-12.4zM5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6", line: true },
    unknown: { ...KINDS.checkpoint, tone: "", path: "M2.5 2.5h11v11h-11z", line: true },
  };

  /** healthy, unhealthy or unknown, of a checkpoint; "" of anything else. Pure. */
  function health({ kind: name, detail }) {
    if (name !== "checkpoint") return "";
    return { healthy: "healthy", unhealthy: "unhealthy" }[detail?.health] ?? "unknown";
  }

  /** Lane, tone, path and line of an event. Pure. */
  const look = (event) => HEALTH[health(event)] ?? KINDS[event.kind] ?? UNKNOWN;

  const ORDER = new Map(Object.keys(KINDS).map((name, index) => [name, index]));
  const TONES = ["bad", "warn", "good", "info", ""];
  const weight = (event) => TONES.indexOf(look(event).tone) * 100 + (ORDER.get(event.kind) ?? 99);

  /** The event of several that matters most, which gives their mark its shape. Pure. */
  const heaviest = (events) => events.reduce((best, event) => (weight(event) < weight(best) ? event : best));

  const SVG = "http://www.w3.org/2000/svg";

  /** The drawing of a look, in the colour of the text around it. */
  function draw({ path, line }) {
    const svg = document.createElementNS(SVG, "svg");
    const drawn = document.createElementNS(SVG, "path");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.setAttribute("class", line ? "shape line" : "shape");
    svg.setAttribute("aria-hidden", "true");
    drawn.setAttribute("d", path);
    svg.append(drawn);
    return svg;
  }

  tidewatch.eventShapes = { LANES, KINDS, health, look, heaviest, draw };
})();
