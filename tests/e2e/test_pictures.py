"""Pictures that a reader saves or copies, opened and looked at: curves, one panel, the map; and their pure parts."""

from __future__ import annotations

import io
import json
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import redis
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from app.factory import ASSETS
from app.words.browser import browser_words
from collector.wire import schema
from collector.wire.records import RunId
from tests.e2e.conftest import Watch
from tests.e2e.test_snapshots import freeze
from tests.support.curves import ask, until
from tests.support.seed import Seed, straight

STEPS = 400
MANY = 30  # panels that an address may add
ODD = RunId("训练 a&b")
NAME = 'gpt <img src=x onerror="alert(1)"> & 训练'
TAG = "<svg onload=1>/損失"
SVG = "{http://www.w3.org/2000/svg}"
PURE = ("numbers", "words", "clock", "ticks", "axis", "picture-file", "picture-sheet", "picture-words")


def fill(client: redis.Redis) -> None:
    """A run with two attempts, NaN and infinity, evaluations, a tag of an odd name, and sixteen ranks of which two are
    odd; its name is odd, too."""
    run = Seed(client, run=ODD)
    client.hset(schema.run(ODD), "name", NAME)
    run.points(straight(range(1, 300)), live=False)
    second = [(step, 1_000_500.0 + step, second_loss(step)) for step in range(200, STEPS + 1)]
    run.points(second, generation=1, reason="start_announced", live=False)
    run.points([(step, 1_000_500.0 + step, 9.0) for step in range(50, STEPS, 50)], metric="eval_loss", live=False)
    for metric in ("lr", "grad_norm", "throughput"):
        run.points([(step, 1_000_000.0 + step, 2.0 + step % 7) for step in range(1, STEPS)], metric=metric, live=False)
    run.points(straight(range(1, STEPS)), metric=None, tag=TAG, file="tb", source="tensorboard", live=False)
    for rank in range(16):
        file = f"tensorboard/rank_{rank}/events.out.tfevents.1.node-{rank // 8}"
        values = [(step, 1_000_000.0 + step, own_loss(rank, step)) for step in range(1, 101)]
        run.points(values, metric="local_loss", file=file, rank=rank, source="tensorboard", live=False)
    for number in range(MANY):
        run.points(straight(range(1, 40)), metric=None, tag=f"t{number}", file="many", source="tensorboard", live=False)
    run.announce([], total=STEPS)


def second_loss(step: int) -> float:
    if 320 <= step < 330:
        return math.nan
    return math.inf if step == 350 else 10 - step / 1000


def own_loss(rank: int, step: int) -> float:
    if rank == 11 and step > 60:
        return math.nan
    return 2.0 + (rank * 7 + step * 3) % 11 / 1000 + (3.0 if rank == 5 and step > 50 else 0.0)


@pytest.fixture(scope="module")
def opened(watching: Watch) -> Page:
    watching.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return watching.page()


@pytest.fixture
def page(opened: Page, served: str) -> Page:
    go(opened, served, "?smooth=0.6")
    return opened


def go(page: Page, served: str, query: str = "") -> None:
    page.goto(f"{served}run/{ODD.replace(' ', '%20').replace('&', '%26')}{query}")
    until(page, f"tidewatch.curves?.newest === {STEPS} && tidewatch.picture.isDrawn()")


def saved(page: Page, act: str) -> tuple[str, bytes]:
    """What an act of the menu "Share" saves: the file's name and content."""
    page.locator("#share").click()
    with page.expect_download() as waited:
        page.locator(f"#share-menu [data-act={act}]").click()
    return waited.value.suggested_filename, Path(waited.value.path()).read_bytes()


def image_of(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def strokes(image: Image.Image, colour: str, box: Sequence[float]) -> int:
    """Pixels of about a colour in a part of a picture."""
    wanted = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)])
    part = np.asarray(image.crop(tuple(round(one) for one in box))).astype(int)  # type: ignore[arg-type]
    return int((np.abs(part - wanted).max(axis=2) < 24).sum())


def texts(svg: bytes) -> list[str]:
    """Everything that is written in a picture."""
    return ["".join(one.itertext()) for one in ET.fromstring(svg).iter(f"{SVG}text")]


def colours(page: Page, *names: str) -> list[str]:
    found: list[str] = ask(page, f"{json.dumps(names)}.map(tidewatch.theme.colour)")
    return found


# ---- the figure ----


