/* The text of a note as it may be shown: plain, with its lines; characters that nobody sees are spelled
   (app/notes/plain.py does the same), and addresses of the web become links. Nothing else is interpreted. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  // as UNSEEN of app/notes/plain.py, where each is named
  const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
  // https://example.org/a?b=c, up to a blank, a quote or punctuation that no address has
  const ADDRESS = /https?:\/\/[^\s<>"'`⟨⟩，。；：！？、（）【】《》“”「」]+/giu;
  const BEHIND = /[.,;:!?]+$/; // ends the sentence, not the address
  const REL = "noopener noreferrer nofollow";

  /** "a\x1b[2J" → "a⟨U+001B⟩[2J". Pure. */
  const shown = (text) => text.replace(UNSEEN, (one) => `⟨U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

  /** The address without what ends the sentence or closes a bracket that was opened before it. Pure. */
  function trimmed(address) {
    const cut = address.replace(BEHIND, "");
    const isClosed = cut.endsWith(")") && cut.split("(").length < cut.split(")").length;
    return isClosed ? trimmed(cut.slice(0, -1)) : cut;
  }

  /** What a browser would open, "" for what it should not: another scheme, or a name and password before the host. Pure. */
  function target(address) {
    if (!URL.canParse(address)) return "";
    const { protocol, username, password, href } = new URL(address);
    return ["http:", "https:"].includes(protocol) && !username && !password ? href : "";
  }

  /** The text in pieces: [{text, href?}]. Pure. */
  function pieces(text) {
    const found = [];
    const plain = shown(text);
    let at = 0;
    for (const { 0: match, index } of plain.matchAll(ADDRESS)) {
      const address = trimmed(match);
      const href = target(address);
      if (!href) continue;
      if (index > at) found.push({ text: plain.slice(at, index) });
      found.push({ text: address, href });
      at = index + address.length;
    }
    if (at < plain.length) found.push({ text: plain.slice(at) });
    return found;
  }

  /** Nodes of text, and links of it. */
  const nodes = (text) => pieces(text).map(({ text: said, href }) => (href ? tidewatch.elements.make("a", { href, rel: REL, target: "_blank" }, said) : document.createTextNode(said)));

  tidewatch.noteText = { shown, pieces, nodes };
})();
