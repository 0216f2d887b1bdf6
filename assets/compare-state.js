/* The view of the compare page and its spelling in the address: /compare?runs=a,b&metric=loss&x=step&smooth=0.6. Pure. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const { text, oneOf, number, flag, names, stretch } = tidewatch.codec;
  const TAG = "tag:"; // before a tag as the files spell it; anything else is a canonical metric

  const FIELDS = {
    runs: names(),
    metric: text(), // "" = the usual panels
    x: oneOf("step", /^(step|relative|tokens)$/),
    smooth: number(0, 0, 0.999),
    log: flag(),
    hide: names(), // runs whose line is put away
    view: stretch(), // in units of x; null for the whole of it
    all: flag(), // every setting, not only those that differ
    setting: text(), // what is searched for among the settings
  };

  const decode = (query) => tidewatch.codec.decode(FIELDS, query);
  const encode = (state, query = "") => tidewatch.codec.encode(FIELDS, state, query);

  tidewatch.compareState = { TAG, decode, encode };
})();
