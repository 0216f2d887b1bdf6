"""The file of alerts: who is told what, when, and which rules people added. Every error has its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from app.diagnosis.notify.classes import tuning_of
from app.diagnosis.notify.policy import HOUR, LONGEST, Policy, Quiet
from app.diagnosis.notify.section import Section, counted, duration, number, share
from app.diagnosis.notify.target import BadTarget, Target, target
from app.diagnosis.notify.tree import Problem, Table, Unreadable, tree
from app.diagnosis.opening import GRAVITY
from app.diagnosis.rules.custom import LONGEST as LONGEST_CHANGE
from app.diagnosis.rules.custom import Condition, UserRule
from app.diagnosis.signal import Severity
from app.diagnosis.tuning import Tuning
from app.language import LANGUAGES
from collector.wire.metrics import METRICS

# oncall-2
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
# 22:00
CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
MOST_POINTS = 1_000_000
USUAL = Policy()
SHARES = ("rises_by", "falls_by")


class BadAlerts(ValueError):
    """The file cannot be used; one line for each problem, each with file and line."""

    def __init__(self, path: str, problems: Sequence[Problem]) -> None:
        ordered = sorted(problems, key=lambda one: one.line)
        super().__init__("\n".join(f"{path}, line {one.line}: {one.said}" for one in ordered))
        self.problems = tuple(ordered)


@dataclass(frozen=True, slots=True)
class Channel:
    """Whom to tell, in which language, and when."""

    name: str
    target: Target
    language: str = "en"
    allow_internal: bool = False
    policy: Policy = USUAL
    proxy: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """All of it."""

    channels: tuple[Channel, ...] = ()
    rules: tuple[UserRule, ...] = ()
    classes: Tuning = field(default_factory=dict)


def load(path: Path, environ: Mapping[str, str]) -> Settings:
    """Raises BadAlerts; what cannot be opened is one too."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no UTF-8"
        raise BadAlerts(str(path), [Problem(1, f"The file cannot be read ({why}): see that it is there.")]) from error
    return settings(text, str(path), environ)


def settings(text: str, path: str, environ: Mapping[str, str]) -> Settings:
    """What the text says. Raises BadAlerts with every problem in it."""
    try:
        root = tree(text)
    except Unreadable as error:
        raise BadAlerts(path, [error.problem]) from error
    if not isinstance(root, Table):
        raise BadAlerts(path, [Problem(root.line, "The file is no table: begin with “channels:”.")])
    problems: list[Problem] = []
    found = _settings(Section(root, "the file", environ, problems))
    if problems:
        raise BadAlerts(path, problems)
    return found


def _settings(root: Section) -> Settings:
    language = root.choice("language", "en", LANGUAGES)
    common = root.inner("policy")
    shared = policy(common, USUAL) if common else USUAL
    if common:
        common.finish()
    channels = [channel(one, language, shared) for one in root.each("channels", "channel")]
    rules = [rule(one) for one in root.each("rules", "rule")]
    classes = root.inner("classes")
    tuning = {} if classes is None else tuning_of(classes)
    root.finish()
    _twice(
        root.problems, [(one.name, at.table.line) for one, at in zip(channels, root.each("channels", ""), strict=True)]
    )
    _twice(root.problems, [(one.name, at.table.line) for one, at in zip(rules, root.each("rules", ""), strict=True)])
    return Settings(tuple(channels), tuple(rules), tuning)


def _twice(problems: list[Problem], named: Sequence[tuple[str, int]]) -> None:
    seen: set[str] = set()
    for name, line in named:
        if name in seen:
            problems.append(Problem(line, f"The name “{name}” is taken: give each its own."))
        seen.add(name)


def channel(one: Section, language: str, shared: Policy) -> Channel:
    """One of ``channels``; what it says of the policy itself goes before what all share."""
    name = one.read("name", "", "letters, digits and dashes, such as on-call", lambda text: _fitting(NAME, text))
    if not one.has("name"):
        one.wrong("name", "This channel has no name: add “name: team”.")
    found = Channel(
        name,
        _target(one),
        one.choice("language", language, LANGUAGES),
        one.flag("allow_internal", False),
        policy(one, shared),
        _proxy(one),
    )
    if found.proxy and found.target.kind == "apprise":
        one.wrong(
            "proxy",
            "What apprise sends takes its proxy from HTTPS_PROXY in the environment: set that, and remove this line.",
        )
    if found.policy.only_escalations and found.policy.escalate is None:
        one.wrong("only", "This channel would never speak: add “escalate_after: 30 min” to it or to the policy.")
    one.finish()
    return found


def _fitting(form: re.Pattern[str], text: str) -> str | None:
    return text if form.fullmatch(text) else None


