"""The collector's core, step by step, on files and a store in memory."""

from __future__ import annotations

import pytest

from tests.support import event_writer
from tests.support.growing import line, lines
from tests.support.memory import MemoryFiles
from tests.support.world import World

LOG = "/job/output/log/rank_0/info.log"
EVENTS = "/job/tensorboard/rank_0/events.out.tfevents.1700000000.node0"


@pytest.fixture
def world() -> World:
    return World(MemoryFiles())


def test_a_git_lfs_pointer_says_what_to_do_and_the_file_is_read_when_it_comes(world: World) -> None:
    world.files.append(EVENTS, b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n")
    world.step()
    state, reason = world.state("node0")
    assert state == "waiting" and "git lfs pull" in reason
    world.files.replace(EVENTS, event_writer.header() + event_writer.scalars(range(1, 4)))
    world.settle()
    assert world.store.steps("loss", "events") == [1, 2, 3]


def test_a_torn_record_hides_what_follows_until_the_writer_is_silent(world: World) -> None:
    torn = event_writer.histogram(3, "weights", 1000)[:60]
    world.files.append(EVENTS, event_writer.scalars(range(1, 3)) + torn + event_writer.scalars(range(3, 6)))
    world.settle()
    assert world.store.steps("loss", "events") == [1, 2]
    world.step(60)
    world.settle()
    assert world.store.steps("loss", "events") == [1, 2, 3, 4, 5]


def test_a_file_that_grows_byte_by_byte_gives_each_point_once(world: World) -> None:
    for byte in event_writer.header() + event_writer.scalars(range(1, 4)):
        world.files.append(EVENTS, bytes([byte]))
        world.step()
    for byte in lines(range(1, 4)):
        world.files.append(LOG, bytes([byte]))
        world.step()
    world.settle()
    assert world.store.steps("loss", "events") == [1, 2, 3]
    assert world.store.steps("loss", "info") == [1, 2, 3]


def test_a_file_larger_than_many_bounds_is_read_whole_and_in_order() -> None:
    world = World(MemoryFiles(), bound=4096)
    world.files.append(EVENTS, event_writer.scalars(range(3000)))
    world.settle()
    assert world.store.steps("loss") == list(range(3000))


def test_one_record_longer_than_the_bound_does_not_stop_the_file() -> None:
    world = World(MemoryFiles(), bound=4096)
    world.files.append(EVENTS, event_writer.record(b"\x22" + b"\x80\x80\x04" + bytes(65536)))
    world.files.append(EVENTS, event_writer.scalars([7]))
    world.settle()
    assert world.store.steps("loss") == [7]


def test_truncation_that_grew_past_the_old_offset_opens_a_generation(world: World) -> None:
    world.files.append(LOG, lines(range(1, 4)))
    world.settle()
    world.files.overwrite(LOG, lines(range(101, 110)))
    world.settle()
    assert world.store.steps("loss") == [1, 2, 3, *range(101, 110)]
    assert [one[1:] for one in world.store.generations] == [(0, "first"), (1, "replaced")]


def test_a_shorter_file_opens_a_generation(world: World) -> None:
    world.files.append(LOG, lines(range(1, 9)))
    world.settle()
    world.files.overwrite(LOG, lines([1]))
    world.settle()
    assert world.store.steps("loss") == [*range(1, 9), 1]
    assert [one[1:] for one in world.store.generations] == [(0, "first"), (1, "truncated")]


def test_a_start_that_a_line_announces_opens_a_generation_at_that_line(world: World) -> None:
    start = lines([4]).partition(b"{")[0] + b"Start training loop...\n"
    world.files.append(LOG, start + lines(range(1, 4)) + start + lines(range(3, 6)))
    world.settle()
    assert world.store.steps("loss") == [1, 2, 3, 3, 4, 5]
    assert [one[1:] for one in world.store.generations] == [(0, "first"), (1, "start_announced")]


def test_a_replaced_file_is_counted_as_rewritten(world: World) -> None:
    world.files.append(EVENTS, event_writer.scalars(range(5)))
    world.settle()
    world.files.replace(EVENTS, event_writer.scalars(range(50, 60)))
    world.settle()
    assert world.store.steps("loss") == [*range(5), *range(50, 60)]
    assert '"file_rewritten":1' in next(iter(world.store.cursors("job").values()))


def test_a_file_replaced_by_a_longer_copy_of_itself_goes_on(world: World) -> None:
    world.files.append(EVENTS, event_writer.scalars(range(5)))
    world.settle()
    world.files.replace(EVENTS, event_writer.scalars(range(9)))
    world.settle()
    assert world.store.steps("loss") == list(range(9))
    assert [one[2] for one in world.store.generations] == ["first"]


def test_the_last_lines_before_a_rotation_are_read_and_nothing_twice(world: World) -> None:
    world.files.append(LOG, lines(range(1, 5)))
    world.settle()
    world.files.append(LOG, lines([5]))
    world.files.rename(LOG, LOG + ".1")
    world.files.append(LOG, lines(range(6, 9)))
    world.settle()
    assert world.store.steps("loss") == list(range(1, 9))
    assert [one[2] for one in world.store.generations if one[0].endswith("info.log")] == ["first"]


def test_two_rotations_between_two_looks_lose_nothing(world: World) -> None:
    world.files.append(LOG, lines(range(1, 5)))
    world.settle()
    world.files.append(LOG, lines([5]))
    world.files.rename(LOG, LOG + ".1")
    world.files.append(LOG, lines([6]))
    world.files.rename(LOG + ".1", LOG + ".2")
    world.files.rename(LOG, LOG + ".1")
    world.files.append(LOG, lines([7]))
    world.settle()
    assert sorted(world.store.steps("loss")) == list(range(1, 8))


def test_a_log_renamed_while_no_collector_ran_is_not_read_again(world: World) -> None:
    world.files.append(LOG, lines(range(1, 5)))
    world.settle()
    world.files.append(LOG, lines([5]))
    world.files.rename(LOG, LOG + ".1")
    world.start()
    world.settle()
    world.files.append(LOG, lines([6]))
    world.start()
    world.settle()
    assert sorted(world.store.steps("loss")) == list(range(1, 7))


def test_the_rest_of_a_log_renamed_while_no_collector_ran_is_read(world: World) -> None:
    world.files.append(LOG, lines(range(1, 5)))
    world.settle()
    world.files.append(LOG, lines([5]))
    world.files.rename(LOG, LOG + ".1")
    world.start()
    world.settle()
    assert world.store.steps("loss") == [1, 2, 3, 4, 5]


def test_a_line_without_newline_counts_after_a_minute_of_silence(world: World) -> None:
    world.files.append(LOG, lines([1]) + line(2)[:-1])
    world.settle()
    assert world.store.steps("loss") == [1]
    world.step(seconds=61)
    world.settle()
    assert world.store.steps("loss") == [1, 2]


def test_a_commit_whose_answer_was_lost_is_not_repeated(world: World) -> None:
    world.files.append(EVENTS, event_writer.scalars(range(5)))
    world.store.answers_lost = 1
    world.settle()
    assert world.store.steps("loss") == list(range(5))


def test_a_store_that_is_away_is_waited_for_and_said_once(world: World) -> None:
    world.store.away = True
    world.files.append(EVENTS, event_writer.scalars(range(5)))
    waits = [world.service.step(world.now, world.files, world.store)]
    for _ in range(8):
        waits.append(world.step(seconds=waits[-1]))
    assert waits == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0, 2.0, 2.0]
    assert len(world.service.news) == 1
    world.store.away = False
    world.settle()
    assert world.store.steps("loss") == list(range(5))
    assert world.service.news[-1] == "Redis answers again; catching up."


