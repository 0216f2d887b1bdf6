"""Records of other programs: by their grammar, and never a sentence."""

from __future__ import annotations

import math

import pytest

from collector.normalise import canonical
from collector.parse.log.epochs import Epochs
from collector.parse.parsers import parser_for
from tests.support.scalars import Followed, curve

PARSER = parser_for("log")


def parse(text: str) -> dict[str, list[tuple[int, float | str]]]:
    parsed = PARSER.parse(text.encode(), {}, final=True)
    return {tag: curve(parsed, tag) for tag in parsed.scalars}


RECORDS = [
    ("epoch: 1 step: 42, loss is 4.347", {"loss": [(42, 4.347)]}),
    ("epoch: 1, step: 42, loss is nan", {"loss": [(42, "NaN")]}),
    ("Epoch 12/200, step:100/1487, loss:0.08,step cost:182ms", {"loss": [(16457, 0.08)], "step cost": [(16457, 182)]}),
    ("epoch[0], iter[600], loss:296.3, fps:44.44 imgs/sec", {"loss": [(600, 296.3)], "fps": [(600, 44.44)]}),
    ("845 s | epoch: 1 step: 2505 total_loss: 0.04977", {"total_loss": [(2505, 0.04977)]}),
    ("epoch:  1 / 20   step:  3 / 10\tDloss:  2.25\tGloss:  1.5", {"Dloss": [(3, 2.25)], "Gloss": [(3, 1.5)]}),
    ("\titers: 950, epoch: 1 | loss: 0.0451102", {"loss": [(950, 0.0451102)]}),
    ("step 1/25, loss: 15.994116", {"loss": [(1, 15.994116)]}),
    ("Step: 7 loss = 2.5 lr = 1e-4", {"loss": [(7, 2.5)], "lr": [(7, 1e-4)]}),
    ("train: Epoch:1, Step:5, Loss: 2.5, LR: (1e-06,2e-06,)", {"Loss": [(5, 2.5)], "LR": [(5, 1e-6)]}),
    ("eta: 1 day, 1:02:03  iter: 20  loss: nan (nan)  acc: 0.5 (0.25)", {"loss": [(20, "NaN")], "acc": [(20, 0.5)]}),
    ("[Train] 2 epoch. Loss: 397.5", {"Loss": [(2, 397.5)]}),
    ("Epoch: [2/3], batch: [10/10], loss: 5.5, time: 93.5s", {"loss": [(20, 5.5)], "time": [(20, 93.5)]}),
    ("rank_id:0, step: 3, avg loss: 4.5, overflow: 0.1", {"avg loss": [(3, 4.5)], "overflow": [(3, 0.1)]}),
    ("Epoch 1/2, Step 3/9, imgsize (640, 640), loss: 1.5", {"loss": [(3, 1.5)]}),
    ("completed step: 29, TFLOP/s/device: 245.8, loss: 1.5", {"TFLOP/s/device": [(29, 245.8)], "loss": [(29, 1.5)]}),
    ("worker_0/worker.log:7409:local epoch: 3, loss: 3.75", {"loss": [(3, 3.75)]}),
    ("[Eval] epoch: 3, loss: 2.5, acc: 0.5", {"eval_loss": [(3, 2.5)], "eval/acc": [(3, 0.5)]}),
    ("epoch： 1 step： 42， loss is 4.5", {"loss": [(42, 4.5)]}),
    ("\x1b[32mepoch: 1 step: 42, loss is 4.5\x1b[0m", {"loss": [(42, 4.5)]}),
]


@pytest.mark.parametrize(
    ("line", "wanted"),
    RECORDS,
)
def test_a_record_is_read_however_it_is_spelled(line: str, wanted: dict[str, list[tuple[int, float]]]) -> None:
    assert parse(line) == wanted
    assert parse(f"2024-03-04 12:02:42,123 INFO {line}\r\n") == wanted


@pytest.mark.parametrize(
    "line",
    [
        "loss is greater than 500",
        "epoch: 3 step: 5, loss is greater than 500",
        "resumed at step 5, loss 3.5",
        "At step 5 the loss: 3",
        "eval_step: 10, mse: 2.167e-06, acc: 0.9970, eval_loss: 0.088405",
        "epcoh: 2 step: 97, loss is 1.6003821",
        "Step[2067/2067], cost time 1.1225s, every example cost time is 1.1225, generate speed: 4.5 tokens/s",
        "Validation loss decreased (inf --> 0.099851).  Saving model ...",
        "step: 5, seed: 3",
        "step: 5: loss went up to 3",
        "warmup_step: 5, lr: 0.1",
        "'step': 5, 'lr': 0.1",
        "{'loss': 1.89, 'learning_rate': 0.00019, 'epoch': 0.18}",
        "Epoch 0: 100%|████| 273/273 [00:30<00:00,  9.00it/s, loss=0.674]",
        "Total time since last epoch: 1111.5(train: 951.2, val: 158.2)s, ETA: 132271.0s",
        "epochs: 3, lr: 0.1",
        "learning_rate: 2e-05, num_epoch: 10, loss: 4.5",
        "Early stopping, patience 3, epoch: 5, best is 3 of 7",
        "from step: 5 of the schedule loss: 3",
    ],
)
def test_a_sentence_is_no_record(line: str) -> None:
    assert parse(f"2024-03-04 12:02:42,123 INFO {line}\n") == {}


