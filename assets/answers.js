/* Questions to the server. What goes wrong is an Error whose message is a sentence in the reader's language: the server's
   own, or where it gave none, that it cannot be reached or did not answer as it should. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key, values) => tidewatch.words.say(key, values);

  /** The answer of `address`; rejects with an Error that has the `status` (0 where nothing answered), and with what the
   *  browser says where `signal` was aborted. `headers` say in what form it is wanted. */
  const ask = (address, signal = undefined, headers = undefined) => fetched(address, { signal, headers });

  async function fetched(address, sent) {
    const answer = await fetch(address, sent).catch((error) => {
      throw sent.signal?.aborted ? error : Object.assign(new Error(say("answer_none")), { status: 0 });
    });
    if (answer.ok) return answer;
    const told = await answer.json().catch(() => ({}));
    const failed = Object.assign(new Error(told.error ?? say("answer_bad", { status: answer.status })), { status: answer.status, told });
    tidewatch.frozen?.heard(failed);
    throw failed;
  }

  /** The same, as what its JSON says. */
  const json = async (address, signal = undefined) => (await ask(address, signal)).json();

  /** Sends something to be written, and gives what the answer's JSON says; the Error of a refusal has it as `told`. */
  async function send(address, method, body = undefined) {
    const sent = { method, headers: { "Content-Type": "application/json" }, body: body && JSON.stringify(body) };
    return (await fetched(address, sent)).json();
  }

  tidewatch.answers = { ask, json, send };
})();
