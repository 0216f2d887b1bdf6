"""Text logs of every MindFormers version, whole, in pieces, and mangled."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.parse.log import rank_log
from collector.parse.log import rows as log_rows
from collector.parse.log import sentences as log_sentences
from collector.parse.log.text import LONGEST_LINE
from collector.parse.parsers import parser_for
from tests.support.scalars import Followed, curve, points

LOGS = Path(__file__).parents[1] / "data" / "fixtures" / "logs"
PARSER = parser_for("log")
CONSOLE = "2025-06-01 10:00:30,099 - mindformers./output/log[mindformers/core/callback/callback.py:494] - INFO - "
FILE = "[INFO] 2025-06-01 10:00:30,099 [mindformers/core/callback/callback.py:313] print_output_info: "
RECORD = (
    "{ Epoch:[  2/  3], step:[    5/  100], loss: 2.500, per_step_time: 742ms, "
    "lr: 1e-05, overflow cond: False, loss_scale: 1.0"
)
BAR = "  2.0% |█                     | 10.92383 samples/s/p  1 day, 2:03:04 }"
START = ".........Build Callbacks For Train.........."


def log(*messages: str, prefix: str = CONSOLE) -> bytes:
    return "".join(f"{prefix}{message}\n" for message in messages).encode()


def parse(data: bytes | str) -> dict[str, list[tuple[int, float | str]]]:
    parsed = PARSER.parse(data.encode() if isinstance(data, str) else data, {}, final=True)
    return {tag: curve(parsed, tag) for tag in parsed.scalars}


# counted with grep: records with a loss, first and last of them
LOSSES = [
    ("mf0.3.0_nosink/msrun_log/worker_0.log", 60, (1, 11.161), (60, 6.449)),
    ("mf0.3.0_nosink/output/log/rank_0/mindformers.log", 60, (1, 11.161), (60, 6.449)),
    ("mf0.8.0_sink/msrun_log/worker_0.log", 60, (1, 11.161), (60, 6.449)),
    ("mf0.8.0_sink/output/log/rank_0/info.log", 60, (1, 11.161), (60, 6.449)),
    ("mf1.0.2_overflow/msrun_log/worker_0.log", 250, (1, 11.161), (250, 2.457)),
    ("mf1.0.2_overflow/output/log/rank_0/info.log", 250, (1, 11.161), (250, 2.457)),
    ("mf1.3.2_eval_nan_resume/msrun_log/worker_0.first_run.log", 220, (1, 11.161), (220, 2.677)),
    ("mf1.3.2_eval_nan_resume/msrun_log/worker_0.log", 100, (201, 2.844), (300, 2.343)),
    ("mf1.3.2_eval_nan_resume/output/log/rank_0/info.log", 320, (1, 11.161), (300, 2.343)),
    ("mf1.6.0_pp2_state_monitor/msrun_log/worker_7.log", 200, (1, 11.161), (200, 2.848)),
    ("mf1.6.0_pp2_state_monitor/output/log/rank_0/info.log", 200, (1, 0.0), (200, 0.0)),
    ("mf1.6.0_pp2_state_monitor/output/log/rank_7/info.log", 200, (1, 11.161), (200, 2.848)),
    ("mf1.8.0_state_monitor_log/msrun_log/worker_0.log", 40, (1, 11.161245), (40, 7.703831)),
    ("mf1.8.0_state_monitor_log/output/log/rank_0/info.log", 40, (1, 11.161245), (40, 7.703831)),
    ("mf2.1.0_graph_grouped_lr/msrun_log/worker_0.log", 25, (1, 11.161245), (25, 8.845966)),
    ("mf2.1.0_graph_grouped_lr/output/log/rank_0/info.log", 25, (1, 11.161245), (25, 8.845966)),
    ("mf2.1.0_graph_moe_nan_crash/msrun_log/worker_0.log", 220, (1, 11.161245), (220, "NaN")),
    ("mf2.1.0_graph_moe_nan_crash/output/log/rank_0/info.log", 220, (1, 11.161245), (220, "NaN")),
    ("mf2.1.0_graph_no_lr_no_norm/msrun_log/worker_0.log", 20, (1, 11.161245), (20, 9.203098)),
    ("mf2.1.0_graph_no_lr_no_norm/output/log/rank_0/info.log", 20, (1, 11.161245), (20, 9.203098)),
    ("mf2.1.0_graph_norm_spike_skip/msrun_log/worker_0.log", 72, (1, 11.161245), (72, 5.88437)),
    ("mf2.1.0_graph_norm_spike_skip/output/log/rank_0/info.log", 72, (1, 11.161245), (72, 5.88437)),
    ("mf2.1.0_pynative_pp2/msrun_log/worker_7.log", 220, (1, 10.765179), (220, 2.349554)),
    ("mf2.1.0_pynative_pp2/output/log/rank_7/info.log", 220, (1, 10.765179), (220, 2.349554)),
    ("seed_article/sample.log", 1, (10, 2.4312), (10, 2.4312)),
]


@pytest.mark.parametrize(("file", "count", "first", "last"), LOSSES, ids=[row[0] for row in LOSSES])
def test_every_loss_of_a_fixture_is_read(
    file: str, count: int, first: tuple[int, float], last: tuple[int, float | str]
) -> None:
    data = (LOGS / file).read_bytes()
    read = Followed(PARSER, data)
    losses = [point for (_, tag), found in read.scalars.items() if tag == "loss" for point in found]
    assert (len(losses), losses[0][::2], losses[-1][::2]) == (count, first, last)
    assert read.consumed == len(data)
    bars = sum(len(found) for (_, tag), found in read.scalars.items() if tag == "samples/s/p")
    assert bars == data.count(b"samples/s/p")


def tags(file: str) -> dict[str, int]:
    return {tag: len(found) for tag, found in parse((LOGS / file).read_bytes()).items()}


def test_names_are_kept_as_printed_and_absent_values_are_absent() -> None:
    assert tags("mf2.1.0_graph_no_lr_no_norm/output/log/rank_0/info.log") == {
        "loss": 20,
        "per_step_time": 20,
        "lr": 20,
        "overflow cond": 20,
        "loss_scale": 20,
        "samples/s/p": 20,
    }
    assert "grad_norm" not in tags("mf2.1.0_pynative_pp2/output/log/rank_0/info.log")


def test_monitored_values_and_grouped_rates_are_read() -> None:
    monitored = tags("mf1.8.0_state_monitor_log/output/log/rank_0/info.log")
    assert monitored["device_local_norm"] == monitored["throughput_linearity"] == 8
    assert monitored["micro_local_lm_loss"] == 16
    assert monitored["local_norm/decoder.layers.1.mlp.linear_fc2.weight"] == 8
    grouped = tags("mf2.1.0_graph_grouped_lr/output/log/rank_0/info.log")
    assert (grouped["default_lr"], grouped["group_0_lr"], grouped["group_1_lr"]) == (25, 25, 25)


def test_pynative_prints_its_monitors_as_almost_json() -> None:
    found = parse((LOGS / "mf2.1.0_pynative_pp2/msrun_log/worker_7.log").read_bytes())
    assert found["device_loss"][0] == (1, 10.765178680419922)
    norms = found["local_norm/model.decoder.layers.0.self_attention.linear_qkv.weight"]
    assert (len(norms), norms[0]) == (8, (50, 0.22226))
    assert [step for step, value in found["grad_norm"] if value == "NaN"] == [120]  # lower case: a value


def test_an_evaluation_stands_at_the_step_before_it() -> None:
    found = parse((LOGS / "mf1.3.2_eval_nan_resume/msrun_log/worker_0.first_run.log").read_bytes())
    assert found["eval_loss"] == [(50, 7.155732), (100, 4.874674), (150, "NaN"), (200, 2.958037)]
    assert found["eval/PPL"][0] == (50, 1281.4301)


@pytest.mark.parametrize("prefix", [CONSOLE, FILE, "", "-\\|/-\\|/" + CONSOLE, "- INFO - "])
def test_a_record_counts_steps_over_all_epochs_whatever_stands_before_it(prefix: str) -> None:
    parsed = PARSER.parse(log(RECORD, BAR, prefix=prefix), {})
    clock = time.mktime((2025, 6, 1, 10, 0, 30, 0, 0, -1)) + 0.099 if "2025" in prefix else "NaN"
    assert points(parsed.scalars["loss"]) == [(105, clock, 2.5)]
    assert points(parsed.scalars["samples/s/p"]) == [(105, clock, 10.92383)]
    assert parsed.facts == {"format": "graph", "total_steps": "300", "epochs": "3", "steps_per_epoch": "100"}


@pytest.mark.parametrize(
    ("spelling", "value"),
    [
        (" 2.5", 2.5),
        ("[11.161/ 9.5]", 11.161),
        ("[1.5849859]", 1.5849859),
        ("[0.]", 0.0),
        ("   nan", "NaN"),
        ("[  nan/  nan]", "NaN"),
        (" -inf", -math.inf),
        (" 715.78T", 715.78),
        (" 1,234.5", 1234.5),
        (" 1.25e\u201104", 1.25e-4),
        (" .5", 0.5),
        (" Tensor(shape=[], dtype=Float32, value= 2.0)", 2.0),
        (" True", 1.0),
        (" \x1b[1;31m2.875\x1b[0m", 2.875),
        (" None", None),
        (" unavailable", None),
        (" N/A (non-last PP stage, refer to last stage for real loss)", None),
        (" 3 little pigs", None),
        (" 1_000", None),
        ("", None),
    ],
)
def test_numbers_as_people_and_programs_spell_them(spelling: str, value: float | str | None) -> None:
    found = parse(log(f"{{ step:[    3/ 1000], loss:{spelling}, lr: 1.0 }}"))
    assert found.get("loss", []) == ([] if value is None else [(3, value)])
    assert found["lr"] == [(3, 1.0)]


def test_full_width_punctuation_and_carriage_returns_are_read() -> None:
    line = "step:[  3/10], loss： 2.5, lr: 1e-05"
    assert parse(f"99%\r{line}\r\n") == {"loss": [(3, 2.5)], "lr": [(3, 1e-5)]}


@pytest.mark.parametrize(
    "sentence",
    [
        "Current global norm [44.3] of step 1 has been 1 consecutive times greater than threshold: 3.0",
        "opt_global_step: 0, skip_data_grad_norm_threshold: 3.0, is_skip: [ True]",
        "Step[2067/2067], cost time 1.1225s, every example cost time is 1.1225, generate speed: 4.5 tokens/s",
        "step:[ 3/10] the loss was 3: we went home",
        "learning_rate: 2e-05, num_epoch: 10, loss: 4.5",
    ],
)
def test_a_sentence_with_a_number_in_it_is_no_metric(sentence: str) -> None:
    assert parse(log(sentence)) == {}


def kinds(data: bytes) -> list[tuple[str, int | None]]:
    return [(event.kind, event.step) for event in PARSER.parse(data, {}, final=True).events]


def test_a_run_tells_what_happens_to_it() -> None:
    data = log(
        START,
        ".............Start resume training from checkpoint..................",
        ".........Model Compiling, Please Wait a Moment...........",
        ".........Starting Training Model..........",
        RECORD.replace("False", "True"),
        "......Saving ckpt......",
        "Eval result: {'PerplexityMetric': {'loss': 4.2, 'PPL': 66.7}}, eval time is 1.5 s.",
        "opt_global_step: 29, skip_data_grad_norm_threshold: 10.0, is_skip: [ True]",
        "Checkpoint saved at step 500 to ./ckpt (async=False, remove_redundancy=False)",
        ".........Training Over!.............",
    )
    assert kinds(data) == [
        ("start", None),
        ("resume", None),
        ("compile", None),
        ("train", None),
        ("overflow", 105),
        ("checkpoint", 105),
        ("eval", 105),
        ("skip", 105),
        ("checkpoint", 500),
        ("end", 105),
    ]


def test_a_traceback_is_one_event_with_its_last_line() -> None:
    data = (LOGS / "mf2.1.0_graph_moe_nan_crash/msrun_log/worker_0.log").read_bytes()
    told = [event for event in PARSER.parse(data, {}).events if event.kind in ("traceback", "nan_stop", "error")]
    assert [event.kind for event in told] == ["traceback", "nan_stop"]
    assert {event.text for event in told} == {"ValueError: There is nan in loss with value nan, terminate training."}


def test_facts_of_the_run_are_read() -> None:
    data = log(
        "pipeline stages: 2 > 1, the loss on the last card is valid.",
        "When zero_bubble_v is enabled, loss is valid only on rank 0",
        "Set tensorboard path to './tensorboard'",
        "Network Parameters: 7505.2 M.",
        "full batch is True: global_batch_size = batch_size * data_parallel = 32 = 32 * 1",
        "Create train dataset finish, dataset size:535",
    )
    assert PARSER.parse(data, {}).facts == {
        "pipeline_stages": "2",
        "zero_bubble_v": "enabled",
        "tensorboard_dir": "./tensorboard",
        "parameters": "7505.2 M",
        "global_batch_size": "32",
        "steps_per_epoch": "535",
    }


@pytest.mark.parametrize(
    "line",
    [
        "global_batch_size = batch_size_per_card * device_num * gradient_accumulation_steps = 64 = 8 * 8 * 1",
        "global_batch_size = per_batch_size * data_parallel = 8 * 8 = 64",
        "global batch size will be changed: global_batch_size = batch_size * data_parallel = 64 = 8 * 8).",
    ],
)
def test_the_global_batch_is_the_product_whichever_side_it_stands_on(line: str) -> None:
    assert PARSER.parse(log(line), {}).facts["global_batch_size"] == "64"


def test_a_start_after_points_opens_a_new_generation() -> None:
    read = Followed(PARSER, (LOGS / "mf1.3.2_eval_nan_resume/output/log/rank_0/info.log").read_bytes())
    assert {key: len(found) for key, found in read.scalars.items() if key[1] == "loss"} == {
        (0, "loss"): 220,
        (1, "loss"): 100,
    }
    told = [event.kind for generation, event in read.events if generation == 1]
    assert told == ["resume", "resume", "start", "start", "compile", "train", "eval", "eval", "end"]


def test_several_start_lines_are_one_restart_and_none_before_points() -> None:
    data = log(START, START, RECORD, START, START, RECORD)
    parsed = PARSER.parse(data, {})
    assert parsed.restarted is not None and parsed.restarted.text == "Build Callbacks For Train"
    assert data[parsed.consumed :] == log(START, START, RECORD)
    assert Followed(PARSER, data).generation == 1


SMALL = (
    log(START, "pipeline stages: 2 > 1, the loss on the last card is valid.", RECORD, BAR)
    + "噪声 \x1b[1mline\x1b[0m\r\n".encode()
    + log(*[RECORD.replace("step:[    5", f"step:[ {step:4}") for step in range(6, 9)])
    + b"Traceback (most recent call last):\n  File x\n    raise ValueError(', terminate training')\nValueError: no\n"
    + log(START, RECORD, "Eval result: {'M': {'loss': 4.2}}, eval time is 1.5 s.", prefix=FILE)
)


def test_any_cut_gives_the_same() -> None:
    whole = Followed(PARSER, SMALL).all()
    for cut in range(len(SMALL)):
        assert Followed(PARSER, SMALL, [cut]).all() == whole


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 160_000), max_size=40).map(sorted))
def test_any_cuts_of_a_resumed_log_give_the_same(cuts: list[int]) -> None:
    data = (LOGS / "mf1.3.2_eval_nan_resume/output/log/rank_0/info.log").read_bytes()
    assert Followed(PARSER, data, cuts).all() == Followed(PARSER, data).all()


@pytest.mark.parametrize("file", [row[0] for row in LOSSES if "info.log" in row[0]])
def test_a_learnt_shape_changes_nothing_that_is_read(file: str) -> None:
    data = (LOGS / file).read_bytes()
    lines = data.splitlines(keepends=True)
    ends = [sum(map(len, lines[: number + 1])) for number in range(len(lines))]
    assert log_rows.FEWEST_LINES > 1  # so that line by line no shape is learnt
    assert Followed(PARSER, data, ends).all() == Followed(PARSER, data).all()


def test_a_last_line_without_its_newline_counts_at_the_end_only() -> None:
    data = log(RECORD)[:-1]
    assert PARSER.parse(data, {}).consumed == 0
    assert curve(PARSER.parse(data, {}, final=True), "loss") == [(105, 2.5)]


def test_a_huge_line_is_passed_over() -> None:
    huge = b"config: step:[" + b"x" * LONGEST_LINE
    data = log(RECORD) + huge + b"\n" + log(RECORD)
    assert len(parse(data)["loss"]) == 2
    cuts = [len(log(RECORD)) + LONGEST_LINE, len(log(RECORD)) + LONGEST_LINE + 7]
    assert Followed(PARSER, data, cuts).all() == Followed(PARSER, data).all()


@pytest.mark.timeout(20)
@pytest.mark.parametrize("needle", [*rank_log.RULES, *log_sentences.NEEDLES], ids=repr)
def test_a_line_full_of_one_needle_is_read_in_linear_time(needle: bytes) -> None:
    filled = (needle * LONGEST_LINE)[: LONGEST_LINE - 100]
    assert len(parse(filled + b"\n" + log(RECORD))["loss"]) == 1


def test_a_line_of_blanks_is_read_in_linear_time() -> None:
    assert parse(b"step:[1/2] a:" + b" " * (LONGEST_LINE - 100) + b"x\n") == {}
    assert parse(b"step:[1/2], a: Tensor(" + b"value= " * 30_000 + b"\n") == {}


@settings(max_examples=200)
@given(st.binary(max_size=80), st.sampled_from([b"step:[", b'{"step": ', b"Eval result: ", b"_lr: ", b"ERROR", b""]))
def test_no_bytes_can_stop_a_log(junk: bytes, needle: bytes) -> None:
    data = junk + needle + junk + b"\n" + log(RECORD)
    assert parse(data)["loss"][-1] == (105, 2.5)
