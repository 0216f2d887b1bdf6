"""What known lines about trouble say: names and numbers, and words for every one of them in both languages."""

from __future__ import annotations

import math
import string

import pytest
from flask import Flask

from app.pages.sentences import sentence
from app.series.happening import Happening
from app.series.telling import SPELLINGS, joined, told, values
from app.words.browser.told import WORDS
from tests.collector.test_log_sentences import SAID

AGAIN = "Current global norm [51.542484] of step 30 has been 1 consecutive times greater than threshold: 10.0"
SKIPPED = "opt_global_step: 30, skip_data_grad_norm_threshold: 10.0, is_skip: [ True]"
IN_WORDS = [
    ("norm_spike", AGAIN, "gradient norm 51.54 above 10, 1 in a row"),
    (
        "norm_stop",
        "ValueError: Current global norm [1247.3] of step 2 has been 3 consecutive times greater than threshold 3.0, "
        "stop training...",
        "gradient norm 1,247 above 3, 3 in a row",
    ),
    (
        "norm_spike",
        "The global norm 5.1 of step 31 is still greater or equal than threshold 3.0, continue training.",
        "gradient norm 5.1 still at or above 3, training goes on",
    ),
    (
        "norm_stop",
        "Current global norm inf is greater equal than threshold 3.0, stop training...",
        "gradient norm +Inf at or above 3",
    ),
    ("skip", SKIPPED, "gradient norm above 10"),
    (
        "skip",
        "[SkipStepOnNaN] Global gradient norm is nan at step 12, skipping the optimizer update (consecutive skipped: "
        "1, total skipped: 4).",
        "gradient norm NaN, 1 in a row, 4 in all",
    ),
    ("skip", "[SkipStepOnNaN] Global gradient norm is nan at step 12, skipping the", "gradient norm NaN"),
    ("nan_stop", "ValueError: There is nan in loss with value nan, terminate training.", "loss NaN"),
    ("nan_stop", "There is inf in global_norm with value [inf], terminate training.", "gradient norm +Inf"),
    ("nan_stop", "There is nan in local_norm with value [1. nan], terminate training.", "local gradient norm NaN"),
    ("nan_stop", "The current value of loss is Inf, terminate training.", "loss +Inf"),
    ("nan_stop", "global_norm is [nan], terminate training.", "gradient norm NaN"),
    (
        "nan_stop",
        "loss is nan, local_norm is [2.5], global_norm is [nan], terminate training.",
        "loss NaN, local gradient norm 2.5, gradient norm NaN",
    ),
    (
        "nan_stop",
        "RuntimeError: [SkipStepOnNaN] The global gradient norm has been NaN/Inf for 3 consecutive steps.",
        "gradient norm NaN or Inf for 3 steps in a row",
    ),
    (
        "error",
        "Worker process 4711 exit with exception. Error code: -9.",
        "worker process 4711 ended with error code -9",
    ),
    (
        "error",
        "RuntimeError: Distributed job exited with exception. Please check logs in directory: ./msrun_log.",
        "the job ended with an error, its logs are in ./msrun_log",
    ),
    ("error", "Error in training step 12345.", "training step 12,345 failed"),
    ("error", "No space left on device", ""),
    ("error", "Error in training step five", ""),
    ("norm_spike", "Current global norm unknown of step 3 has been 1 consecutive times", ""),
    ("sdc", "SDC 3 strikes and out on rank: 5, ", "rank 5 has had it 3 times and is given up"),
    (
        "overflow",
        "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0",
        "optimizer step left out, loss scale lowered to 32,768",
    ),
    ("resume", "Loading checkpoint from: ./ckpt/{rank} 0", "from ./ckpt/{rank} 0"),
    ("moe", "layer: 3, drop_rate: 0.01230", "layer 3 dropped a share of 0.0123 of its tokens"),
]


@pytest.mark.parametrize(("kind", "line", "words"), IN_WORDS, ids=[words or line for _, line, words in IN_WORDS])
def test_a_line_about_trouble_is_said_in_words(kind: str, line: str, words: str) -> None:
    assert sentence(told(Happening(kind, line))) == words


TROUBLE = [(kind, line) for line, kind, _ in SAID if kind in SPELLINGS]


@pytest.mark.parametrize(("kind", "line"), TROUBLE, ids=[line[:40] for _, line in TROUBLE])
def test_every_line_about_trouble_that_is_known_has_words(server: Flask, kind: str, line: str) -> None:
    event = told(Happening(kind, line))
    assert sentence(event)
    with server.test_request_context(headers={"Accept-Language": "zh"}):
        assert any(character >= "\u4e00" for character in sentence(event))


def test_every_sentence_gets_what_its_places_ask_for() -> None:
    joins = {"skip_norm_above": {"norm", "threshold"}}
    has = {one.says: set(one.pattern.groupindex) for several in SPELLINGS.values() for one in several} | joins
    wants = {key: {name for _, name, _, _ in string.Formatter().parse(str(one)) if name} for key, one in WORDS.items()}
    assert wants == {f"told_{says}": names for says, names in has.items()}


def test_a_skipped_batch_has_the_norm_of_the_line_that_names_it() -> None:
    lines = [Happening("skip", SKIPPED, 30), Happening("norm_spike", AGAIN, 30)]
    first, spike, other = joined(told(one) for one in [*lines, Happening("skip", SKIPPED, 30, attempt=2)])
    stopped = Happening("norm_stop", f"ValueError: {AGAIN}, stop training...", 30)
    assert sentence(joined([told(lines[0]), told(stopped)])[0]) == "gradient norm 51.54 above 10"
    assert sentence(first) == "gradient norm 51.54 above 10"
    assert (spike.detail["norm"], sentence(other)) == (51.542484, "gradient norm above 10")


def test_numbers_are_numbers_and_names_are_names() -> None:
    assert values("error", "Worker process 4711 exit with exception. Error code: 1.") == {
        "says": "error_worker",
        "worker": "4711",
        "code": "1",
    }
    [norm] = [one for name, one in values("nan_stop", "There is nan in global_norm with").items() if name == "norm"]
    assert isinstance(norm, float)
    assert math.isnan(norm)
    assert values("eval", "Eval result: {'loss': 4.2}") == {}
