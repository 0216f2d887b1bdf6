"""The file of alerts: what it says, and which line is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.diagnosis.notify.policy import Policy, Quiet
from app.diagnosis.notify.settings import BadAlerts, Settings, load, settings
from app.diagnosis.rules.custom import UserRule

ENVIRON = {
    "HOOK": "https://open.feishu.cn/open-apis/bot/v2/hook/0a1b2c3d",
    "SECRET": "hush-hush",
    "MAIL": "mailtos://a:pw@b.c",
}
WHOLE = """
language: zh
policy:
  minimum_severity: warning
  group_wait: 10 s
  messages_per_hour: 30
  quiet_hours: {from: 22:00, until: 08:00, zone: Asia/Shanghai}
  escalate_after: 30 min
channels:
  - name: team
    url: ${HOOK}
    secret: ${SECRET}
    messages_per_hour: 5
  - name: on-call
    url: ${MAIL}
    language: en
    minimum_severity: critical
    only: escalations
    allow_internal: true
rules:
  - name: loss too high
    metric: loss
    above: 8
    for: 20 rows
    severity: critical
  - name: experts uneven
    tag: expert_load/0
    rises_by: 20 %
    within: 500 rows
    runs: [llama*, qwen-7b]
  - {name: no evaluation, metric: eval_loss, missing_for: 2 h, severity: info}
  - {name: hot, tag: temperature, above: 90, for: 5 min}
