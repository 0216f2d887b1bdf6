"""What fuzzing found stays mended; and the fuzzer notices what it is there to notice."""

from __future__ import annotations

import random
from functools import partial

import pytest

from collector.parse.parsed import Parsed
from collector.parse.parsers import parser_for
from collector.wire.records import ParserState
from tests.fuzz import frames, lines, targets
from tests.fuzz.finding import FOUND, minimised, tried
from tests.fuzz.limits import TooLarge, bounded, weighed
from tests.fuzz.reading import Wrong, difference, read
from tests.fuzz.targets import TARGETS, Target
from tests.support.event_writer import record, scalar, scalars

BY_NAME = {one.name: one for one in TARGETS}
KEPT = sorted(path for path in FOUND.iterdir() if path.suffix != ".md")


def test_an_input_that_once_did_harm_does_none() -> None:
    found = [tried(BY_NAME[path.name.partition("-")[0]], path.read_bytes()) for path in KEPT]
    assert [one for one in found if one is not None] == []


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_a_few_new_inputs_do_no_harm(target: Target) -> None:
    rng = random.Random(3)
    found = [tried(target, target.mutated(rng, target.seeds())) for _ in range(40)]
    assert [one for one in found if one is not None] == []


class Forgetful:
    """A log parser that reads a chunk's first record alone."""

    def parse(self, chunk: bytes, state: ParserState, *, final: bool = False) -> Parsed:
        parsed = parser_for("log").parse(chunk, state, final=final)
        first = {tag: block[:24] for tag, block in parsed.scalars.items()}
        return Parsed(parsed.consumed, parsed.state, first, parsed.events, parsed.facts)


def test_an_answer_that_depends_on_the_cut_is_noticed() -> None:
    text, _ = lines.intact(1, 3)
    whole, cut = (read(Forgetful(), text, cuts) for cuts in ([], range(0, len(text), len(text) // 3)))
    assert "1 against 3" in str(difference(whole, cut))
    assert difference(whole, whole) is None


def test_a_record_that_does_not_come_out_behind_damage_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "parser_for", lambda source: Forgetful())
    with pytest.raises(Wrong, match="come out"):
        targets.check_nothing_lost("log", b"damage")


def test_a_finding_is_made_as_small_as_it_can_be() -> None:
    def check(data: bytes) -> None:
        if b"bad" in data:
            raise Wrong("bad")

    target = Target("tensorboard", list, lambda rng, seeds: b"", check)
    found = tried(target, b"x" * 300 + b"bad" + b"y" * 300)
    assert found is not None
    assert minimised(found, partial(tried, target)).data == b"bad"


def test_memory_beyond_the_size_of_the_input_is_noticed() -> None:
    with pytest.raises(TooLarge):
        weighed(lambda: bytes(20 << 20), 10)


def test_frames_are_walked_up_to_the_first_that_cannot_be_found() -> None:
    good = scalars(range(2))
    damaged = record(b"abc")[:-1] + b"\0"
    found = [one.data is None for one in frames.walk(good + damaged + good + bytes(40))]
    assert found == [False, False, True, False, False]


def test_an_event_file_of_plain_scalars_is_held_against_protobuf() -> None:
    whole = read(parser_for("tensorboard"), scalar(1, 1.5, "a", 2.0))
    targets.check_against_protobuf(scalar(1, 1.5, "a", 2.0), whole)
    with pytest.raises(Wrong, match="protobuf reads 1 points"):
        targets.check_against_protobuf(scalar(2, 1.5, "a", 2.0), whole)


def test_damage_at_every_other_record_takes_time_in_proportion() -> None:
    good = scalar(3, 1.7e9, "loss", 0.25)
    data = (good + b"\xff" + good[1:]) * 12_000
    bounded(lambda: parser_for("tensorboard").parse(data, {}, final=True), len(data))
