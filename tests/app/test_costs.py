"""What watching a run costs, and the settings that cost more than they show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
import redis

from app.ledgers import Ledgers, npus
from app.pages.costs import costs_card
from app.pages.header import attempt_line, header
from app.pages.ledger import ledger_card
from app.pages.source import Source
from app.reader import Reader
from app.series.costs import Costs, costs
from app.series.ledger import CAUSES, Ledger
from app.series.overview import Tail
from app.series.pauses import Pace
from app.store import RedisRunStore
from app.stored import StoredRun
from collector.wire.records import Cursor, RunId, RunRecord, SeriesMeta
from collector.wire.records import Source as FileSource
from tests.app.conftest import NOW
from tests.support.curve_points import curve
from tests.support.seed import Seed, straight

LOG, EVENTS = "log/rank_0/info.log", "tensorboard/rank_0/events.out.tfevents.1.node0"


def series(tag: str, *, metric: str | None = None, source: FileSource = "log", rank: int = 0) -> SeriesMeta:
    return SeriesMeta(LOG if source == "log" else EVENTS, 0, tag, metric, rank, source)


def run_of(metas: Iterable[SeriesMeta], facts: Mapping[str, str] | None = None) -> StoredRun:
    files = {
        LOG: Cursor(LOG, "log", 0, offset=7_200_000),
        EVENTS: Cursor(EVENTS, "tensorboard", 0, offset=900_000),
        "output/health_ckpts.json": Cursor("output/health_ckpts.json", "health", None, offset=500),
        f"{EVENTS}.1": Cursor(f"{EVENTS}.1", "tensorboard", 0, offset=100_000),
    }
    found = {f"{one.sid}{one.rank}": one for one in metas}
    return StoredRun(RunRecord(RunId("gpt"), "gpt", "/d"), None, None, "0-0", found, files, (), facts or {}, ())


def costs_of(
    *metas: SeriesMeta,
    hours: float = 2.0,
    step_ms: float = 100.0,
    every: int = 1,
    written: int | None = None,
    settings: Mapping[str, str] | None = None,
    facts: Mapping[str, str] | None = None,
) -> Costs:
    log = curve(straight(range(1000, 1000 + 64 * every, every), every=every * step_ms / 1000))
    tails = [Tail(series("loss", metric="loss"), log, None)]
    if written is not None:
        late = curve(straight(range(1, int(log.steps[-1]) - written + 1)), "tensorboard")
        tails.append(Tail(series("loss", metric="loss", source="tensorboard"), late, None))
    parts = dict.fromkeys(CAUSES, 0) | {"productive": round(hours * 3.6e6), "down": 3_600_000}
    book = Ledger(parts, paces=[Pace(step_ms, 1.0, 64.0, 0)])
    run = run_of([*(one.meta for one in tails), *metas], facts)
    return costs(run, tails, book, points=36_000, settings=settings or {})


def hints(found: Costs) -> dict[str, str]:
    return {one.code: f"{one.key}: {one.value}" for one in found.hints}


def test_growth_is_told_by_kind_and_by_hour_of_the_jobs_life() -> None:
    found = costs_of()
    assert [(one.source, one.files, one.bytes, one.per_hour) for one in found.growth] == [
        ("log", 1, 7_200_000, 3_600_000.0),
        ("tensorboard", 2, 1_000_000, 500_000.0),
    ]
    assert (found.hours, found.points_per_second, found.every) == (2.0, 5.0, 1.0)


def test_without_a_clock_growth_is_a_total() -> None:
    found = costs(run_of([]), [], None, points=0, settings={})
    assert [one.per_hour for one in found.growth] == [None, None]
    assert (found.points_per_second, found.lag, found.hints) == (None, None, ())


def test_event_files_lag_by_steps_and_by_time() -> None:
    lag = costs_of(written=40, settings={"tensorboard.tensorboard_queue_size": "10"}).lag
    assert lag is not None
    assert (lag.steps, lag.seconds, lag.queue) == (40, 4.0, 10)
    assert costs_of().lag is None
    ahead = costs_of(written=-1).lag
    assert ahead is not None
    assert ahead.steps == 0


def test_printing_every_short_step_is_costly_and_every_tenth_or_a_long_one_is_not() -> None:
    assert hints(costs_of(step_ms=100.0)) == {"print_often": "callbacks: MFLossMonitor.per_print_times: 50"}
    assert hints(costs_of(step_ms=200.0)) == {"print_often": "callbacks: MFLossMonitor.per_print_times: 25"}
    assert hints(costs_of(step_ms=400.0)) == {}
    assert hints(costs_of(step_ms=100.0, every=10)) == {}


def test_pynative_has_other_keys() -> None:
    pynative = {"format": "pynative"}
    assert hints(costs_of(facts=pynative)) == {}  # its log line has no key that is known
    written = series("loss", metric="loss", source="tensorboard")
    assert hints(costs_of(written, facts=pynative)) == {"write_often": "monitor.tensorboard.log_interval: 50"}
    norms = [series(f"local_norm/{name}", rank=rank) for name in "abcdefghij" for rank in range(100)]
    found = hints(costs_of(*norms, every=10, facts=pynative))
    assert found == {
        "monitor_long": 'monitor.train_state.local_norm: ""',
        "many_series": 'monitor.train_state.local_norm: ""',
    }
    losses = [series("device_loss", metric="device_local_loss", rank=rank) for rank in range(8)]
    assert hints(costs_of(*losses, every=10, facts=pynative)) == {
        "monitor_long": "monitor.train_state.device_loss: False"
    }


def test_the_state_monitor_is_for_debugging() -> None:
    norms = [series(f"local_norm/{name}") for name in "ab"]
    assert hints(costs_of(*norms, every=10)) == {"monitor_long": "monitor_config.monitor_on: False"}
    assert hints(costs_of(*norms, every=10, hours=0.5)) == {}
    assert hints(costs_of(every=10, settings={"monitor_config.monitor_on": "True"})).keys() == {"monitor_long"}
    many = [series(f"local_norm/{name}", rank=rank) for name in "abcdefghij" for rank in range(100)]
    assert "many_series" in hints(costs_of(*many, every=10, hours=0.1))


@pytest.mark.parametrize(
    ("queue", "written", "code"), [("1000", 5, "queue_large"), ("10", 5, None), ("10", 900, "writer_late")]
)
def test_a_large_queue_and_a_late_writer_are_told(queue: str, written: int, code: str | None) -> None:
    found = costs_of(every=10, written=written, step_ms=100.0, settings={"tensorboard.tensorboard_queue_size": queue})
    assert hints(found) == ({code: "tensorboard.tensorboard_queue_size: 10"} if code else {})


def test_npus_are_told_by_the_run_its_layout_or_its_ranks() -> None:
    assert npus(run_of([], {"world_size": "32"})) == 32
    assert npus(run_of([], {"data_parallel": "4", "model_parallel": "2", "pipeline_stages": "2"})) == 16
    assert npus(run_of([series("loss", rank=7)])) == 8
    assert npus(run_of([series("loss", rank=0)])) is None
    assert npus(run_of([])) is None


@pytest.fixture
def restarted(redis_client: redis.Redis) -> Seed:
    """Two attempts of a point a second, 20 steps done twice, three minutes without a job."""
    seed = Seed(redis_client, facts={"total_steps": "1000", "data_parallel": "8", "pipeline_stages": "1"})
    seed.event("start", wall=NOW - 460)
    seed.points(straight(range(1, 221), at=NOW - 420))
    seed.points(straight(range(201, 222), at=NOW - 21), generation=1, reason="start_announced")
    seed.event("start", wall=NOW - 50)
    seed.touched(NOW - 1)
    seed.beat(NOW)
    return seed


def test_books_are_kept_while_nothing_is_appended(store: RedisRunStore, restarted: Seed) -> None:
    reader = Reader(store)
    ledgers = Ledgers(store, reader)

    def read(at: float = NOW) -> object:
        run = store.run(restarted.run)
        assert run is not None
        return ledgers.books(run, reader.timeline(run), at)

    first = read()
    assert read() is first
    restarted.points(straight(range(222, 230), at=NOW), generation=1)
    grown = read()
    assert grown is not first
    assert read(NOW + 5) is grown


def test_the_page_says_where_the_time_went_and_what_watching_costs(store: RedisRunStore, restarted: Seed) -> None:
    shown = Source(store, lambda: NOW, Reader(store)).run("gpt")
    assert shown is not None
    assert shown.books is not None
    assert shown.books.ledger is not None
    assert {cause: ms for cause, ms in shown.books.ledger.parts.items() if ms} == {
        "productive": 221_000,
        "redone": 20_000,
        "startup": 67_000,
        "down": 151_000,
    }
    said = str(ledger_card(shown))
    for words in (
        "Where the time went",
        "48.1 %",
        "effective training time",
        "No job running",
        "20 steps were done twice",
    ):
        assert words in said
    assert "200 B in 2 files" not in str(costs_card(shown))
    assert "100 B in 1 file" in str(costs_card(shown))
    assert "(20 s of work)" in str(attempt_line(shown))
    assert "remaining" in str(header(shown))


def test_a_run_without_a_clock_has_no_ledger_card(store: RedisRunStore, seed: Seed) -> None:
    seed.points([(step, float("nan"), 1.0) for step in range(50)])
    shown = Source(store, lambda: NOW, Reader(store)).run("gpt")
    assert shown is not None
    assert ledger_card(shown) == []
    assert costs_card(shown) == []