"""


def read(text: str) -> Settings:
    return settings(text, "alerts.yaml", ENVIRON)


def test_a_file_says_who_is_told_what_and_when() -> None:
    found = read(WHOLE)
    team, call = found.channels
    quiet = Quiet(22 * 60, 8 * 60, "Asia/Shanghai", but_critical=True)
    assert (team.name, team.target.kind, team.target.secret, team.language) == ("team", "feishu", "hush-hush", "zh")
    assert team.policy == Policy(quiet=quiet, rate=5, escalate=1800)
    assert (call.target.kind, call.language, call.allow_internal) == ("apprise", "en", True)
    assert call.policy == Policy("critical", quiet=quiet, rate=30, escalate=1800, only_escalations=True)
    assert found.rules == (
        UserRule("loss too high", "above", 8, metric="loss", rows=20, severity="critical"),
        UserRule("experts uneven", "rises_by", 0.2, tag="expert_load/0", within=500, runs=("llama*", "qwen-7b")),
        UserRule("no evaluation", "missing_for", 7200, metric="eval_loss", severity="info"),
        UserRule("hot", "above", 90, tag="temperature", seconds=300),
    )


@pytest.mark.parametrize("text", ["", "# nothing\n", "channels:\n", "channels: []\nrules:\n"])
def test_nothing_is_something(text: str) -> None:
    assert read(text) == Settings()


def channel(line: str) -> str:
    return f"channels:\n  - name: team\n    url: ${{HOOK}}\n    {line}\n"


def rule(line: str) -> str:
    return f"rules:\n  - name: a\n    {line}\n"


ERRORS = [
    ("channels:\n  - name: team\n   url: x\n", 3, "This is no YAML"),
    ("a: [1, 2\nb: 3\n", 2, "This is no YAML"),
    ("- a\n", 1, "begin with “channels:”"),
    ("channels: x\n", 1, "begin each channel with “- ”"),
    ("channels:\n  - team\n", 2, "This channel is no table"),
    ("chanels:\n  - name: a\n", 1, "did you mean “channels”?"),
    ("channels:\n  - name: team\n", 2, "no address"),
    ("channels:\n  - url: ${HOOK}\n", 2, "no name"),
    ("channels:\n  - name: a b\n    url: ${HOOK}\n", 2, "letters, digits and dashes"),
    ("channels:\n  - name: team\n    url: ${NOT_THERE}\n", 3, "export NOT_THERE=…"),
    ("channels:\n  - name: team\n    url: [a]\n", 3, "write one text"),
    ("channels:\n  - name: team\n    url: nonsense\n", 3, "The address is none"),
    ("channels:\n  - {name: a, url: '${HOOK}'}\n  - {name: a, url: '${HOOK}'}\n", 3, "is taken"),
    (channel("minimum_severity: fatal"), 4, "one of info, warning, critical"),
    (channel("messages_per_hour: 0"), 4, "a whole number from 1 to 3,600"),
    (channel("group_wait: 2 min"), 4, "over a minute"),
    (channel("group_wait: 10"), 4, "30 s, 10 min or 2 h"),
    (channel("allow_internal: maybe"), 4, "true or false"),
    (channel("language: fr"), 4, "en or zh"),
    (channel("only: escalations"), 4, "never speak"),
    (channel("quiet_hours: 22-8"), 4, "is no table"),
    (channel("quiet_hours: {from: 25:00, until: 08:00}"), 4, "such as 22:00"),
    (channel("quiet_hours: {from: 08:00, until: 08:00}"), 4, "two different times"),
    (channel("quiet_hours: {from: 22:00, until: 08:00, zone: Mars/Olympus}"), 4, "a time zone such as"),
    (channel("quiet_hours: {from: 22:00, until: 08:00, zone: ../../etc/passwd}"), 4, "a time zone such as"),
    (channel("proxy: proxy.lan:3128"), 4, "write http://host:port"),
    ("channels:\n  - name: a\n    url: ${MAIL}\n    proxy: http://p:1\n", 4, "HTTPS_PROXY"),
    (channel("url: again"), 4, "second time"),
    (channel("minimum_sevrity: info"), 4, "did you mean “minimum_severity”?"),
    (rule("metric: loss"), 2, "has none"),
    (rule("metric: los\n    above: 8"), 3, "one of loss, eval_loss"),
    (rule("above: 8"), 2, "watches one thing"),
    (rule("metric: loss\n    tag: x\n    above: 8"), 3, "watches one thing"),
    (rule("metric: loss\n    above: 8\n    below: 3"), 5, "this has 2"),
    (rule("metric: loss\n    above: high"), 4, "write a number"),
    (rule("metric: loss\n    above: .nan"), 4, "write a number"),
    (rule("metric: loss\n    rises_by: -5 %"), 4, "a share such as 20 %"),
    (rule("metric: loss\n    missing_for: 10"), 4, "a time such as 10 min"),
    (rule("metric: loss\n    above: 8\n    for: 20 lines"), 5, "20 rows, or a time"),
    (rule("metric: loss\n    rises_by: 5 %\n    within: 20000 rows"), 5, "from 1 to 10,000"),
    (rule("metric: loss\n    above: 8\n    within: 20 rows"), 5, "means nothing in this rule"),
    ("a: &a {b: 1}\nc: *a\nd: *a\n", 1, "more than once"),
]


@pytest.mark.parametrize(("text", "line", "said"), ERRORS, ids=[one[2] for one in ERRORS])
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(BadAlerts) as caught:
        read(text)
    message = str(caught.value)
    assert f"alerts.yaml, line {line}: " in message
    assert said in message
    for one in caught.value.problems:
        assert one.said[0].isupper() or one.said[0] == "“"
        assert one.said.endswith((".", "?", "…."))


def test_every_problem_is_told_at_once_in_order() -> None:
    with pytest.raises(BadAlerts) as caught:
        read("language: fr\nchannels:\n  - name: team\nrules:\n  - name: a\n    metric: loss\n")
    assert [one.line for one in caught.value.problems] == [1, 3, 5]


def test_no_error_shows_a_secret() -> None:
    environ = {"HOOK": "nonsense-with-V3RYS3CRET", "SECRET": "V3RYS3CRET"}
    with pytest.raises(BadAlerts) as caught:
        settings("channels:\n  - name: team\n    url: ${HOOK}\n    secret: ${SECRET}\n    x: y\n", "a.yaml", environ)
    assert "V3RYS3CRET" not in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadAlerts, match="cannot be read"):
        load(tmp_path / "none.yaml", {})


def test_a_file_that_grows_when_it_is_read_is_refused() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(20)
    )
    with pytest.raises(BadAlerts, match="more than once"):
        read(bomb)
    with pytest.raises(BadAlerts, match="256 KiB"):
        read("#" * 300_000)
    with pytest.raises(BadAlerts, match="more than once"):
        read("a: &a [*a]\n")


@given(st.text(alphabet=st.sampled_from("abc:-{}[]&*!|>'\"#%@ \n\t${}0"), max_size=60))
def test_any_text_is_settings_or_an_error_with_lines(text: str) -> None:
    try:
        read(text)
    except BadAlerts as error:
        assert all(one.line >= 1 for one in error.problems)
