/* Lines of a log: what a line is a sign of, what is found in it, and its row. Text is text: never read as HTML. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const SIGNS = [
    // ValueError: There is nan in loss …   [ERROR] DEVICE(7,…)   - ERROR -   Traceback (most recent call last):
    ["error", "bad", /\bERROR\b|\bCRITICAL\b|Traceback \(most recent|^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt)\b|exits? with exception/],
    // loss: nan, …   global_norm: [inf]   -inf
    ["nan", "bad", /(?<![\w.])[-+]?(?:nan|inf|infinity)(?![\w.])/i],
    // overflow cond: True   Gradient overflow.  Skipping step   is_skip: [ True]
    ["overflow", "warn", /overflow(?: cond)?: *\[? *True|Gradient overflow|OVERFLOW!|overflow, still update/],
    ["skip", "warn", /is_skip: *\[ *True|SkipStepOnNaN/],
    // [WARNING] ME(…)   - WARNING -
    ["warning", "warn", /\bWARN(?:ING)?\b/],
  ];

  /** What a line is a sign of: {sign: error | nan | overflow | skip | warning, tone}, or null. Pure. */
  function sign(text) {
    const found = SIGNS.find(([, , pattern]) => pattern.test(text));
    return found ? { sign: found[0], tone: found[1] } : null;
  }

  /** The text in pieces, those that are `wanted` marked, in whatever case: [[piece, is found], …]. Pure. */
  function pieces(text, wanted) {
    if (!wanted) return [[text, false]];
    const [low, searched] = [text.toLowerCase(), wanted.toLowerCase()];
    if (low.length !== text.length) return [[text, false]]; // letters that change their length: places would not fit
    const found = [];
    let at = 0;
    for (let next = low.indexOf(searched); next >= 0; next = low.indexOf(searched, at)) {
      if (next > at) found.push([text.slice(at, next), false]);
      found.push([text.slice(next, next + searched.length), true]);
      at = next + searched.length;
    }
    return at < text.length ? [...found, [text.slice(at), false]] : found;
  }

  // Escape sequences of terminals, and what turns the order of words around, must be seen: a log may be anybody's text.
  const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

  /** A sign for what shows nothing by itself: ␛ for an escape, [U+202E] for an override of direction. */
  function spelled(character) {
    const code = character.codePointAt(0);
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "␡" : `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
  }

  /** The text with every unseen character spelled out. Pure. */
  const visible = (text) => text.replace(UNSEEN, spelled);

  // 2025-06-01 10:00:57,360 - mindformers/home/user/output/log[a/callback.py:382] - INFO -
  // [INFO] 2025-06-01 10:00:57,360 [a/callback.py:747] print_output_info:
  const PREFIX = /^(?:\d{4}-\d\d-\d\d [\d:,.]{8,15} - \S{1,300} - [A-Z]{4,8} - |\[[A-Z]{4,8}\] \d{4}-\d\d-\d\d [\d:,.]{8,15} \[[^\]]{1,200}\] \w{1,99}: )/;

  /** What the logger put before a line, and the line's own words. Pure. */
  function parts(text) {
    const prefix = text.match(PREFIX)?.[0] ?? "";
    return [prefix, text.slice(prefix.length)];
  }

  function span(name, className, text) {
    const element = document.createElement(name);
    element.className = className;
    element.textContent = text;
    return element;
  }

  /** The row of a line; `step` is the one that is looked at, `before` the step of the line above. */
  function row({ number, text, step, match }, { wanted, at, before }) {
    const row = document.createElement("li");
    const told = sign(text);
    const isHere = Number.isFinite(at) && step === at;
    row.className = `log-line${told ? ` tone-${told.tone}` : ""}${isHere ? " here" : ""}${match && wanted ? " match" : ""}`;
    if (isHere) row.setAttribute("aria-current", "true");
    const isNew = Number.isFinite(step) && step !== before;
    row.append(span("span", "log-number", Number.isFinite(number) ? tidewatch.numbers.count(number) : ""));
    row.append(span("span", "log-step", isNew ? tidewatch.numbers.count(step) : ""));
    const code = span("code", "log-text", "");
    if (told) code.append(span("b", "log-sign", tidewatch.words.say(`sign_${told.sign}`)), " ");
    const [prefix, words] = parts(text);
    if (prefix) code.append(marked(span("span", "log-prefix", ""), prefix, wanted));
    row.append(marked(code, words, wanted));
    return row;
  }

  function marked(element, text, wanted) {
    for (const [piece, found] of pieces(text, wanted)) element.append(found ? span("mark", "", visible(piece)) : visible(piece));
    return element;
  }

  /** As text, for the clipboard, which a terminal may be given. Pure. */
  const plain = (lines) => lines.map(({ text }) => visible(text)).join("\n");

  tidewatch.logLines = { sign, pieces, parts, row, plain, visible };
})();
