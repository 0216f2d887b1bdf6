"""What a run says of itself becomes typed events, with the step that the sentence names or that came before it."""

from __future__ import annotations

import time

import pytest

from collector.parse.log.sentences import NEEDLES, SENTENCES, sentence_of
from collector.parse.parsers import parser_for
from collector.wire.records import RunEvent
from tests.support.scalars import Followed

PARSER = parser_for("log")
PREFIX = "2025-06-01 10:00:30,099 - mindformers[callback.py:494] - INFO - "
RECORD = "step:[    7/  100], loss: 2.500, lr: 1e-05"
SAID = [
    (".........Build Callbacks For Train..........", "start", None),
    ("Start training loop...", "start", None),
    (".............Start resume training from checkpoint..................", "resume", None),
    ("Loading checkpoint from: ./ckpt", "resume", None),
    ("Load healthy checkpoint: ./ckpt/rank_0", "resume", 7),
    (".........Model Compiling, Please Wait a Moment...........", "compile", 7),
    (".........Starting Training Model..........", "train", 7),
    ("......Saving ckpt......", "checkpoint", 7),
    ("Finish saving ckpt of epoch 1 step 500 using 2.123 seconds", "checkpoint", 500),
    ("Checkpoint saved at step 500 to ./ckpt (async=False, remove_redundancy=False)", "checkpoint", 500),
    ("Eval result: {'PerplexityMetric': {'loss': 4.2, 'PPL': 66.7}}, eval time is 1.5 s.", "eval", 7),
    (".........Starting Evaluate Model..........", "eval", 7),
    ("opt_global_step: 29, skip_data_grad_norm_threshold: 10.0, is_skip: [ True]", "skip", 7),
    (
        "[SkipStepOnNaN] Global gradient norm is nan at step 12, skipping the optimizer update (consecutive skipped: 1",
        "skip",
        12,
    ),
    ("[SkipStepOnNaN] The global gradient norm has been NaN/Inf for 3 consecutive steps.", "nan_stop", 7),
    (
        "Current global norm [51.5] of step 30 has been 1 consecutive times greater than threshold: 10.0",
        "norm_spike",
        30,
    ),
    (
        "The global norm 5.1 of step 31 is still greater or equal than threshold 3.0, continue training.",
        "norm_spike",
        31,
    ),
    ("Current global norm 51.5 is greater equal than threshold 3.0, stop training...", "norm_stop", 7),
    (
        "ValueError: Current global norm [47.3] of step 2 has been 2 consecutive times greater than threshold 3.0, "
        "stop training...",
        "norm_stop",
        2,
    ),
    ("RuntimeError: TREError occurred......", "norm_stop", 7),
    ("ValueError: Invalid loss, terminate training.", "nan_stop", 7),
    ("The current value of loss is NaN, terminate training.", "nan_stop", 7),
    ("There is nan in global_norm with value nan, terminate training.", "nan_stop", 7),
    ("SilentCheck detect SDC at step: 12", "sdc", 12),
    ("Start CheckSum at step: 13", "sdc", 13),
    ("Stop CheckSum at step: 14", "sdc", 14),
    ("CheckSum detects SDC on rank 3", "sdc", 7),
    ("Detect SDC by SilentCheck and CheckSum, which means training may be unstable.", "sdc", 7),
    ("SDC 3 strikes and out on rank: 5, ", "sdc", 7),
    ("Checking device logs at step: 15...", "sdc", 15),
    ("Start to stress detect", "stress", 7),
    ("Stress detection passed", "stress", 7),
    ("RuntimeError: Voltage recovery failed with error code: 174003", "stress", 7),
    ("STRESS TEST PASSED. ALL Results aligned at step 40", "stress", 40),
    ("STRESS TEST FAILED at step 41", "stress", 41),
    ("Stress tests ended, all passed", "stress", 7),
    ("layer: 3, drop_rate: 0.01230", "moe", 7),
    ("[expert load] iter 3: R, layer 2, load: min 0.12, max 3.40, std 0.50, details [1, 2]", "moe", 7),
    ("switch hot experts spent time is 1.500000 s.", "moe", 7),
    ("Worker process 4711 exit with exception. Error code: 1.", "error", 7),
    ("There's worker exits with exception, kill all other workers.", "error", 7),
    ("RuntimeError: Distributed job exited with exception. Please check logs in directory: ./log.", "error", 7),
    ("Error saving checkpoint: No space left on device", "error", 7),
    ("Error in training step 5.", "error", 5),
    ("All workers successfully exit!", "end", 7),
    (".........Training Over!.............", "end", 7),
    ("Training completed. Final checkpoint saved.", "end", 7),
    ("Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 5e-324", "overflow", 7),
    ("[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 2048, reducing to 1024", "overflow", 7),
    ("overflow, still update, loss scale adjust to 1024.0", "overflow", 7),
]


def events(*lines: str) -> list[RunEvent]:
    return [event for _, event in Followed(PARSER, "".join(f"{line}\n" for line in lines).encode()).events]


