"""Remedies, evidence and letters, in both languages."""

from __future__ import annotations

import json
import re
from typing import get_args

import pytest
import yaml

from app.diagnosis.notify.letter import Item, letter
from app.diagnosis.notify.message import harmless, markdown, plain, shortened
from app.diagnosis.notify.notice import Notice
from app.diagnosis.signal import Class, Evidence, Severity, Signal
from app.language import speaking
from app.words.copies import COPIES, copies, version_of
from app.words.evidence import sentence
from app.words.letters import message
from app.words.rank_remedies import PARTS, remedy
from app.words.remedies import REMEDIES
from collector.wire.records import RunId

HAN = re.compile(r"[\u4e00-\u9fff]")
ALL = get_args(Class)


@pytest.mark.parametrize("about", ALL)
def test_every_class_says_what_it_means_where_it_comes_from_and_what_to_do(about: Class) -> None:
    known = REMEDIES[about]
    assert known.steps
    assert known.causes or about == "custom"
    texts = [known.name, known.meaning, *known.causes, *known.steps]
    english = [str(one) for one in texts]
    assert not any(HAN.search(one) for one in english)
    with speaking("zh"):
        assert all(HAN.search(str(one)) for one in texts)


@pytest.mark.parametrize("about", ALL)
def test_what_is_to_be_copied_is_what_it_says_it_is(about: Class) -> None:
    assert COPIES[about] or about == "custom"
    for one in COPIES[about]:
        if one.language == "yaml":
            assert isinstance(yaml.safe_load(one.text), dict), one.text
        if one.language == "json":
            assert isinstance(json.loads(one.text), dict)


def test_keys_are_those_of_the_version_and_of_the_trainer() -> None:
    def texts(*version: int, mode: str | None = None) -> str:
        return "\n".join(one.text for one in copies("nan_inf", version or None, mode))  # type: ignore[arg-type]

    assert "check_for_nan_in_loss_and_grad" not in texts(1, 2, 0)
    assert "layernorm_compute_type" in texts(1, 3, 2)
    assert "layernorm_compute_type" not in texts(1, 8, 0)
    assert "layernorm_compute_dtype" in texts(1, 8, 0)
    assert "use_skip_step_on_nan" not in texts(2, 1, 0, mode="graph")
    assert "use_skip_step_on_nan" in texts(2, 1, 0, mode="pynative")
    assert "runner_wrapper" not in texts(2, 1, 0, mode="pynative")
    assert "MINDSPORE_DUMP_CONFIG" in texts(2, 1, 0, mode="pynative")


@pytest.mark.parametrize(("text", "version"), [("1.8.0rc1", (1, 8, 0)), ("2.1", (2, 1, 0)), ("r1.5", None), ("", None)])
def test_a_version_is_read(text: str, version: tuple[int, ...] | None) -> None:
    assert version_of(text) == version


def said(about: Class, evidence: Evidence, rule: str = "X1", rank: int | None = None) -> Signal:
    return Signal("raise", about, rule, "warning", 31219, 31216, None, evidence, rank)


