"""How a view is spelled in the address: what was ever written means the same, and what is written comes back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from tests.e2e.conftest import knowing
from tests.support.curves import ask
from tests.support.old_links import OLD_LINKS, OldLink

STATES = {"run": "state", "ranks": "ranksState", "compare": "compareState"}
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Page:
    """A blank page that knows the three spellings."""
    return knowing(browser, ("codec", "state", "ranks-state", "compare-state", "view"))


def decoded(page: Page, kind: str, query: str) -> dict[str, Any]:
    """What a query says, as far as it differs from the default."""
    said: dict[str, Any] = page.evaluate(
        """([name, query]) => {
          const { decode } = tidewatch[name];
          const [usual, found] = [decode(""), decode(query)];
          const differs = ([one, value]) => JSON.stringify(value) !== JSON.stringify(usual[one]);
          return Object.fromEntries(Object.entries(found).filter(differs));
        }""",
        [STATES[kind], query],
    )
    return said


@pytest.mark.parametrize("link", OLD_LINKS, ids=lambda link: link.query[:60])
def test_a_link_means_what_it_meant(scripts: Page, link: OldLink) -> None:
    assert decoded(scripts, link.kind, link.query) == dict(link.means)
    again = ask(
        scripts, f"(({{ encode, decode }}) => encode(decode({json.dumps(link.query)})))(tidewatch.{STATES[link.kind]})"
    )
    assert decoded(scripts, link.kind, again) == dict(link.means)


NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e24, max_value=1e24)
STRETCHES = st.tuples(NUMBERS, NUMBERS).filter(lambda ends: ends[0] < ends[1]).map(list)
WORDS = st.text(min_size=1, max_size=30)
LISTS = st.lists(WORDS, max_size=4)
PLAIN = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters=","), min_size=1, max_size=30)
NAMES = st.lists(PLAIN, max_size=4, unique=True)
CELLS = st.tuples(st.integers(0, 999_999_999), st.integers(-(10**15) + 1, 10**15 - 1)).map(
    lambda one: f"{one[0]}@{one[1]}"
)
RUN: Mapping[str, st.SearchStrategy[Any]] = {
    "x": st.sampled_from(["step", "samples", "tokens", "relative", "wall"]),
    "view": st.one_of(st.just("all"), st.integers(1, 999_999_999).map(lambda n: f"last-{n}"), STRETCHES),
    "smooth": st.floats(0, 0.999),
    "attempts": st.one_of(st.sampled_from(["stitched", "all"]), st.integers(1, 999_999).map(str)),
    **dict.fromkeys(("log", "panels", "pin", "order", "hide", "quiet", "base"), LISTS),
    **dict.fromkeys(("clip", "gap", "alerts_over", "settings"), st.booleans()),
    **dict.fromkeys(("full", "log_find", "setting", "alert_rank"), st.one_of(st.just(""), st.text(max_size=20))),
    "log_at": st.one_of(st.just(""), CELLS),
    "alert": st.one_of(st.just(""), st.from_regex(r"[A-Za-z0-9_.-]{1,200}", fullmatch=True)),
}
RANKS: Mapping[str, st.SearchStrategy[Any]] = {
    "metric": st.one_of(st.just(""), PLAIN.map(lambda name: f"tag:{name}")),
    "show": st.sampled_from(["", "value", "deviation"]),
    "by": st.sampled_from(["", "stage", "group", "none"]),
    "rank": st.one_of(st.just(""), CELLS),
    "what_at": st.one_of(st.just(""), st.integers(-(10**15) + 1, 10**15 - 1).map(str)),
    "listed": st.one_of(st.just(""), st.integers(1, 99_999).map(str)),
    "folds": st.one_of(st.just(""), st.from_regex(r"[A-Za-z0-9_.,+-]{1,60}", fullmatch=True)),
}
COMPARE: Mapping[str, st.SearchStrategy[Any]] = {
    "runs": NAMES,
    "hide": NAMES,
    "metric": st.one_of(st.just(""), WORDS),
    "x": st.sampled_from(["step", "relative", "tokens"]),
    "smooth": st.floats(0, 0.999),
    "log": st.booleans(),
    "all": st.booleans(),
    "view": st.one_of(st.none(), STRETCHES),
    "setting": st.text(max_size=20),
}
# Through an address, as browsers read it. The view of a run is text, whose numbers scripts have spelled.
THERE_AND_BACK = """([name, states]) => {
  const { decode, encode } = tidewatch[name];
  const isText = name === "state";
  const spelled = ({ view }) => (isText && Array.isArray(view) ? { view: view.join("..") } : {});
  const meant = ({ view }) => (isText ? tidewatch.view.read(view) : view);
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  return states.map((state) => ({ ...decode(""), ...state, ...spelled(state) })).map((state) => {
    const query = encode(state, "?lang=zh");
    const back = decode(new URL(query, "http://127.0.0.1/run/a").search);
    const isSame = Object.keys(state).every((one) => same(state[one], back[one])) && same(meant(state), meant(back));
    return isSame && query.startsWith("?lang=zh") ? "" : query;
  }).filter(Boolean);
}"""


@pytest.mark.parametrize(("kind", "fields"), [("run", RUN), ("ranks", RANKS), ("compare", COMPARE)])
def test_whatever_is_written_comes_back(scripts: Page, kind: str, fields: Mapping[str, st.SearchStrategy[Any]]) -> None:
    @QUICK
    @given(st.lists(st.fixed_dictionaries({}, optional=dict(fields)), min_size=1, max_size=12))
    def come_back(states: list[dict[str, Any]]) -> None:
        assert scripts.evaluate(THERE_AND_BACK, [STATES[kind], states]) == []

    come_back()


@pytest.mark.parametrize("kind", STATES)
def test_no_address_breaks_a_page(scripts: Page, kind: str) -> None:
    known: list[str] = ask(scripts, f"Object.keys(tidewatch.{STATES[kind]}.decode(''))")
    said = st.dictionaries(st.sampled_from([*known, "v", "lang"]), st.text(max_size=40), max_size=6)
    raw = said.map(lambda pairs: "?" + "&".join(f"{name}={value}" for name, value in pairs.items()))
    settled = (
        "([name, queries]) => queries.filter((query) => { const { decode, encode } = tidewatch[name];"
        "const found = decode(query); return JSON.stringify(decode(encode(found))) !== JSON.stringify(found) })"
    )

    @QUICK
    @given(st.lists(st.one_of(raw, st.text(max_size=60).map(lambda text: f"?{text}")), min_size=1, max_size=12))
    def hold(queries: list[str]) -> None:
        assert scripts.evaluate(settled, [STATES[kind], queries]) == []

    hold()


@pytest.mark.parametrize("broken", ["panels=%zz", "panels=%25zz,a", "runs=%", "view=1e999..2", "smooth=0x", "full=%E5"])
def test_half_a_percent_sign_is_what_it_is(scripts: Page, broken: str) -> None:
    for kind in STATES:
        decoded(scripts, kind, f"?{broken}")
    assert decoded(scripts, "run", "?panels=%25zz,a") == {"panels": ["%zz", "a"]}


def test_a_view_that_is_none_is_all(scripts: Page) -> None:
    for none in (
        "5..5",
        "9..1",
        "1.2.3..4",
        "last-0",
        "last--5",
        "1e400..2",
        "1e300..1e301",
        "-1e25..5",
        "..",
        "a..b",
        "1..2..3",
    ):
        assert decoded(scripts, "run", f"?view={none}") == {}, none
    assert decoded(scripts, "run", "?view=1e-7..2e-7") == {"view": "1e-7..2e-7"}


def test_an_older_version_is_made_the_newest_step_by_step(scripts: Page) -> None:
    steps = """{
      1: (said) => {
        const next = new URLSearchParams(said);
        next.delete("smoothing");
        next.set("smooth", said.get("smoothing"));
        return next;
      },
      2: (said) => {
        const next = new URLSearchParams(said);
        next.set("smooth", Number(said.get("smooth")) / 100);
        return next;
      },
    }"""
    upgraded = f"((query) => String(tidewatch.codec.upgraded(query, {steps}, 3)))"
    assert ask(scripts, f"{upgraded}('?smoothing=60')") == "smooth=0.6"
    assert ask(scripts, f"{upgraded}('?v=2&smooth=60')") == "v=2&smooth=0.6"
    assert ask(scripts, f"{upgraded}('?v=3&smooth=0.6')") == "v=3&smooth=0.6"
    for mark, newer in (
        ("", False),
        ("?v=1", False),
        ("?v=2", True),
        ("?v=two", False),
        ("?v=-1", False),
        ("?v=0", False),
    ):
        assert ask(scripts, f"tidewatch.codec.isNewer('{mark}')") is newer, mark
    assert decoded(scripts, "run", "?v=9&x=wall&holo=1") == {"x": "wall"}
    assert ask(scripts, "tidewatch.state.encode(tidewatch.state.decode('?v=9&x=wall'), '?v=9&x=wall')") == "?x=wall"
