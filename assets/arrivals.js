/* What comes into the page and goes (renewal.js, and scripts that build parts of it). The curves' figure and the box under the pointer come and go with every
   drawing: whoever looks for parts of the page is not woken for these. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const DRAWN = ".curves"; // what curves.js fills holds no part of the page

  const isPart = (node) => node.nodeType === Node.ELEMENT_NODE && !(node instanceof SVGElement);

  function matters({ type, target, addedNodes, removedNodes }) {
    if (type === "attributes") return true;
    if (![...addedNodes, ...removedNodes].some(isPart)) return false; // a word was written, or a picture drawn
    return !target.closest?.(DRAWN);
  }

  /** Calls `look` once all scripts are there, and after elements came or went, or one of `attributes` became another,
   *  anywhere in the document. */
  function watch(look, attributes) {
    queueMicrotask(look); // the scripts it needs may stand behind this one in the same file
    new MutationObserver((records) => records.some(matters) && look()).observe(document.documentElement, {
      subtree: true, childList: true, attributes: true, attributeFilter: attributes,
    });
  }

  tidewatch.arrivals = { watch };
})();
