/* SharedWorker: one stream a run for the whole browser. HTTP/1.1 allows six connections a host, so that one
   stream a tab would stall the seventh tab. Not loaded as a page script (see assets_ignore in app/factory.py). */
importScripts("feed.js");

const MOST_STREAMS = 4; // leaves two of the six connections for pages and history
const SILENT_MS = 180_000; // a hidden tab's timers run once a minute; three missed signs mean that it is gone
const watched = new Map(); // url → { feed, ports: Map(port → time of its last sign of life) }

function tellAll(entry, message) {
  for (const port of entry.ports.keys()) port.postMessage(message);
}

function startWatching(url) {
  const entry = { ports: new Map(), feed: null };
  entry.feed = new tidewatch.Feed(url, (message) => tellAll(entry, message));
  watched.set(url, entry);
  return entry;
}

function watch(port, url) {
  if (!watched.has(url) && watched.size >= MOST_STREAMS) {
    port.postMessage({ kind: "state", state: "refused" });
    return;
  }
  const entry = watched.get(url) ?? startWatching(url);
  entry.ports.set(port, Date.now());
  if (entry.feed.state) port.postMessage({ kind: "state", state: entry.feed.state });
  if (entry.feed.position) port.postMessage({ kind: "ready", id: entry.feed.position });
}

function leave(port) {
  for (const [url, entry] of watched) {
    entry.ports.delete(port);
    if (entry.ports.size) continue;
    entry.feed.close();
    watched.delete(url);
  }
}

function noteAlive(port) {
  for (const entry of watched.values()) if (entry.ports.has(port)) entry.ports.set(port, Date.now());
}

function dropSilentTabs() {
  for (const entry of [...watched.values()]) {
    for (const [port, seen] of entry.ports) if (Date.now() - seen > SILENT_MS) leave(port);
  }
}

setInterval(dropSilentTabs, 30_000);

self.onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => {
    if (data.kind === "watch") watch(port, data.url);
    if (data.kind === "leave") leave(port);
    if (data.kind === "alive") noteAlive(port);
  };
};
