"""The pure parts of assets/, one by one, in the browser that runs them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from app.figures import numbers
from app.language import LANGUAGES, speaking
from tests.e2e.conftest import knowing
from tests.support.curves import ask

PURE = (
    "codec",
    "numbers",
    "state",
    "words",
    "address",
    "language",
    "answers",
    "smoothing",
    "columns",
    "series",
    "axis",
    "ticks",
    "clip",
    "marks",
    "gap",
    "readings",
    "pace",
    "tail",
    "queue",
    "history",
    "held",
    "layout",
    "lines",
    "under",
    "figure",
    "view",
    "wheel",
    "drag",
    "figure-keys",
    "stream",
    "liveness",
    "arrivals",
    "clock",
)


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Page:
    """A blank page that knows the pure scripts."""
    return knowing(browser, PURE)


@pytest.mark.parametrize("value", [0, 2.0, 1.97634, 0.00012345, 12345.6, -0.5, 1e12, 123.456])
def test_script_and_server_write_a_value_alike(scripts: Page, value: float) -> None:
    assert ask(scripts, f"tidewatch.numbers.value({value})") == numbers.value(value)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seconds", [0.5, 3, 12, 99.6, 120, 1560, 7200, 7500, 172_800, 356_400])
def test_script_and_server_write_a_duration_alike(scripts: Page, seconds: float, language: str) -> None:
    with speaking(language):
        assert ask(scripts, f"tidewatch.numbers.duration({seconds}, '{language}')") == numbers.duration(seconds)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "number", [0, 0.5, 123.4, 9994, 9999, 476_000, 999_999, 1e6, 12_345_678, -2.5e8, 7e11, 3e15, 8e22]
)
def test_script_and_server_write_a_count_alike(scripts: Page, number: float, language: str) -> None:
    with speaking(language):
        assert ask(scripts, f"tidewatch.numbers.compact({number}, {{language: '{language}'}})") == numbers.compact(
            number
        )


def test_the_page_says_which_language_the_scripts_speak(scripts: Page) -> None:
    shown = """(shell => {
      const before = tidewatch.words.language();
      Object.assign(shell, {id: "shell"}).dataset.language = "zh-Hans";
      document.body.append(shell);
      const { numbers, words } = tidewatch;
      const said = [before, words.language(), numbers.duration(3900), numbers.compact(476e3)];
      shell.remove();
      return said;
    })(document.createElement("div"))"""
    assert ask(scripts, shown) == ["en", "zh", "65 分钟", "47.6 万"]


def test_a_link_names_a_language_and_keeps_the_rest(scripts: Page) -> None:
    named = "['?lang=zh', '?x=wall&lang=EN-gb', '?lang=fr', '?lang=english', ''].map(q => tidewatch.language.named(q))"
    assert ask(scripts, named) == ["zh", "en", "", "", ""]
    renamed = "['?hide=a,b&lang=zh', '?hide=a,b'].map(q => tidewatch.language.renamed(q, 'en'))"
    assert ask(scripts, renamed) == ["?hide=a,b&lang=en", "?hide=a,b"]
    spoken = "[['?a=1', '?lang=zh'], ['', '?lang=zh'], ['?a=1', '']].map(([q, b]) => tidewatch.address.spoken(q, b))"
    assert ask(scripts, spoken) == ["?a=1&lang=zh", "?lang=zh", "?a=1"]


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [(503, '{"error": "没有响应"}', "没有响应"), (502, "<html>", "answer_bad"), (0, "", "answer_none"), (200, "7", 7)],
)
def test_what_goes_wrong_with_a_question_is_a_sentence(scripts: Page, status: int, body: str, said: object) -> None:
    def reply(route: Route) -> None:
        if not status:
            return route.abort()
        return route.fulfill(status=status, body=body, headers={"Access-Control-Allow-Origin": "*"})

    scripts.route("http://tidewatch.test/asked", reply)
    asked = "tidewatch.answers.json('http://tidewatch.test/asked').catch(({message, status}) => [message, status])"
    assert scripts.evaluate(asked) == (said if status == 200 else [said, status])
    scripts.unroute("http://tidewatch.test/asked")


def test_no_blank_is_left_between_two_chinese_characters(scripts: Page) -> None:
    filled = "['{age} 前', '{age} ago'].map(one => tidewatch.words.filled(one, {age: '%s'}))"
    assert ask(scripts, filled % "12 秒") == ["12 秒前", "12 秒 ago"]
    assert ask(scripts, filled % "418 ms") == ["418 ms 前", "418 ms ago"]


def average(page: Page, weight: float, values: str, log: str = "false") -> list[Any]:
    made = f"(a => {values}.map(v => a.next(v)))(new tidewatch.smoothing.Average({weight}, {log}))"
    found: list[Any] = ask(page, made)
    return found


def test_the_average_is_not_pulled_to_zero_at_the_start(scripts: Page) -> None:
    assert average(scripts, 0.9, "[5, 5, 5]") == pytest.approx([5, 5, 5])


def test_the_average_is_the_debiased_one(scripts: Page) -> None:
    assert average(scripts, 0.5, "[1, 2, 3]") == pytest.approx([1, 5 / 3, 17 / 7])


def test_a_gap_stays_a_gap_and_does_not_poison_the_average(scripts: Page) -> None:
    assert average(scripts, 0.5, "[4, NaN, null, Infinity, 4]") == [4, None, None, None, 4]


def test_on_a_logarithmic_axis_the_average_is_the_geometric_one(scripts: Page) -> None:
    assert average(scripts, 0.5, "[1, 100, 0, -1]", log="true") == pytest.approx([1, 10 ** (4 / 3), None, None])


PACKED = """((meta, blocks) => {
      const text = new TextEncoder().encode(JSON.stringify(meta));
      const up = (at) => Math.ceil(at / 8) * 8;
      const size = blocks.reduce((at, {steps}) => up(at + 29 * steps.length), up(4 + text.length));
      const buffer = new ArrayBuffer(size);
      new DataView(buffer).setUint32(0, text.length, true);
      new Uint8Array(buffer).set(text, 4);
      let at = up(4 + text.length);
      for (const {steps, walls, values, attempts, sources} of blocks) {
        const n = steps.length;
        new Float64Array(buffer, at, 3 * n).set([...steps, ...walls, ...values]);
        new Int32Array(buffer, at + 24 * n, n).set(attempts);
        new Uint8Array(buffer, at + 28 * n, n).set(sources);
        at = up(at + 29 * n);
      }
      return buffer;
    })"""
META = "{curves: [{name: 'loss 损', n: 1}, {name: 'lr', n: 3}, {name: 'none', n: 0}], ghosts: [{name: 'loss', n: 2}]}"
BLOCKS = """[{steps: [7], walls: [NaN], values: [0.25], attempts: [2], sources: [0]},
  {steps: [1, 2, 3], walls: [4, 5, 6], values: [Infinity, 0, -1], attempts: [1, 1, 2], sources: [0, 1, 2]},
  {steps: [], walls: [], values: [], attempts: [], sources: []},
  {steps: [8, 9], walls: [1, 2], values: [3, 4], attempts: [1, 1], sources: [2, 2]}]"""


def test_columns_are_read_as_the_server_packs_them(scripts: Page) -> None:
    read = f"""(({{curves: [a, b, c], ghosts: [g]}}) => [
        [...a.steps], [...a.walls].map(String), [...a.values], [...b.walls], [...b.values].map(String), [...b.attempts],
        [...b.sources], c.steps.length, [...g.values], a.name, b.steps instanceof Float64Array,
      ])(tidewatch.columns.decode({PACKED}({META}, {BLOCKS})))"""
    assert ask(scripts, read) == [
        [7], ["NaN"], [0.25], [4, 5, 6], ["Infinity", "0", "-1"], [1, 1, 2], [0, 1, 2], 0, [3, 4], "loss 损", True,
    ]  # fmt: skip


def test_one_question_names_metrics_and_tags(scripts: Page) -> None:
    asked = "tidewatch.columns.question(['tag:r3:a b', 'loss', 'tag:x&y'], {points: 9, start: null, end: 4})"
    assert ask(scripts, asked) == "metric=loss&tag=r3%3Aa+b&tag=x%26y&points=9&end=4"


def series(points: str, **meta: object) -> str:
    """A Series of [[step, value], …], a second apart, out of one attempt unless a point says another one."""
    columns = (
        f"(p => ({{steps: Float64Array.from(p, r => r[0]), walls: Float64Array.from(p, r => 1000 + r[0]),"
        f" values: Float64Array.from(p, r => r[1]), attempts: Int32Array.from(p, r => r[2] ?? 1),"
        f" sources: Uint8Array.from(p, () => 2), ...{json.dumps(meta)}}}))({points})"
    )
    return f"new tidewatch.Series({columns})"


def test_a_series_takes_only_what_is_newer(scripts: Page) -> None:
    taken = (
        f"(s => [s.append([[2, 0, 1, 'log'], [3, 7, 'Infinity', 'log'], [3, 7, 4, 'log'], [4, null, 2, 'log']]),"
        f" [...s.steps], [...s.walls].map(String), s.total, s.nan, s.inf, [...s.attempts], s.last])"
        f"({series('[[1, 5], [2, NaN]]', total=9, nan=1, inf=0)})"
    )
    assert ask(scripts, taken) == [
        2, [1, 2, 3, 4], ["1001", "1002", "7", "NaN"], 11, 1, 1, [1, 1, 1, 1], 2,
    ]  # fmt: skip


def test_stretches_go_on_where_the_server_left_them(scripts: Page) -> None:
    spans = [["nan", 1, 2, 1001, 1002]]
    told = (
        f"(s => (s.append([[3, 3, 'NaN', 'log'], [4, 4, 1, 'log'], [5, 5, 'NaN', 'log'], [6, 6, 'Infinity', 'log'],"
        f" [7, 7, '-Infinity', 'log']]), s.spans.map(one => one.slice(0, 3))))"
        f"({series('[[1, NaN], [2, NaN]]', spans=spans)})"
    )
    assert ask(scripts, told) == [["nan", 1, 3], ["nan", 5, 5], ["up", 6, 6], ["down", 7, 7]]


def test_a_window_that_slides_keeps_one_point_before_its_edge(scripts: Page) -> None:
    held = series("[[1, NaN], [2, 1], [3, 1], [5, 1]]", nan=1, total=4, spans=[["nan", 1, 1, 0, 0]])
    trimmed = f"(s => (s.trim(4), [[...s.steps], s.nan, s.spans, s.total]))({held})"
    assert ask(scripts, trimmed) == [[3, 5], 0, [], 2]


def test_attempts_are_told_apart(scripts: Page) -> None:
    parts = f"(([a, b]) => [[...a.steps], [...b.steps]])({series('[[1, 0, 1], [5, 0, 1], [3, 0, 2]]')}.split(2))"
    assert ask(scripts, parts) == [[3], [1, 5]]


KNOWN = "{began: 1000, samplesPerStep: 8, tokensPerStep: 80, clock: {steps: [0, 10, 20], walls: [1000, 1010, 1110]}}"


@pytest.mark.parametrize(
    ("kind", "x"),
    [("step", 15), ("samples", 120), ("tokens", 1200), ("relative", 60), ("wall", 1060)],
)
def test_a_step_has_its_place_on_every_axis_and_back(scripts: Page, kind: str, x: float) -> None:
    assert ask(scripts, f"(a => [a.at(15), a.step(a.at(15))])(tidewatch.axis.make('{kind}', {KNOWN}))") == [x, 15]


def test_samples_are_counted_where_the_run_counts_them(scripts: Page) -> None:
    known = "{samplesPerStep: 8, tokensPerStep: 80, consumed: {steps: [0, 10, 20], values: [0, 40, 200]}}"
    assert ask(scripts, f"['samples', 'tokens'].map(k => tidewatch.axis.make(k, {known}).at(15))") == [120, 1200]
    alone = "{consumed: {steps: [0, 10], values: [5, 25]}}"
    assert ask(scripts, f"tidewatch.axis.make('samples', {alone}).at(5)") == 15
    assert ask(scripts, f"tidewatch.axis.lacking('tokens', {alone})") == "x_lacks_length"


def test_a_point_without_a_clock_has_no_place_in_time(scripts: Page) -> None:
    assert ask(scripts, f"tidewatch.axis.make('wall', {KNOWN}).x(15, NaN)") is None
    assert ask(scripts, f"tidewatch.axis.make('relative', {KNOWN}).x(15, 1070)") == 70


@pytest.mark.parametrize(
    ("kind", "lacks"),
    [("step", ""), ("samples", "x_lacks_batch"), ("tokens", "x_lacks_length"), ("wall", "x_lacks_clock")],
)
def test_an_axis_that_cannot_be_had_says_why_and_is_one_of_steps(scripts: Page, kind: str, lacks: str) -> None:
    assert ask(scripts, f"tidewatch.axis.lacking('{kind}', {{}})") == lacks
    assert ask(scripts, f"tidewatch.axis.make('{kind}', {{}}).kind") == "step"


@pytest.mark.parametrize(
    ("start", "to", "found"),
    [("step", "relative", [10, 110]), ("step", "tokens", [800, 1600]), ("relative", "wall", [1010, 1020])],
)
def test_a_zoom_stays_where_it_is_on_another_axis(scripts: Page, start: str, to: str, found: list[float]) -> None:
    made = f"(k => tidewatch.axis.make(k, {KNOWN}))"
    assert ask(scripts, f"tidewatch.axis.convert([10, 20], {made}('{start}'), {made}('{to}'))") == found


def test_steps_and_clocks_that_go_back_do_not_confuse_the_axis(scripts: Page) -> None:
    known = "{began: 0, clock: {steps: [1, 2, 9, 3, 4, 10], walls: [1, 2, 9, NaN, 3, 20]}}"
    assert ask(scripts, f"[1, 5.5, 9.5].map(tidewatch.axis.make('relative', {known}).at)") == [1, 5.5, 14.5]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0s"), (12.5, "12.5s"), (200, "3m 20s"), (3900, "1h 05m"), (97_200, "1d 03h"), (-60, "−1m")],
)
def test_time_since_the_start_is_short(scripts: Page, seconds: float, said: str) -> None:
    assert ask(scripts, f"tidewatch.ticks.span({seconds})") == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0秒"), (12.5, "12.5秒"), (200, "3分20秒"), (3900, "1小时05分"), (97_200, "1天03小时"), (-60, "−1分")],
)
def test_time_since_the_start_is_short_in_chinese_too(scripts: Page, seconds: float, said: str) -> None:
    assert ask(scripts, f"tidewatch.ticks.span({seconds}, 'zh')") == said


@pytest.mark.parametrize(
    ("low", "high", "chinese", "english"),
    [
        (0, 3e9, ["0", "10 亿", "20 亿", "30 亿"], ["0", "1 B", "2 B", "3 B"]),
        (
            *(123_450_000, 123_470_000),
            ["1.2345 亿", "1.2346 亿", "1.2347 亿"],
            ["123.45 M", "123.46 M", "123.47 M"],
        ),
        (0, 9, ["0", "5"], ["0", "5"]),
    ],
)
def test_ticks_of_counts_are_said_as_counts_are_and_differ(
    scripts: Page, low: float, high: float, chinese: list[str], english: list[str]
) -> None:
    assert ask(scripts, f"tidewatch.ticks.of('tokens', [{low}, {high}], 3, 'zh').ticktext") == chinese
    assert ask(scripts, f"tidewatch.ticks.of('samples', [{low}, {high}], 3, 'en').ticktext") == english


@pytest.mark.parametrize(
    ("low", "high", "small"), [(0, 0, False), (0, 4e-5, True), (-4e-5, 0, True), (1e-5, 0.01, False), (0, 12, False)]
)
def test_what_is_small_has_an_exponent(scripts: Page, low: float, high: float, small: bool) -> None:
    found = ask(scripts, f"['format', 'reading'].map(one => tidewatch.ticks[one]([{low}, {high}]))")
    exponent = {"tickformat": ".2~e", "labelalias": {"0e+0": "0"}}
    assert found == ([exponent, ".4~e"] if small else [{"tickformat": "~g"}, ".5~g"])


def test_a_day_is_written_as_the_language_does(scripts: Page) -> None:
    moments = (
        "['en', 'zh'].map(l => tidewatch.clock.moment(new Date({}, 10, 8, 9, 4) / 1000, new Date(2026, 11, 1), l))"
    )
    assert ask(scripts, moments.format(2026)) == ["8 Nov 09:04", "11月8日 09:04"]
    assert ask(scripts, moments.format(2025)) == ["2025-11-08 09:04", "2025-11-08 09:04"]


def test_ticks_of_time_stand_at_whole_hours_and_days(scripts: Page) -> None:
    relative = ask(scripts, "tidewatch.ticks.of('relative', [100, 20000], 6)")
    assert relative["tickvals"] == [3600, 7200, 10_800, 14_400, 18_000]
    assert relative["ticktext"][0] == "1h 00m"
    noon = "new Date(2026, 2, 3, 12).getTime() / 1000"
    wall = ask(scripts, f"tidewatch.ticks.of('wall', [{noon}, {noon} + 86400], 3)")
    assert wall["ticktext"] == ["12:00<br>3 Mar", "00:00<br>4 Mar", "12:00"]
    assert ask(scripts, "tidewatch.ticks.of('step', [0, 5], 4)") is None


def test_an_outlier_leaves_the_panel_and_nothing_else_does(scripts: Page) -> None:
    values = "Float64Array.from({length: 200}, (_, k) => k === 50 ? 1e6 : k === 60 ? NaN : k % 10)"
    low, high = ask(scripts, f"tidewatch.clip.range([{values}], {{clip: true}})")
    assert -20 < low < 0 < 9 < high < 30
    assert ask(scripts, f"tidewatch.clip.outside({values}, [{low}, {high}], false)") == {"above": [50], "below": []}
    assert ask(scripts, f"tidewatch.clip.range([{values}])")[1] > 1e6


def test_a_curve_without_outliers_is_not_clipped(scripts: Page) -> None:
    steady = "Float64Array.from({length: 500}, (_, k) => k)"
    assert ask(scripts, f"tidewatch.clip.range([{steady}], {{clip: true}})") == ask(
        scripts, f"tidewatch.clip.range([{steady}])"
    )
    assert ask(scripts, "tidewatch.clip.range([[NaN, Infinity]])") is None
    assert ask(scripts, "tidewatch.clip.range([[3]])") == pytest.approx([2.85, 3.15])


def test_a_logarithmic_panel_counts_what_has_no_logarithm(scripts: Page) -> None:
    assert ask(scripts, "tidewatch.clip.range([[0.1, 10, 0, -5]], {log: true})") == pytest.approx([-1.12, 1.12])
    assert ask(scripts, "tidewatch.clip.outside([0.1, 10, 0, -5, NaN], [-2, 2], true).below") == [2, 3]


def test_the_gap_is_taken_against_the_losses_before_the_evaluation(scripts: Page) -> None:
    train = series("Array.from({length: 100}, (_, k) => [k + 1, k === 70 ? 1e9 : k < 30 ? 50 : 2])")
    assert ask(
        scripts, f"tidewatch.gap.line({train}, {series('[[80, 2.5], [90, NaN]]')}).map(g => [g.step, g.gap])"
    ) == [[80, 0.5]]
    assert ask(scripts, f"tidewatch.gap.line({series('[]')}, {series('[[80, 2.5]]')})") == []


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("Math.fround(2.15305)", "2.15305"),
        ("2.15305", "2.15305"),
        ("65536", "65536"),
        ("NaN", "NaN"),
        ("1/3", str(1 / 3)),
    ],
)
def test_a_value_is_read_as_its_file_has_it(scripts: Page, value: str, said: str) -> None:
    assert ask(scripts, f"tidewatch.readings.exact({value})") == said


def test_a_curve_without_a_point_there_is_read_at_its_nearest(scripts: Page) -> None:
    lines = f"""[{{series: {series("[[1, 5], [2, 6], [3, 7]]")}, xs: [1, 2, 3], smoothed: [5, 5.5, 6]}},
      {{series: {series("[[2.5, 9]]")}, xs: [2.5], smoothed: null}}]"""
    read = ask(
        scripts,
        "(r => [r.head.step, r.rows.map(o => [o.step, o.value, o.smoothed, o.source])])"
        f"(tidewatch.readings.at({lines}, 1.9))",
    )
    assert read == [2, [[2, 6, 5.5, "log"], [2.5, 9, None, "log"]]]


def test_drawings_follow_their_own_cost(scripts: Page) -> None:
    told = """(p => [
        p.wait(0),
        (p.drew("end", 0, 2), p.wait(10)),
        (p.drew("whole", 1000, 100), p.wait(1000)),
        (p.drew("whole", 2000, 700), p.wait(2000)),
        (p.drew("whole", 3000, 120), p.wait(3000)),
        (p.drew("end", 4000, 3), p.drew("end", 5000, 3), p.wait(5000)),
      ].map(Math.round))(new tidewatch.Pace())"""
    assert ask(scripts, told) == [0, 240, 255, 337, 500, 250]


TRACES = """(...ends) => ends.map((end, k) => ({mode: "lines", meta: {role: k ? "smooth" : "raw", panel: "loss"},
    x: Float64Array.from({length: end}, (_, x) => x),
    y: Float64Array.from({length: end}, (_, x) => (x === 7 ? NaN : x))}))"""


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("3, 3", "5, 4", [{"index": 0, "x": [3, 4], "y": [3, 4]}, {"index": 1, "x": [3], "y": [3]}]),
        ("3, 3", "3, 3", []),
        ("3", "4, 4", None),  # a line that was not there
        ("4", "3", None),
        ("8", "9", None),  # goes on after a gap
    ],
)
def test_lines_that_only_go_on_are_told_from_others(scripts: Page, before: str, after: str, found: object) -> None:
    assert ask(scripts, f"(t => tidewatch.tail.appended(t({before}), t({after})))({TRACES})") == found


@pytest.mark.parametrize(
    ("x", "y", "log", "fits"),
    [(5, 5, 0, True), (11, 5, 0, False), (5, 50, 0, False), (5, 50, 1, True), (5, "NaN", 0, False)],
)
def test_points_are_written_only_where_the_axes_hold(scripts: Page, x: int, y: object, log: int, fits: bool) -> None:
    axis = f"{{range: [0, 10], type: '{'log' if log else 'linear'}'}}"
    assert ask(scripts, f"tidewatch.tail.fits({{x: [{x}], y: [{y}]}}, [0, 10], {axis})") is fits


def test_a_tab_hidden_for_long_keeps_no_more_than_it_can(scripts: Page) -> None:
    flood = "{loss: Array(20001).fill([1, 1, 1, 'log'])}"
    queue = f"(q => (q.add('1-0', {flood}, 5), [q.overran, q.size]))(new tidewatch.Queue())"
    assert ask(scripts, queue) == [True, 0]


def test_marks_are_one_shape_a_kind(scripts: Page) -> None:
    spans = [["nan", 1, 2, None, None], ["nan", 5, 6, None, None], ["up", 3, 3, None, None]]
    shapes = ask(scripts, f"tidewatch.marks.shapes({json.dumps(spans)}, tidewatch.axis.make('step', {{}}), 'y2', {{}})")
    assert [(one["name"], one["yref"], one["path"].count("Z")) for one in shapes] == [
        ("nan", "y2 domain", 2),
        ("up", "y2 domain", 1),
    ]


def test_a_point_between_two_gaps_is_found(scripts: Page) -> None:
    assert ask(scripts, "tidewatch.marks.lone([NaN, 1, NaN, 2, 3, Infinity, 4])") == [1, 6]


def test_an_overflow_is_marked_at_the_loss_scale_of_its_step(scripts: Page) -> None:
    marks = "tidewatch.marks.overflows({steps: [4, 5, 9], values: [1, 0, 1]}, {steps: [1, 5, 8], values: [64, 32, 16]})"
    assert ask(scripts, marks) == {"indices": [0, 2], "heights": [64, 16]}


STEPS_AXIS = "tidewatch.axis.make('step', {})"


@pytest.mark.parametrize("view", ["all", "last-500", "1200..1800", "-3.5..4", "1795961307.58..1795961400"])
def test_a_view_is_spelled_as_it_is_read(scripts: Page, view: str) -> None:
    assert ask(scripts, f"tidewatch.view.spell(tidewatch.view.read('{view}'))") == view


@pytest.mark.parametrize("nonsense", ["5..1", "e..e", "1..", "3..3"])
def test_what_is_no_stretch_is_everything(scripts: Page, nonsense: str) -> None:
    assert ask(scripts, f"tidewatch.view.read('{nonsense}').kind") == "all"


@pytest.mark.parametrize(
    ("view", "asked"),
    [
        ("all", {}),
        ("last-500", {"start": 400}),
        ("last-2000", {"start": 0}),
        ("10.5..20.5", {"start": 9, "end": 22}),
    ],
)
def test_a_view_asks_for_its_steps_and_one_more_on_each_side_of_a_zoom(scripts: Page, view: str, asked: object) -> None:
    assert ask(scripts, f"tidewatch.view.query(tidewatch.view.read('{view}'), {STEPS_AXIS}, 900)") == asked


def test_a_zoom_in_time_asks_for_its_seconds(scripts: Page) -> None:
    axis = f"tidewatch.axis.make('relative', {KNOWN})"
    assert ask(scripts, f"tidewatch.view.query(tidewatch.view.read('5..25'), {axis}, 900)") == {
        "since": 1005,
        "until": 1025,
    }


@pytest.mark.parametrize(
    ("view", "extent", "first", "shown"),
    [
        ("all", "[1, 900]", "null", [1, 900]),
        ("last-500", "[1, 900]", "400", [400, 900]),
        ("10..20", "[1, 900]", "null", [10, 20]),
        ("all", "[5, 5]", "null", None),
        ("all", "[Infinity, -Infinity]", "null", None),
    ],
)
def test_a_view_is_a_stretch_of_the_axis(scripts: Page, view: str, extent: str, first: str, shown: object) -> None:
    assert ask(scripts, f"tidewatch.view.range(tidewatch.view.read('{view}'), {extent}, {first})") == shown


@pytest.mark.parametrize(
    ("start", "end", "chosen"), [(10, 13, None), (200, 100, [100, 200]), (-50, 150, [56, 150]), (500, 2000, [500, 900])]
)
def test_a_drag_chooses_what_lies_in_the_panel(scripts: Page, start: float, end: float, chosen: object) -> None:
    assert ask(scripts, f"tidewatch.drag.stretch({start}, {end}, [56, 900])") == chosen


@pytest.mark.parametrize(
    ("key", "index", "to"), [("ArrowLeft", 4, 3), ("End", 0, 9), ("PageDown", 4, 0), ("x", 3, None)]
)
def test_arrow_keys_go_from_point_to_point(scripts: Page, key: str, index: int, to: object) -> None:
    assert ask(scripts, f"tidewatch.figureKeys.moved('{key}', {index}, 10)") == to


def test_the_wheel_zooms_around_the_pointer(scripts: Page) -> None:
    start, end = ask(scripts, "tidewatch.wheel.zoomed([0, 100], 25, -1)")
    assert 0 < start < 25 < end < 100
    assert (25 - start) / (end - 25) == pytest.approx(25 / 75)


@pytest.mark.parametrize(
    ("one", "other", "after"),
    [("10-0", "9-5", True), ("10-2", "10-10", False), ("10-0", None, True), (None, "1-0", False), ("", "1-0", False)],
)
def test_stream_ids_are_compared_as_numbers(scripts: Page, one: str | None, other: str | None, after: bool) -> None:
    spelled = [f"'{part}'" if part is not None else "null" for part in (one, other)]
    assert ask(scripts, f"tidewatch.stream.isAfter({', '.join(spelled)})") is after


def test_a_clock_that_is_set_differently_is_no_delay(scripts: Page) -> None:
    assert ask(scripts, "tidewatch.liveness.delay({id: '1000-0', at: 1100}, 1150)") == 150
    assert ask(scripts, "tidewatch.liveness.delay({id: '9000-0', at: 4000}, 4040)") == 40  # ours is five seconds slow


def test_what_is_days_old_is_told_by_its_date(scripts: Page) -> None:
    then = "new Date(2025, 5, 1, 11, 1) / 1000"
    assert ask(scripts, f"tidewatch.clock.ago({then}, new Date(2026, 1, 4) / 1000)") == "2025-06-01 11:01"


def test_a_moment_has_the_day_when_it_is_not_today(scripts: Page) -> None:
    assert (
        ask(scripts, "tidewatch.clock.moment(new Date(2026, 1, 3, 9, 5) / 1000, new Date(2026, 1, 3, 20))") == "09:05"
    )
    assert (
        ask(scripts, "tidewatch.clock.moment(new Date(2026, 1, 3, 9, 5) / 1000, new Date(2026, 1, 4))") == "3 Feb 09:05"
    )
    assert (
        ask(scripts, "tidewatch.clock.moment(new Date(2025, 1, 3, 9, 5) / 1000, new Date(2026, 1, 4))")
        == "2025-02-03 09:05"
    )


def test_a_link_spells_only_what_differs_from_the_default(scripts: Page) -> None:
    assert ask(scripts, "tidewatch.state.encode(tidewatch.state.decode(''))") == ""
    spelled = "?x=wall&view=last-500&smooth=0.6&log=loss,lr&log_at=3@1200"
    assert ask(scripts, f"tidewatch.state.encode(tidewatch.state.decode('{spelled}'))") == spelled


@pytest.mark.parametrize(
    "wrong", ["x=epoch", "smooth=2", "smooth=", "view=500", "attempts=0", "log_at=loss", "nobody=1"]
)
def test_what_a_link_misspells_is_the_default(scripts: Page, wrong: str) -> None:
    assert ask(scripts, f"JSON.stringify(tidewatch.state.decode('?{wrong}'))") == ask(
        scripts, "JSON.stringify(tidewatch.state.decode(''))"
    )


@pytest.mark.parametrize("tag", ["a,b", "loss vs samples", "层/损失", "50%", "x&y=1?#"])
def test_a_tag_of_any_spelling_survives_the_address(scripts: Page, tag: str) -> None:
    there = f"tidewatch.state.encode({{...tidewatch.state.decode(''), panels: [{tag!r}, 'b']}})"
    assert ask(scripts, f"tidewatch.state.decode({there}).panels") == [tag, "b"]