def test_a_flush_is_healed_although_no_file_grows(world: World) -> None:
    world.files.append(EVENTS, event_writer.scalars(range(5)))
    world.settle()
    assert not world.store.doubted
    world.store.flush()
    world.settle()
    assert world.store.steps("loss") == list(range(5))
    assert world.store.doubted, "pages that were told of these points must read again"


def test_zeros_at_the_end_are_waited_for_and_then_read(world: World) -> None:
    known, late = event_writer.scalars(range(2)), event_writer.scalars(range(2, 4))
    data = known + late
    world.files.append(EVENTS, known + bytes(len(late)))
    world.settle()
    assert world.state("node0") == ("waiting", "zero_filled_tail")
    world.files.contents[EVENTS].data[:] = data  # the page arrives; neither size nor time changes
    world.settle()
    assert world.store.steps("loss") == list(range(4))
    assert world.state("node0")[0] == "following"


def test_a_length_that_stays_wrong_is_called_broken_and_tried_again_when_it_changes(world: World) -> None:
    good = event_writer.scalars([1])
    world.files.append(EVENTS, good + b"\x07" * 40)
    world.settle()
    assert world.state("node0") == ("waiting", "bad_length_crc")
    world.step(seconds=700)
    assert world.state("node0") == ("broken", "bad_length_crc")
    world.files.overwrite(EVENTS, good + event_writer.scalars([2]))
    world.settle()
    assert world.store.steps("loss") == [1, 2]


def test_a_file_that_may_not_be_read_is_a_problem_and_the_others_go_on(world: World) -> None:
    world.files.append(LOG, lines([1]))
    world.files.append(EVENTS, event_writer.scalars([1]))
    world.files.denied.add(LOG)
    world.settle()
    assert world.store.steps("loss") == [1]
    assert ("broken", "permission denied") in [(one.state, one.reason) for one in world.store.beats[-1].problems]


def test_a_fault_of_ours_costs_one_file_and_is_shown(world: World) -> None:
    world.files.append(LOG, lines([1]))
    world.files.append(EVENTS, event_writer.scalars([1]))
    world.files.faulty.add(LOG)
    world.settle()
    assert world.store.steps("loss") == [1]
    assert world.state("info.log")[1].startswith("not understood (ZeroDivisionError: by zero)")
    world.files.faulty.clear()
    world.settle()
    assert world.store.steps("loss") == [1, 1]
    assert world.state("info.log") == ("following", "")


def test_an_empty_event_file_makes_its_run_known_and_a_strange_log_does_not(world: World) -> None:
    world.files.append(EVENTS, b"")
    world.files.append("/job/other/pip.log", b"Collecting something\n")
    world.settle()
    assert world.store.cursors("job") != {}
    assert world.store.cursors("other--pip") == {}


def test_a_step_with_nothing_new_writes_nothing(world: World) -> None:
    world.files.append(EVENTS, event_writer.scalars([1]))
    world.settle()
    before = world.store.commits
    for _ in range(50):
        world.step(seconds=0.1)
    assert world.store.commits == before


def test_every_file_is_looked_at_within_two_seconds(world: World) -> None:
    world.files.append(EVENTS, event_writer.scalars([1]))
    world.settle()
    world.step(seconds=3600)
    world.files.append(EVENTS, event_writer.scalars([2]))
    world.step(seconds=2.0)
    assert world.store.steps("loss") == [1, 2]
