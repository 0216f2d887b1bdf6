/* From a drawn sheet to a file or the clipboard: sizes that every browser's canvas can hold, names that every disk takes. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const FINE = 2; // pixels of the picture a pixel of the sheet
  const SIDE = 16_384; // px of a canvas: Chrome has no more
  const AREA = 16_777_216; // px in all: Safari has no more
  const LONGEST = 120; // characters of a file's name
  const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i; // Windows opens these instead of a file
  const SOON = 60_000; // ms that an address of a saved file is kept

  /** Pixels of the picture a pixel of a sheet: two or as many as it asks for, fewer where a canvas could not hold them. Pure. */
  const scaleOf = ({ width, height, scale = FINE }) => Math.min(scale, SIDE / Math.max(width, height), Math.sqrt(AREA / (width * height)));

  /** A file's name of parts that may hold anything. Pure. */
  function nameOf(parts, ending) {
    const plain = parts.filter(Boolean).join(" ").normalize("NFC").replace(/[\\/:*?"<>|%#&\s]+/gu, " ").replace(/\p{C}/gu, "");
    const short = [...plain.trim()].slice(0, LONGEST).join("").replace(/^[\s.~-]+|[\s.]+$/gu, "");
    return `${short.replace(DEVICES, "_$1") || "picture"}.${ending}`;
  }

  const vector = ({ svg }) => new Blob([svg], { type: "image/svg+xml" });

  /** A blob with the PNG of a sheet {svg, width, height}. */
  async function pixels(sheet) {
    const address = URL.createObjectURL(vector(sheet));
    try {
      const image = new Image();
      image.src = address;
      await image.decode();
      return await painted(image, sheet);
    } finally {
      URL.revokeObjectURL(address);
    }
  }

  function painted(image, sheet) {
    const scale = scaleOf(sheet);
    const canvas = Object.assign(document.createElement("canvas"), { width: Math.floor(sheet.width * scale), height: Math.floor(sheet.height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no memory for the picture"))), "image/png"));
  }

  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), SOON);
  }

  const canCopy = () => Boolean(globalThis.ClipboardItem && navigator.clipboard?.write);

  /** Puts the PNG that is promised on the clipboard. It is asked for at once, since browsers allow it only right after a click. */
  const copy = (blob) => navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);

  tidewatch.pictureFile = { scaleOf, nameOf, vector, pixels, save, canCopy, copy };
})();
