/* Save and copy pictures: the acts of the menu "Share" and of a panel's menu, on the pages of curves and of ranks. */
(() => {
  const tidewatch = (globalThis.tidewatch ??= {});
  const say = (key, values) => tidewatch.words.say(key, values);
  const tell = (text) => tidewatch.toast.say(text);

  const isReady = ({ page }) => (page === "ranks" ? tidewatch.ranksPicture.isDrawn() : tidewatch.picture.isDrawn());
  const sheetOf = ({ page, key = null }) => (page === "ranks" ? tidewatch.ranksPicture.sheetOf(tidewatch.ranks) : tidewatch.picture.sheetOf(tidewatch.curves, key));

  /** A picture that a canvas cannot hold twice as fine is less fine, which is told. */
  function tellScale(sheet) {
    const scale = tidewatch.pictureFile.scaleOf(sheet);
    if (scale < 2) tell(say("picture_smaller", { width: Math.floor(sheet.width * scale), height: Math.floor(sheet.height * scale) }));
  }

  async function savePng(place) {
    const sheet = await sheetOf(place);
    tidewatch.pictureFile.save(await tidewatch.pictureFile.pixels(sheet), tidewatch.pictureFile.nameOf(sheet.name, "png"));
    tellScale(sheet);
  }

  async function saveSvg(place) {
    const sheet = await sheetOf(place);
    tidewatch.pictureFile.save(tidewatch.pictureFile.vector(sheet), tidewatch.pictureFile.nameOf(sheet.name, "svg"));
  }

  async function copy(place) {
    if (!tidewatch.pictureFile.canCopy()) return tell(say("picture_no_clipboard"));
    const sheet = sheetOf(place);
    await tidewatch.pictureFile.copy(sheet.then(tidewatch.pictureFile.pixels));
    tell(say("picture_copied"));
    tellScale(await sheet);
    return undefined;
  }

  /** Whatever goes wrong is said: a browser may refuse its clipboard, or have no memory. */
  const told = (act) => (place) => act(place).catch((error) => tell(say("picture_failed", { reason: error.message })));

  const ACTS = { png: told(savePng), svg: told(saveSvg), "copy-picture": told(copy) };
  for (const [act, handler] of Object.entries(ACTS)) tidewatch.shareMenu.on(act, handler, { pages: ["run", "ranks"], frozen: true, when: isReady });

  /** What the menu of a panel asks for: a PNG of it. */
  tidewatch.pictureActs = { ofPanel: (key) => ACTS.png({ page: "run", key }) };
})();
