"""A deployment mutes classes, and says how grave others are to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.diagnosis.alert import Alert
from app.diagnosis.notify.settings import BadAlerts, settings
from app.diagnosis.signal import Evidence
from app.diagnosis.tuning import Tuned, tuned

ROOT = Alert("grad_explode-a1-10", "grad_explode", "G1", "critical", True, 1, 10, 12, 20, Evidence(9.0))
AFTER = replace(ROOT, id="loss_spike-a1-11", about="loss_spike", severity="warning", cause=ROOT.id)
FOUND = {one.id: one for one in (ROOT, AFTER)}


def test_without_a_word_everything_is_as_rules_say() -> None:
    assert tuned(FOUND, {}) == FOUND


def test_what_a_muted_class_explained_stands_for_itself() -> None:
    assert tuned(FOUND, {"grad_explode": Tuned(mute=True)}) == {AFTER.id: replace(AFTER, cause=None)}


def test_a_class_is_as_grave_as_it_is_said_to_be() -> None:
    found = tuned(FOUND, {"grad_explode": Tuned(severity="info")})
    assert (found[ROOT.id].severity, found[AFTER.id]) == ("info", AFTER)


def test_the_file_of_alerts_says_it() -> None:
    text = "classes:\n  throughput: {mute: true}\n  loss_spike:\n    severity: info\n"
    assert settings(text, "alerts.yaml", {}).classes == {
        "throughput": Tuned(mute=True),
        "loss_spike": Tuned(severity="info"),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("classes:\n  troughput: {mute: true}", "line 2: “troughput” means nothing in “classes”: did you mean"),
        ("classes:\n  jitter:\n    severity: low", "line 3: “severity” of “jitter” is “low”: write one of"),
        ("classes:\n  jitter:\n    mute: maybe", "line 3: “mute” of “jitter” is “maybe”: write true or false."),
        ("classes:\n  jitter: {mute: true, severity: info}", "line 2: “jitter” is muted, so nobody hears"),
        ("classes:\n  jitter: {}", "line 2: “jitter” says nothing: add “mute: true” or “severity: info”."),
        ("classes:\n  jitter: mute", "line 2: “jitter” of “classes” is no table: write its names below it, indented."),
        ("classes:\n  custom: {mute: true}", "line 2: Rules of your own say their severity themselves"),
        ("classes: none", "line 1: “classes” of the file is no table"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(BadAlerts) as error:
        settings(text, "alerts.yaml", {})
    assert f"alerts.yaml, {said}" in str(error.value)
    assert len(error.value.problems) == 1