def test_steps_that_begin_anew_in_each_epoch_go_on() -> None:
    monitor = "".join(f"epoch: {epoch} step: {step}, loss is 1.0\n" for epoch in (1, 2, 3) for step in (10, 20, 25))
    assert [step for step, _ in parse(monitor)["loss"]] == [10, 20, 25, 35, 45, 50, 60, 70, 75]


def test_the_length_that_time_monitor_tells_counts_more_than_the_last_step_that_is_printed() -> None:
    text = "epoch: 1 step: 90, loss is 1.0\nTrain epoch time: 97194.0 ms, per step time: 1002.0 ms\n"
    found = parse(text + "epoch: 2 step: 3, loss is 1.0\nepoch: 4 step: 3, loss is 1.0\n")
    assert [step for step, _ in found["loss"]] == [90, 100, 294]
    assert found["per step time"] == [(90, 1002.0)]


def test_steps_that_go_on_over_epochs_are_left_alone() -> None:
    text = "".join(f"epoch[{step // 100}], iter[{step}], loss:1.5\n" for step in range(50, 400, 50))
    assert [step for step, _ in parse(text)["loss"]] == list(range(50, 400, 50))


def test_a_resumed_log_begins_where_it_says() -> None:
    epochs = Epochs()
    assert [epochs.step(epoch, step) for epoch, step in ((5, 10), (5, 20), (6, 10), (1, 10))] == [10, 20, 30, 10]


def test_an_epoch_of_its_own_time_needs_no_time_monitor() -> None:
    text = "epoch: [  0/200], step:[    4/    5], loss:[5.258/5.258], time:[140.236], lr:[0.100]\n"
    found = parse(text + "epoch time: 701.5, per step time: 140.3, avg loss: 5.258\n")
    assert found == {"loss": [(4, 5.258)], "time": [(4, 140.236)], "lr": [(4, 0.1)]}


def test_a_rate_of_its_own_line_belongs_to_the_record_before_it() -> None:
    found = parse("lr:[0.5]\nepoch: 1 step: 42, loss is 4.5\nlr:[0.000088]\nlr: 0.25\nthe lr:[0.3] is high\n")
    assert found == {"loss": [(42, 4.5)], "lr": [(42, 0.000088)]}


@pytest.mark.parametrize(
    ("tag", "unit", "metric"),
    [
        ("Loss", "", "loss"),
        ("Learning_rate", "", "lr"),
        ("Time", "ms", "step_time"),
        ("time", "", "step_time"),
        ("time", "s", None),
        ("time", "?", None),
        ("lm loss", "", "loss"),
    ],
)
def test_a_time_is_a_step_time_in_milliseconds_only(tag: str, unit: str, metric: str | None) -> None:
    assert canonical("log", tag, state={"time_unit": unit}) == metric


@pytest.mark.parametrize(
    ("clock", "second"),
    [
        ("2023-08-02T21:57:29+08:00", 1690984649.0),
        ("2023-08-02 21:57:29.500Z", 1691013449.5),
        ("Sun, 14 May 2023 22:09:09", None),
        ("2023/08/02 21:57:29", None),
        ("2022-11-10 11:00:57,009.009", None),
    ],
)
def test_odd_clocks_are_read(clock: str, second: float | None) -> None:
    parsed = Followed(PARSER, f"{clock} INFO - step: 5, loss: 2.5\n".encode())
    ((_, wall, _),) = parsed.scalars[(0, "loss")]
    assert not isinstance(wall, str) and math.isfinite(wall)
    assert second is None or wall == second


def test_any_cut_of_other_records_gives_the_same() -> None:
    text = (
        "".join(f"epoch: {epoch} step: {step}, loss is 1.{step}\n" for epoch in (1, 2) for step in (10, 20))
        + "Train epoch time: 97194.0 ms, per step time: 1002.0 ms\nepoch: 3 step: 3, loss is 1.0\nlr:[0.5]\n"
    ).encode()
    whole = Followed(PARSER, text).all()
    for cut in range(len(text)):
        assert Followed(PARSER, text, [cut]).all() == whole
