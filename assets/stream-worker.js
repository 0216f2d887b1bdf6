/* SharedWorker: one stream a run for the whole browser. HTTP/1.1 allows six connections a host, so that one
   stream a tab would stall the seventh tab. Not loaded as a page script (see assets_ignore in app/factory.py). */
importScripts("feed.js");

const MOST_STREAMS = 4; // leaves two of the six connections for pages and history
const MOST_POINTS = 20_000; // of one line
const SILENT_MS = 180_000; // a hidden tab's timers run once a minute; three missed signs mean that it is gone
const watched = new Map(); // url → { feed, ports: Map(port → time of its last sign of life) }
const hidden = new Map(); // port of a tab that nobody sees → what waits for it: a message of points, a reload, or null

function tellAll(entry, message) {
  for (const port of entry.ports.keys()) {
    if (message.kind === "points" && hidden.has(port)) hidden.set(port, together(hidden.get(port), message));
    else tell(port, message);
  }
}

/** Tells a tab, but first what has waited. */
function tell(port, message) {
  handOver(port);
  port.postMessage(message);
}

function handOver(port) {
  if (hidden.get(port)) port.postMessage(hidden.get(port));
  if (hidden.has(port)) hidden.set(port, null);
}

/** What waits for a tab, and a message of points with it; of more than a tab keeps (queue.js) a reload is left. */
function together(before, { id, points, events, alerts, notes }) {
  if (before?.kind === "reload") return { ...before, id };
  const held = before ?? { kind: "points", points: {}, events: 0, alerts: 0, notes: 0 };
  for (const [name, rows] of Object.entries(points)) (held.points[name] ??= []).push(...rows);
  const isLong = Object.values(held.points).some(({ length }) => length > MOST_POINTS);
  const counts = { events: held.events + (events ?? 0), alerts: held.alerts + (alerts ?? 0), notes: held.notes + (notes ?? 0) };
  return isLong ? { kind: "reload", id } : Object.assign(held, { id, ...counts });
}

function see(port, isSeen) {
  if (isSeen) handOver(port);
  if (isSeen) hidden.delete(port);
  else hidden.set(port, hidden.get(port) ?? null);
  for (const entry of watched.values()) if (entry.ports.has(port)) seeAny(entry);
}

/** A stream at whose tabs nobody looks rests. */
function seeAny({ feed, ports }) {
  feed.see([...ports.keys()].some((port) => !hidden.has(port)));
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
  seeAny(entry);
  if (entry.feed.state) port.postMessage({ kind: "state", state: entry.feed.state });
  if (entry.feed.position) port.postMessage({ kind: "ready", id: entry.feed.position });
}

function leave(port) {
  hidden.delete(port);
  for (const [url, entry] of watched) {
    entry.ports.delete(port);
    if (entry.ports.size) seeAny(entry);
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
    if (data.kind === "seen") see(port, data.isSeen);
  };
};
