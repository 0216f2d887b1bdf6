/* The search for tags, beside the page: what takes too long is ended (tag-search.js), and nothing else stands still. */
importScripts("tags.js");

let list = [];

onmessage = ({ data }) => {
  if (data.list) {
    list = data.list;
    postMessage({ ready: true });
  } else {
    postMessage(globalThis.tidewatch.tags.search(list, data.asked));
  }
};