@pytest.mark.parametrize(("sentence", "kind", "step"), SAID, ids=[f"{kind} {said[:30]}" for said, kind, _ in SAID])
def test_a_sentence_becomes_one_event(sentence: str, kind: str, step: int | None) -> None:
    before = [] if step is None else [PREFIX + RECORD]
    (event,) = events(*before, PREFIX + sentence)
    assert (event.kind, event.step) == (kind, step)
    assert event.wall == time.mktime((2025, 6, 1, 10, 0, 30, 0, 0, -1)) + 0.099
    assert event.text.strip(". ") == sentence.strip(". ")


@pytest.mark.parametrize("kind", sorted({kind for _, kind, _ in SAID}))
def test_every_kind_is_told_in_the_contract(kind: str) -> None:
    assert kind in str(RunEvent.__doc__).split("``")[3].split()


def test_every_sentence_is_found_by_a_needle() -> None:
    for said, _, _ in SAID:
        assert any(needle in (PREFIX + said).encode() for needle in NEEDLES), said


def test_every_pattern_has_a_sentence_that_it_matches_first() -> None:
    matched = {heard[0] for said, _, _ in SAID if (heard := sentence_of(said.encode()))}
    assert [one.pattern for one in SENTENCES if one not in matched and one.kind not in ("traceback", "error")] == []


@pytest.mark.parametrize(
    "line",
    [
        "SDC card is mounted",
        "stop training when the loss is low",
        "the worker exits",
        "is_skip: [False]",
        "drop_rate: 0.1",
        "checkpoint will be saved at step 5",
        "hidden_dropout_rate: 0.1",
        "Stress",
    ],
)
def test_what_only_looks_like_a_sentence_is_no_event(line: str) -> None:
    assert events(PREFIX + line) == []


def test_a_norm_stop_is_no_nan_stop() -> None:
    (event,) = events("Current global norm 51.5 is greater equal than threshold 3.0, stop training...")
    assert (event.kind, event.wall) == ("norm_stop", None)


def test_a_traceback_has_the_step_at_which_it_began_and_stands_where_it_ends() -> None:
    told = events(
        RECORD,
        "Traceback (most recent call last):",
        '  File "train.py", line 3, in <module>',
        "    raise ValueError(', terminate training')",
        RECORD.replace("    7/", "    8/"),
        "my.own.TrainingError: no, terminate training",
    )
    assert [(event.kind, event.step, event.text[:20]) for event in told] == [
        ("traceback", 7, "my.own.TrainingError"),
        ("nan_stop", 8, "my.own.TrainingError"),
    ]


STACK = (
    "2025-06-01 10:00:00,000 - mindformers[x.py:1] - ERROR - Traceback (most recent call last):",
    '  File "/home/user/work/run_mindformer.py", line 289, in <module>',
    "    main(config_)",
    "    ^^^^^^^^^^^^^",
    '  File "C:\\jobs\\model.py", line 1274, in Model.train',
    "    self._train(epoch)",
    '  File "<string>", line 1, in <lambda>',
    "RuntimeError: out of memory",
)
FRAMES = ("run_mindformer.py:289 <module>", "model.py:1274 Model.train", "<string>:1 <lambda>")


def test_a_traceback_names_every_place_that_it_was_at() -> None:
    (told,) = events(RECORD, *STACK, '  File "not/of/it.py", line 9, in nobody')
    assert (told.text, told.frames) == ("RuntimeError: out of memory", FRAMES)
    assert RunEvent.decode(told.encode()) == told


def test_frames_are_the_same_for_any_cut() -> None:
    data = "".join(f"{line}\n" for line in (RECORD, *STACK, *STACK[:3], "OSError: no")).encode()
    whole = PARSER.parse(data, {}).events
    assert [event.frames for event in whole] == [FRAMES, FRAMES[:1]]
    for cut in range(len(data)):
        first = PARSER.parse(data[:cut], {})
        rest = PARSER.parse(data[first.consumed :], first.state)
        assert [*first.events, *rest.events] == whole


def test_of_an_endless_stack_the_innermost_places_are_kept() -> None:
    deep = [f'  File "/a/deep.py", line {number}, in {"f" * 90}' for number in range(1, 301)]
    (told,) = events(STACK[0], *deep, "RecursionError: maximum recursion depth exceeded")
    assert sum(map(len, told.frames)) <= 8_000
    assert told.frames[-1] == f"deep.py:300 {'f' * 90}"


def test_an_event_of_an_earlier_version_has_no_frames_and_one_of_a_later_is_read() -> None:
    old = '{"kind":"traceback","step":7,"wall":null,"text":"no","rank":3,"file":"w.log","generation":0}'
    assert RunEvent.decode(old) == RunEvent("traceback", 7, None, "no", 3, "w.log")
    assert RunEvent.decode(old).encode() == old
    assert RunEvent.decode(old.replace("{", '{"colour":1,', 1)) == RunEvent.decode(old)
