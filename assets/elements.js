/* Elements with what is in them, made in one expression. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});

  const isSomething = (one) => one !== null && one !== undefined && one !== "" && one !== false;

  /** An element; `attributes` as they are spelled in HTML, true for one without a value, null for one that is left out. */
  function make(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) if (isSomething(value)) made.setAttribute(name, value === true ? "" : value);
    made.append(...children.flat().filter(isSomething));
    return made;
  }

  /** The same list of nodes in `parent`, in this order; those that stay where they are are not touched, so that the
   *  keyboard's place and what is scrolled stay. */
  function arrange(parent, nodes) {
    for (const one of [...parent.children]) if (!nodes.includes(one)) one.remove();
    nodes.forEach((one, place) => {
      const here = parent.children[place] ?? null;
      if (here === one) return;
      if (one.isConnected && parent.isConnected && parent.moveBefore) parent.moveBefore(one, here);
      else parent.insertBefore(one, here);
    });
  }

  tidewatch.elements = { make, arrange };
})();
