/* Who looks at this page, as the server says (app/access): what may be offered, the word that whatever writes repeats, and
   what is done when a session ends while the page is open. First of all scripts, since each of them may ask. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const SEAL = "X-Tidewatch-Token"; // app/access/door.py reads it
  const READING = ["GET", "HEAD"];
  const plain = globalThis.fetch;
  let hasEnded = false;

  const told = (name) => document.getElementById("shell")?.dataset[name] ?? "";

  /** Whether what this reader says is kept. What writes is not offered to others, nor on a page that is frozen. */
  const mayWrite = () => told("role") !== "viewer" && !told("frozen");

  /** What the reader logged in as; "" where nobody asked. */
  const name = () => told("name");

  /** The headers of a question with the seal, where it writes and stays here. Pure. */
  function sealed({ method = "GET", headers } = {}, seal = "", isOurs = true) {
    if (!seal || !isOurs || READING.includes(method.toUpperCase())) return headers;
    const all = new Headers(headers);
    all.set(SEAL, seal);
    return all;
  }

  const where = (address) => new URL(address.url ?? address, location.href);

  const isOurs = (address) => where(address).origin === location.origin;

  /** Where to log in, and come back from there. */
  const door = () => tidewatch.address.of("login", { next: location.pathname + location.search });

  function say() {
    const { make } = tidewatch.elements;
    const [words, way] = ["access_ended", "access_log_in"].map((key) => tidewatch.words.say(key));
    const notice = make("div", { id: "ended", class: "banner ended", role: "alert" }, make("span", {}, words), make("a", { href: door() }, way));
    document.querySelector(".top")?.after(notice);
    document.addEventListener("click", (event) => event.target.closest?.("#ended a")?.setAttribute("href", door()), true); // where one is by then
  }

  /** Nothing more is asked: it would be refused, again and again. */
  function end() {
    if (hasEnded) return;
    hasEnded = true;
    say();
    document.dispatchEvent(new CustomEvent("tidewatch:ended"));
  }

  /** What the page's own scripts are told then; Dash, which knows nothing of sessions, hears that nothing is new. */
  function refusal(address) {
    if (where(address).pathname.endsWith("/_dash-update-component")) return new Response(null, { status: 204 });
    return Response.json({ error: tidewatch.words.say("access_ended") }, { status: 401 });
  }

  /** Every question of the page's scripts, Dash's too. */
  globalThis.fetch = async (address, options = {}) => {
    if (hasEnded) return refusal(address);
    const own = isOurs(address);
    const method = options.method ?? address.method;
    const headers = sealed({ method, headers: options.headers ?? address.headers }, told("seal"), own);
    const answer = await plain(address, headers === options.headers ? options : { ...options, headers });
    if (answer.status !== 401 || !own) return answer;
    end();
    return refusal(address);
  };

  async function leave(link) {
    const answer = await plain(link.href, { method: "POST", headers: { [SEAL]: told("seal") } }).catch(() => null);
    location.assign(answer?.ok ? tidewatch.address.of("login") : link.href); // the page there asks once more
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("#log-out");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    leave(link);
  });

  tidewatch.access = { mayWrite, name, sealed };
})();
