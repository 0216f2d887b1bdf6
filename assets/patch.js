/* Brings an element up to what the server says now, by changing only what the server says otherwise than before. What
   scripts and readers have done to it since stays: a time that counts on, a fold that was opened, the keyboard's place. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const isSame = (one, other) => one.nodeName === other.nodeName && (one.id ?? "") === (other.id ?? "");

  function patchAttributes(live, before, after) {
    for (const { name, value } of after.attributes) if (before.getAttribute(name) !== value) live.setAttribute(name, value);
    for (const { name } of before.attributes) if (!after.hasAttribute(name)) live.removeAttribute(name);
  }

  /** Child by child; a script that has added or taken some has made the element its own, so that it begins anew. */
  function patchChildren(live, before, after) {
    if (live.childNodes.length !== before.childNodes.length) {
      live.replaceChildren(...after.cloneNode(true).childNodes);
      return;
    }
    const [lives, befores, afters] = [live, before, after].map((one) => [...one.childNodes]);
    afters.forEach((one, place) => (place < lives.length ? patch(lives[place], befores[place], one) : live.append(one.cloneNode(true))));
    lives.slice(afters.length).forEach((one) => one.remove());
  }

  /** `live` is the node in the page, `before` as the server sent it, `after` as it sends it now. */
  function patch(live, before, after) {
    if (before.isEqualNode(after)) return;
    if (!isSame(before, after) || !isSame(live, before)) live.replaceWith(after.cloneNode(true));
    else if (before.nodeType !== Node.ELEMENT_NODE) live.nodeValue = after.nodeValue;
    else {
      patchAttributes(live, before, after);
      patchChildren(live, before, after);
    }
  }

  tidewatch.patch = patch;
})();
