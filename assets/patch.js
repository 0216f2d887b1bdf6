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
    if (isKeyed(before) && isKeyed(after)) {
      patchKeyed(live, before, after);
      return;
    }
    const [lives, befores, afters] = [live, before, after].map((one) => [...one.childNodes]);
    afters.forEach((one, place) => (place < lives.length ? patch(lives[place], befores[place], one) : live.append(one.cloneNode(true))));
    lives.slice(afters.length).forEach((one) => one.remove());
  }

  /** Children that have keys (data-key) are those of the same key as before, wherever they stand now. */
  function patchKeyed(live, before, after) {
    const known = new Map([...before.children].map((one, place) => [one.dataset.key, [live.children[place], one]]));
    [...after.children].forEach((one, place) => {
      const [mine, old] = known.get(one.dataset.key) ?? [one.cloneNode(true), one];
      known.delete(one.dataset.key);
      patch(mine, old, one);
      if (live.children[place] !== mine) put(live, mine, live.children[place] ?? null);
    });
    for (const [mine] of known.values()) mine.remove();
  }

  /** A node that is moved keeps the keyboard where the browser can do that. */
  function put(parent, node, next) {
    if (node.isConnected && parent.moveBefore) parent.moveBefore(node, next);
    else parent.insertBefore(node, next);
  }

  const isKeyed = (node) => node.children.length > 0 && [...node.childNodes].every((one) => one.dataset?.key);

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
