/* Which number is which colour. Values: dark blue to yellow (cividis); deviations: blue, nothing, orange. Both are told apart
   by colour-blind readers, and by lightness alone. One huge cell does not decide on the scale: it is as wide as all but
   the farthest two of a hundred, and beyond it the last colour holds. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SHADES = 256;
  const SAMPLE = 6_000; // numbers that a scale is taken from
  const BEYOND = 0.01; // of them at each end lie outside
  const LEAST = 8; // deviations up to here are always on the scale
  const CALM = 0.12; // share of the colour that a middling deviation has at most
  const CHANCE = 4.5; // deviations that the farthest of many healthy cells is away by chance; what is beyond that is no chance
  const WIDE = 30; // how often the highest may hold the lowest before the scale is one of powers

  const STOPS = {
    value: ["#00224e", "#083370", "#35456c", "#4f576c", "#666970", "#7d7c78", "#948f78", "#aea371", "#c8b866", "#e5cf52", "#fee838"],
    light: ["#08306b", "#2268ad", "#7fb1dc", "#d3e3f1", "#f4f5f7", "#fbe0bf", "#f3a44c", "#cc5f08", "#7a2c02"],
    dark: ["#b5dcff", "#5ea8ee", "#2f6199", "#213851", "#1c232d", "#46331f", "#94591a", "#e8912e", "#ffdca6"],
  };

  const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

  /** Colours between stops as numbers that an ImageData's 32-bit view takes (little endian: ABGR). */
  function shades(stops) {
    const found = new Uint32Array(SHADES);
    const known = stops.map(channels);
    for (let k = 0; k < SHADES; k++) {
      const at = (k / (SHADES - 1)) * (known.length - 1);
      const [before, share] = [Math.min(known.length - 2, Math.floor(at)), at - Math.min(known.length - 2, Math.floor(at))];
      const [red, green, blue] = known[before].map((one, c) => Math.round(one + (known[before + 1][c] - one) * share));
      found[k] = packed([red, green, blue]);
    }
    return found;
  }

  const packed = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

  const paletteOf = (show, theme) => shades(show === "value" ? STOPS.value : STOPS[theme] ?? STOPS.light);

  /** At most SAMPLE finite numbers of many columns of numbers, evenly taken, rising. */
  function sample(columns) {
    const total = columns.reduce((sum, one) => sum + one.length, 0);
    const every = Math.max(1, Math.floor(total / SAMPLE));
    const found = [];
    let skipped = 0;
    for (const column of columns) {
      for (; skipped < column.length; skipped += every) if (Number.isFinite(column[skipped])) found.push(column[skipped]);
      skipped -= column.length;
    }
    return Float64Array.from(found).sort();
  }

  const quantile = (rising, share) => rising[Math.round((rising.length - 1) * share)];

  /** Share of the scale (0 to 1) that a deviation has: by powers, so that 3 and 300 are told apart, and squared at least, so that what
   *  is within the usual scatter is hardly coloured. Cells that show the farthest of several are away further by chance alone. */
  function ofDeviations(columns) {
    const sizes = sample(columns).map(Math.abs).sort();
    const usual = sizes.length ? Math.min(CHANCE, quantile(sizes, 0.5)) : 0;
    const far = Math.max(LEAST, 3 * usual, sizes.length ? quantile(sizes, 1 - BEYOND / 2) : LEAST);
    const top = Math.log1p(far);
    const power = usual ? Math.max(2, Math.log(CALM) / Math.log(Math.log1p(usual) / top)) : 2;
    const share = (z) => 0.5 + (Math.sign(z) * Math.min(1, Math.log1p(Math.abs(z)) / top) ** power) / 2;
    const marks = [-far, ...[-30, -10, -3, 0, 3, 10, 30].filter((one) => Math.abs(one) < far * 0.7), far];
    return { show: "deviation", low: -far, high: far, share, marks };
  }

  function ofValues(columns) {
    const rising = sample(columns);
    if (!rising.length) return { show: "value", low: 0, high: 1, share: () => 0.5, marks: [] };
    let [low, high] = [quantile(rising, BEYOND), quantile(rising, 1 - BEYOND)];
    if (!(high > low)) [low, high] = [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
    return low > 0 && high / low > WIDE ? byPowers(low, high) : evenly(low, high);
  }

  function evenly(low, high) {
    const share = (value) => Math.min(1, Math.max(0, (value - low) / (high - low)));
    return { show: "value", low, high, share, marks: [0, 0.25, 0.5, 0.75, 1].map((part) => low + (high - low) * part) };
  }

  function byPowers(low, high) {
    const [from, to] = [Math.log(low), Math.log(high)];
    const share = (value) => (value > 0 ? Math.min(1, Math.max(0, (Math.log(value) - from) / (to - from))) : 0);
    return { show: "value", low, high, share, isLog: true, marks: [0, 0.25, 0.5, 0.75, 1].map((part) => Math.exp(from + (to - from) * part)) };
  }

  /** The scale of some rows (ranksAnswer.line): {low, high, share(number), marks, index(number) → shade}. */
  function of(show, lines) {
    const found = show === "value" ? ofValues(lines.flatMap(({ low, mid, high }) => (low === high ? [mid] : [low, mid, high]))) : ofDeviations(lines.map(({ worst }) => worst));
    return { ...found, index: (number) => Math.round(found.share(number) * (SHADES - 1)) };
  }

  /** "#rrggbb" of a shade, for legends. */
  const css = (colours, k) => `#${[0, 8, 16].map((bits) => ((colours[k] >> bits) & 255).toString(16).padStart(2, "0")).join("")}`;

  tidewatch.ranksScale = { SHADES, STOPS, shades, packed, channels, paletteOf, of, css };
})();