SPIKE = Evidence(5.1, 2.2, 0.05, 60, 5.1 / 2.2, 5, (("gradient_ratio", 66.0), ("rho", 0.3)))
SENTENCES = [
    (
        said("loss_spike", SPIKE),
        "loss 5.1 at step 31,219 (usually 2.2, +132 %, 60 σ), gradient norm 66 × its usual, since step 31,216",
        "第 31,219 步损失为 5.1（平时 2.2，+132%，60 σ），梯度范数为平时的 66 倍，自第 31,216 步起",
    ),
    (
        said("nan_inf", Evidence(float("nan")), "N2"),
        "gradient norm NaN at step 31,219, since step 31,216",
        "第 31,219 步梯度范数为 NaN，自第 31,216 步起",
    ),
    (
        said("stall", Evidence(700, 12.3, beside=(("patience", 400.0),))),
        "nothing logged for 12 min after step 31,219 (usual pause 12 s)",
        "第 31,219 步之后 12 分钟没有新日志（平时间隔 12 秒）",
    ),
    (
        said("rank_outlier", Evidence(2.9, 2.4, ratio=1.2083, z=8.2), rank=3),
        "rank 3: value 2.9 at step 31,219 (usually 2.4, +21 %, 8 σ), since step 31,216",
        "rank 3：第 31,219 步数值为 2.9（平时 2.4，+21%，8 σ），自第 31,216 步起",
    ),
    (
        said("step_regress", Evidence(31219, 32000, beside=(("steps_back", 781.0),))),
        "from step 32,000 back to step 31,219",
        "从第 32,000 步回退到第 31,219 步",
    ),
    (
        said("grad_vanish", Evidence(1e-6, 0.8, ratio=1.25e-6, z=-40)),
        "gradient norm 1.00e-6 at step 31,219 (usually 0.8, 1.25e-6×, −40 σ), since step 31,216",
        "第 31,219 步梯度范数为 1.00e-6（平时 0.8，1.25e-6×，−40 σ），自第 31,216 步起",
    ),
    (
        said("custom", Evidence(9.1, beside=(("threshold", 8.0),)), "loss too high"),
        "loss too high 9.1 at step 31,219, threshold 8, since step 31,216",
        "第 31,219 步loss too high为 9.1，阈值 8，自第 31,216 步起",
    ),
    (
        said("throughput", Evidence(2.9, 2.4, ratio=1.234)),
        "a step takes 1.23 × as long as it did, at step 31,219, since step 31,216",
        "第 31,219 步的单步耗时为此前的 1.23 倍，自第 31,216 步起",
    ),
]


@pytest.mark.parametrize(("signal", "english", "chinese"), SENTENCES, ids=[one[0].about for one in SENTENCES])
def test_a_finding_is_a_sentence_of_its_numbers(signal: Signal, english: str, chinese: str) -> None:
    assert sentence(signal) == english
    with speaking("zh"):
        assert sentence(signal) == chinese


RANKS = [
    ("rank_outlier", "K1", Evidence(None, points=2), "rank 3: no number for 2 rows, at step 31,219", "已 2 行不是数"),
    ("rank_outlier", "K2", Evidence(2.5), "rank 3: 2.5 at step 31,219, which is not what the other", "同一归约值不同"),
    ("rank_outlier", "K3", Evidence(2.5, points=6), "rank 3: 2.5 for 6 rows, while others move", "6 行一直是 2.5"),
    (
        "rank_outlier",
        "K4",
        Evidence(2.9, 2.4, ratio=1.2083, z=8.2, beside=(("of_limit", 1.2), ("ranks", 8.0), ("own_level", 0.0))),
        "rank 3: value 2.9 at step 31,219 (usually 2.4, +21 %, 8 σ), since step 31,216",
        "数值为 2.9",
    ),
    (
        "throughput",
        "K5",
        Evidence(0.9, 0.7, ratio=1.2857),
        "rank 3: its own work takes 1.29 × as long as that",
        "1.29 倍",
    ),
]


@pytest.mark.parametrize(("about", "rule", "evidence", "english", "chinese"), RANKS, ids=[one[1] for one in RANKS])
def test_what_is_wrong_with_a_rank_is_said_in_its_own_words(about, rule, evidence, english, chinese) -> None:
    signal = said(about, evidence, rule, rank=3)
    assert sentence(signal).startswith(english)
    with speaking("zh"):
        assert chinese in sentence(signal)