def _target(one: Section) -> Target:
    problems = len(one.problems)
    url, secret = one.text("url"), one.text("secret")
    if not one.has("url"):
        one.wrong("url", "This channel has no address: add “url: ${NAME}”, and export NAME=https://….")
    elif len(one.problems) == problems:
        try:
            return target(url, secret)
        except BadTarget as error:
            one.wrong("url", str(error))
    return Target("json", "")


def _proxy(one: Section) -> str:
    text = one.text("proxy")
    parts = urlsplit(text)
    if text and (parts.scheme != "http" or not parts.hostname):
        one.wrong("proxy", "“proxy” of this channel is none: write http://host:port.")
    return text


def policy(one: Section, shared: Policy) -> Policy:
    """What a table says of when to speak."""
    wait = one.duration("group_wait", shared.wait)
    if one.has("group_wait") and wait > LONGEST:
        one.wrong(
            "group_wait", f"“group_wait” is longer than {LONGEST:.0f} s: then a message would take over a minute."
        )
    return replace(
        shared,
        least=cast(Severity, one.choice("minimum_severity", shared.least, GRAVITY)),
        wait=wait,
        rate=one.count("messages_per_hour", shared.rate, 3600),
        quiet=_quiet(one, shared.quiet),
        escalate=_escalate(one, shared.escalate),
        only_escalations=_only(one, shared.only_escalations),
    )


def _escalate(one: Section, shared: float | None) -> float | None:
    return one.duration("escalate_after", shared or HOUR) if one.has("escalate_after") else shared


def _only(one: Section, shared: bool) -> bool:
    return one.choice("only", "escalations", ("escalations",)) == "escalations" if one.has("only") else shared


def _quiet(one: Section, shared: Quiet | None) -> Quiet | None:
    inner = one.inner("quiet_hours")
    if inner is None:
        return shared
    begins = inner.read("from", 22 * 60, "a time such as 22:00", minutes)
    ends = inner.read("until", 8 * 60, "a time such as 08:00", minutes)
    zone = inner.read("zone", "UTC", "a time zone such as Asia/Shanghai (or install tzdata)", _zone)
    found = Quiet(begins, ends, zone, inner.flag("but_critical", True))
    if begins == ends:
        inner.wrong("until", "Quiet hours begin when they end: give two different times.")
    inner.finish()
    return found


def minutes(text: str) -> int | None:
    """Minutes after midnight of ``22:00``."""
    found = CLOCK.fullmatch(text)
    return None if found is None else int(found[1]) * 60 + int(found[2])


def _zone(text: str) -> str | None:
    try:
        datetime.fromtimestamp(0, ZoneInfo(text))
    except (OSError, ValueError):  # a zone that is not there is a KeyError of its own kind
        return None
    except KeyError:
        return None
    return text


def rule(one: Section) -> UserRule:
    """One of ``rules``."""
    name = one.text("name")
    if not name:
        one.wrong("name", "This rule has no name: add “name: loss too high”.")
    metric = one.choice("metric", "", METRICS) if one.has("metric") else ""
    tag = one.text("tag")
    if one.has("metric") == one.has("tag"):
        one.wrong("metric", "A rule watches one thing: write either “metric: loss” or “tag: …”.")
    condition, value = _condition(one)
    rows, seconds = _for(one)
    found = UserRule(
        name,
        condition,
        value,
        metric,
        tag,
        rows,
        seconds,
        one.count("within", 100, LONGEST_CHANGE, "rows") if condition in SHARES else 100,
        cast(Severity, one.choice("severity", "warning", GRAVITY)),
        one.texts("runs"),
    )
    one.finish()
    return found


CONDITIONS: Mapping[Condition, tuple[str, Callable[[str], float | None]]] = {
    "above": ("a number", number),
    "below": ("a number", number),
    "rises_by": ("a share such as 20 %", share),
    "falls_by": ("a share such as 20 %", share),
    "not_finite": ("true", lambda text: 1.0 if text.lower() == "true" else None),
    "missing_for": ("a time such as 10 min", duration),
}


def _condition(one: Section) -> tuple[Condition, float]:
    named = [name for name in CONDITIONS if one.has(name)]
    if len(named) != 1:
        known = ", ".join(CONDITIONS)
        one.wrong(
            named[1] if named else "name",
            f"A rule has one condition, and this has {len(named) or 'none'}: use one of {known}.",
        )
    for name in CONDITIONS:
        one.asked.add(name)
    if not named:
        return "above", 0.0
    expected, understood = CONDITIONS[named[0]]
    return named[0], one.read(named[0], 0.0, expected, understood)


def _for(one: Section) -> tuple[int, float]:
    """Points, and seconds, that the condition has to hold for."""

    def understood(text: str) -> tuple[int, float] | None:
        seconds, rows = duration(text), counted(text, "rows", MOST_POINTS)
        return (1, seconds) if seconds is not None else None if rows is None else (rows, 0.0)

    return one.read("for", (1, 0.0), "a count such as 20 rows, or a time such as 10 min", understood)