def test_the_png_is_twice_as_fine_and_has_every_curve_in_its_panel(page: Page) -> None:
    name, png = saved(page, "png")
    image = image_of(png)
    assert name.endswith(" 1-400.png")
    assert not re.search(r'[<>:"/\\|?*]', name)
    places = ask(page, "tidewatch.curves.scene.base.places.map(({top, height}) => [top, height])")
    keys = ask(page, "tidewatch.curves.scene.panels.map(one => one.key)")
    assert image.width == 2400
    assert image.height == 2 * page.evaluate("async () => (await tidewatch.picture.sheetOf(tidewatch.curves)).height")
    assert len(image.getcolors(image.width * image.height) or []) > 100
    inks = colours(page, "--curve-loss", "--curve-lr", "--curve-grad", "--curve-speed")
    wanted = dict(zip(("loss", "lr", "grad_norm", "throughput"), inks, strict=True))
    for key, (top, height) in zip(keys, places, strict=True):
        box = (120, 2 * (62 + top + 30), 2380, 2 * (62 + top + 30 + height))
        found = {one: strokes(image, colour, box) for one, colour in wanted.items()}
        if key in wanted:
            assert found[key] > 500, key
        assert all(count < 60 for one, count in found.items() if one != key), (key, found)


def test_the_svg_says_what_is_seen(page: Page) -> None:
    name, svg = saved(page, "svg")
    root = ET.fromstring(svg)
    assert name.endswith(".svg")
    assert (root.tag, root.get("width")) == (f"{SVG}svg", "1200")
    said = texts(svg)
    assert NAME in said
    assert any("steps 1 to 400" in one and "smoothing 0.6" in one for one in said)
    assert any(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC[+−]\d+(:\d\d)?", one) for one in said)
    for wanted in ("Loss", "Learning rate", "Gradient norm", "Throughput", "step", "samples/s/NPU"):
        assert wanted in said
    for line in ("loss", "loss, smoothed 0.6", "eval loss", "earlier attempts", "NaN", "±Inf"):
        assert line in said
    assert "gradient norm, smoothed 0.6" in said
    assert NAME in (root.findtext(f"{SVG}title") or "")
    assert not [one for one in root.iter() if one.tag.split("}")[-1] in ("script", "foreignObject", "img")]
    assert len(root.findall(f".//{SVG}path")) > 8


def test_without_smoothing_and_by_another_axis_the_picture_says_so(opened: Page, served: str) -> None:
    go(opened, served, "?x=wall&attempts=all")
    said = texts(saved(opened, "svg")[1])
    zone = next(one for one in said if one.startswith("wall clock ("))
    assert re.fullmatch(r"wall clock \(UTC[+−]\d+(:\d\d)?\)", zone)
    facts = next(one for one in said if "steps " in one)
    assert "all attempts" in facts
    assert "smoothing" not in facts
    assert zone in facts


def test_a_picture_is_in_the_readers_language_and_theme(watching: Watch, served: str) -> None:
    tab = watching.page()  # which keeps its language
    tab.emulate_media(color_scheme="dark")
    go(tab, served, "?lang=zh")
    _, svg = saved(tab, "svg")
    said = texts(svg)
    assert {"损失", "学习率", "梯度范数", "步"} <= set(said)
    assert any(one.startswith("第 1 至 400 步") for one in said)
    image = image_of(saved(tab, "png")[1])
    ground = ask(tab, "tidewatch.theme.colour('--card')")
    assert strokes(image, ground, (0, 0, 20, 20)) == 400
    tab.close()


def test_one_panel_is_a_picture_of_its_own(page: Page) -> None:
    head = page.locator(".panel-head").filter(has=page.get_by_role("heading", name="Gradient norm"))
    head.locator("[data-act=menu]").click()
    with page.expect_download() as waited:
        page.locator(".panel-menu [data-act=picture]").click()
    image = image_of(Path(waited.value.path()).read_bytes())
    assert "Gradient norm" in waited.value.suggested_filename
    assert image.width == 2400
    assert image.height > 900
    grad, loss = colours(page, "--curve-grad", "--curve-loss")
    assert strokes(image, grad, (120, 200, 2380, image.height - 100)) > 3_000
    assert strokes(image, loss, (0, 0, image.width, image.height)) == 0


def test_a_tag_of_an_odd_name_is_text_and_nothing_else(opened: Page, served: str) -> None:
    go(opened, served)
    opened.evaluate("tag => tidewatch.state.set({panels: [tag]})", TAG)
    until(opened, "tidewatch.curves.scene.panels.length === 6 && !tidewatch.curves.loading")
    _, svg = saved(opened, "svg")
    assert TAG in texts(svg)
    assert b"<svg onload" not in svg


def test_a_figure_that_a_canvas_cannot_hold_is_less_fine_and_says_so(opened: Page, served: str) -> None:
    go(opened, served)
    opened.evaluate(f"() => tidewatch.state.set({{panels: Array.from({{length: {MANY}}}, (_, n) => `t${{n}}`)}})")
    until(opened, f"tidewatch.curves.scene.panels.length === {MANY + 5} && !tidewatch.curves.loading")
    image = image_of(saved(opened, "png")[1])
    assert image.width * image.height <= 16_777_216
    assert 1200 < image.width < 2400
    expect(opened.locator(".toast")).to_contain_text(f"{image.width} × {image.height} pixels")


def test_alerts_that_stand_over_the_curves_are_in_the_picture(page: Page) -> None:
    page.evaluate(
        """() => {
            const mark = document.createElement('button');
            Object.assign(mark, {className: 'alert-mark tone-bad', title: 'Loss <spike>, step 120'});
            mark.dataset.alertMark = 'a';
            Object.assign(mark.style, {left: '400px', top: '30px'});
            document.querySelector('.figure').append(mark);
        }"""
    )
    said = texts(saved(page, "svg")[1])
    assert any("Loss <spike>, step 120" in one for one in said)
    assert "1" in said


def test_notes_are_in_the_picture(page: Page, served: str) -> None:
    told = {"first": 120, "last": 180, "text": "Data <b>mix</b> & 配比", "author": "shift"}
    address = f"/api/runs/{ODD.replace(' ', '%20').replace('&', '%26')}/notes"
    headers = {"Content-Type": "application/json"}
    asked = {"method": "POST", "headers": headers, "body": json.dumps(told)}
    note = page.evaluate("async ([address, asked]) => (await fetch(address, asked)).json()", [address, asked])
    go(page, served)
    until(page, "tidewatch.notes?.notes?.length === 1")
    said = [one for one in texts(saved(page, "svg")[1]) if "Data <b>mix</b> & 配比" in one]
    assert len(said) == 1
    assert "shift" in said[0]
    page.evaluate("async address => (await fetch(address, {method: 'DELETE'})).status", f"{address}/{note['id']}")


def test_the_picture_of_a_snapshot_says_of_when_it_is(page: Page, watching: Watch) -> None:
    tab = watching.page()
    tab.goto(freeze(page))
    until(tab, f"tidewatch.curves?.newest === {STEPS} && tidewatch.picture.isDrawn()")
    facts = next(one for one in texts(saved(tab, "svg")[1]) if "steps 1 to 400" in one)
    assert re.search(r"as of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", facts)
    assert image_of(saved(tab, "png")[1]).width == 2400
    tab.close()


def test_a_picture_is_copied_and_read_back(page: Page) -> None:
    page.bring_to_front()
    page.locator("#share").click()
    page.locator("#share-menu [data-act=copy-picture]").click()
    read = """(async () => {
        const blob = await (await navigator.clipboard.read())[0].getType('image/png');
        return [...new Uint8Array(await blob.arrayBuffer())];
    })()"""
    until(page, "document.querySelector('.toast')?.textContent.includes('copied')")
    image = image_of(bytes(page.evaluate(read)))
    assert image.width == 2400
    assert len(image.getcolors(image.width * image.height) or []) > 100


def test_a_browser_that_cannot_copy_says_so(page: Page) -> None:
    page.evaluate("() => { delete globalThis.ClipboardItem }")
    page.locator("#share").click()
    page.locator("#share-menu [data-act=copy-picture]").click()
    expect(page.locator(".toast")).to_contain_text("Save it instead")


# ---- the map ----


def test_the_map_is_a_picture_with_a_row_a_rank(opened: Page, served: str) -> None:
    opened.goto(f"{served}run/{ODD.replace(' ', '%20').replace('&', '%26')}/ranks?by=none")
    until(opened, "tidewatch.ranksPicture?.isDrawn() && tidewatch.ranks.rows.length === 16")
    until(opened, "tidewatch.ranks.rows.some(row => row.odd)")
    _, svg = saved(opened, "svg")
    said = texts(svg)
    assert any(one.startswith("Rank 5 · ") for one in said)
    assert any(one.startswith("Rank 11 · ") for one in said)
    assert {"Rank 0", "Rank 15", "step", "NaN", "Local loss"} <= set(said)
    assert any("steps 1 to 100" in one and "16 rows" in one and "2 odd" in one for one in said)
    name, png = saved(opened, "png")
    image = image_of(png)
    assert "Local loss" in name
    assert image.width == 2400
    row = ask(opened, "new tidewatch.ranksPicture.WholeMap(16).row")
    hot = ask(opened, "tidewatch.ranksScale.css(tidewatch.ranks.look.palette, 255)")
    inside = (1700, 2 * (84 + 5 * row) + 6, 2300, 2 * (84 + 6 * row) - 6)
    assert strokes(image, hot, inside) > 0.8 * (inside[2] - inside[0]) * (inside[3] - inside[1])
    above = (1700, 2 * (84 + 4 * row) + 6, 2300, 2 * (84 + 5 * row) - 6)
    assert strokes(image, hot, above) == 0


def test_a_row_of_ten_thousand_ranks_stays_a_row(opened: Page) -> None:
    ask(opened, "(globalThis.wide = new tidewatch.ranksPicture.WholeMap(10240), 1)")
    assert ask(opened, "[wide.row, wide.scale]") == [1, 1]
    assert ask(opened, "(map => [map.row, map.scale])(new tidewatch.ranksPicture.WholeMap(1280))") == [1, 2]


# ---- pure parts ----


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Page:
    page = browser.new_page()
    page.set_content("<html lang='en'><div id='shell' data-language='en'></div></html>")
    page.evaluate("words => { document.getElementById('shell').dataset.words = words }", json.dumps(browser_words()))
    for name in PURE:
        page.add_script_tag(path=ASSETS / f"{name}.js")
    return page


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (["gpt", "Loss", "1-400"], "gpt Loss 1-400.png"),
        (["../../etc/passwd"], "etc passwd.png"),
        (['a:b#c?d%e"f*g|h<i>j\\k'], "a b c d e f g h i j k.png"),
        (["训练", "损失"], "训练 损失.png"),
        (["\u202egnp.exe\r\nSet-Cookie: x"], "gnp.exe Set-Cookie x.png"),
        (["con"], "_con.png"),
        (["...", "~"], "picture.png"),
        ([""], "picture.png"),
        (["x" * 500], "x" * 120 + ".png"),
    ],
)
def test_a_files_name_is_one_that_every_disk_takes(scripts: Page, parts: list[str], name: str) -> None:
    assert ask(scripts, f"tidewatch.pictureFile.nameOf({json.dumps(parts)}, 'png')") == name