@pytest.mark.parametrize(("about", "rule"), PARTS)
def test_parts_of_rules_have_remedies_of_their_own(about: Class, rule: str) -> None:
    known = remedy(about, rule)
    assert known != REMEDIES[about]
    texts = [known.name, known.meaning, *known.causes, *known.steps]
    with speaking("zh"):
        assert all(HAN.search(str(one)) for one in texts)
    assert copies(about, rule=rule) != copies(about)
    one = Item("begin", Notice("a", RunId("r"), "opened", 1.0, said(about, Evidence(1.0), rule, rank=3)), 1.0)
    other = Item("begin", Notice("b", RunId("r"), "opened", 1.0, said(about, Evidence(1.0), "K4", rank=4)), 1.0)
    told = message(letter(RunId("r"), [one, other], 1.0), "", "en")
    assert len(told.blocks) == 2
    assert str(known.name) in told.title


def test_an_episode_that_is_over_says_from_where_to_where() -> None:
    assert sentence(said("loss_spike", Evidence(2.3)), 31250).endswith("steps 31,216 to 31,250")


@pytest.mark.parametrize("about", ALL)
@pytest.mark.parametrize("evidence", [Evidence(), Evidence(float("inf"), float("nan"), 0.0, float("inf"), 0.0)])
def test_a_sentence_can_be_made_of_any_numbers(about: Class, evidence: Evidence) -> None:
    assert sentence(said(about, evidence))


def item(about: Class, severity: Severity = "warning", rank: int | None = None, run: str = "llama") -> Item:
    signal = Signal("raise", about, "X1", severity, 100, 90, None, Evidence(5.1, 2.2), rank)
    return Item("begin", Notice(f"{about}-{rank}", RunId(run), "opened", 1.0, signal), 1.0)


def test_a_letter_names_run_rule_evidence_remedy_and_the_view() -> None:
    told = message(letter(RunId("llama"), [item("loss_spike"), item("nan_inf", "critical")], 1.0), "https://x/", "en")
    assert told.title == "[critical] llama: NaN or Inf, Loss spike"
    body = plain(told)
    for part in ("loss 5.1 at step 100", "overflow in FP16", "Go back to the newest healthy", "check_for_nan_in"):
        assert part in body
    assert "https://x/run/llama?view=40..150&alert=nan_inf-None&lang=en" in body
    assert told.id in body


def test_many_ranks_are_few_lines() -> None:
    many = [item("rank_outlier", rank=one) for one in range(1024)]
    body = plain(message(letter(RunId("llama"), many, 1.0), "", "zh"))
    assert "rank：0–1023" in body
    assert "另有 1021 个类似" in body
    assert len(body) < 2000


def test_a_letter_that_may_be_a_repeat_says_so() -> None:
    one = letter(RunId("llama"), [item("stall")], 1.0)
    one.unsure = True
    assert "may be a repeat" in plain(message(one, "", "en"))
    assert "可能重复" in plain(message(one, "", "zh"))


@pytest.mark.parametrize("most", [300, 1000, 4096])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_a_channel_has_no_room_for_is_advice_never_the_link_or_the_foot(most: int, language: str) -> None:
    told = message(letter(RunId("llama"), [item("nan_inf", "critical")], 1.0), "https://x/", language)
    body = markdown(told, most)
    assert len(body.encode()) <= most
    assert body.endswith(told.foot)
    assert told.link in body
    assert body.count("```") % 2 == 0


@pytest.mark.parametrize("name", ["<!channel>", "<@U123>", "[win](https://evil)", "![x](https://evil)", "a\nb\x1b[2J"])
def test_names_from_files_call_nobody_and_link_nowhere(name: str) -> None:
    told = message(letter(RunId(name), [item("stall", run=name)], 1.0), "", "en")
    for text in (told.title, told.run, plain(told), markdown(told)):
        assert name not in text
    assert not set("<>\n\x1b") & set(told.title)
    assert "](" not in harmless(name)


def test_shortening_cuts_no_character_in_two() -> None:
    for most in range(8, 40):
        text = shortened("损失尖峰\n损失尖峰\n损失尖峰", most)
        assert len(text.encode()) <= most
