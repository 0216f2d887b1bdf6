/* How a note looks and what is said of it in a line: where it stands, who wrote it; and which steps a new one is about. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key, values) => tidewatch.words.say(key, values);
  const count = (number) => tidewatch.numbers.count(number);
  const LOOK = { path: "M2.5 2.8h11v7.7h-5.2l-3.1 3v-3h-2.7z", line: true }; // a bubble of speech
  const LONGEST = 280; // characters of a note in a tip

  /** "step 520", "steps 400 to 460". */
  const place = ({ first, last }) => (first === last ? say("at_step", { step: count(first) }) : say("at_steps", { first: count(first), last: count(last) }));

  function short(text) {
    const plain = tidewatch.noteText.shown(text);
    return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain;
  }

  /** The lines of a tip: [class, text]; of several notes the first three. */
  function lines(notes) {
    const told = notes.slice(0, 3).flatMap((one) => [["tip-title", `${one.author} · ${place(one)}`], ["tip-note", short(one.text)]]);
    return notes.length > 3 ? [...told, ["tip-next", say("notes_more", { count: count(notes.length - 3) })]] : told;
  }

  /** What a mark is for those who do not see it. */
  function label(notes) {
    const [{ author, text, ...note }] = notes;
    const said = say("note_label", { author, place: place(note), text: short(text) });
    return notes.length > 1 ? `${say("notes_here", { count: count(notes.length) })} ${said}` : said;
  }

  /** The steps [first, last] that a new note is about: those of the crosshair, of the alert that is open, of the part of
   *  the run that is shown, or the newest; nothing while none is known. `shown` is null while the whole run is. */
  function proposed({ crosshair, alert, shown, newest }) {
    if (crosshair !== null) return [crosshair, crosshair];
    if (alert) return [alert.first_step, Math.max(alert.last_step, alert.raised_step)];
    if (shown) return [Math.max(0, Math.ceil(shown[0])), Math.max(0, Math.floor(Math.min(shown[1], newest)))].sort((one, other) => one - other);
    return Number.isFinite(newest) ? [newest, newest] : null;
  }

  /** A text of digits as a step; null for anything else. */
  const step = (text) => (/^\d{1,15}$/.test(text.replace(/[\s,]/g, "")) ? Number(text.replace(/[\s,]/g, "")) : null);

  tidewatch.noteWords = { LOOK, place, short, lines, label, proposed, step };
})();