@pytest.mark.parametrize(
    ("size", "scale"),
    [((1200, 700), 2), ((1200, 3494), 2), ((1200, 7000), 1.413), ((1200, 12000), 1.079), ((100, 20000), 0.819)],
)
def test_a_picture_is_as_fine_as_a_canvas_can_hold(scripts: Page, size: tuple[int, int], scale: float) -> None:
    found = ask(scripts, f"tidewatch.pictureFile.scaleOf({{width: {size[0]}, height: {size[1]}}})")
    assert found == pytest.approx(scale, abs=0.001)
    assert max(size) * found <= 16_384
    assert size[0] * size[1] * found * found <= 16_777_217


def test_a_sheet_escapes_what_it_is_told(scripts: Page) -> None:
    odd = "]]><script>alert(1)</script>&amp;\u0000\u000b\ufffe\ud800"
    svg = ask(
        scripts,
        f"""((sheet, odd) => {{ sheet.text(0, 0, odd); sheet.name(odd, 'x'); return sheet.done().svg }})
        (new tidewatch.pictureSheet.Sheet(300, 100, {{colours: {{ground: '#fff', ink2: '#000'}}, font: 'serif'}}),
        {json.dumps(odd)})""",
    )
    assert texts(svg.encode())[0].startswith("]]><script>alert(1)</script>&amp;")


def test_the_steps_told_are_those_that_there_are(scripts: Page) -> None:
    def told(shown: str, there: str) -> object:
        return ask(scripts, f"tidewatch.pictureWords.steps(tidewatch.axis.make('step', {{}}), {shown}, {there})")

    assert told("[0, 416]", "[1, 400]") == [1, 400]
    assert told("[100.4, 200.6]", "[1, 400]") == [100, 201]
    assert told("[500, 600]", "[1, 400]") is None
    assert told("[0, 1]", "[Infinity, -Infinity]") is None


def test_zones_are_spelled_with_their_sign(scripts: Page) -> None:
    zones = ask(scripts, "[-480, 0, 300, -330].map(tidewatch.pictureWords.zoneOf)")
    assert zones == ["UTC+8", "UTC+0", "UTC−5", "UTC+5:30"]
