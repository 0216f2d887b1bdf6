"""One table of the file, read name by name: a value is checked where it is used, and what nobody asked for is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TypeVar

from app.diagnosis.notify.tree import Items, Problem, Table, Text, Tree

Value = TypeVar("Value")
# ${NAME}
FROM_ENVIRONMENT = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
# 10 min   90s   1.5 h
DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h|d)")
UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
YES, NO = ("true", "yes", "on"), ("false", "no", "off")


@dataclass
class Section:
    """``what`` is what the table is called in a sentence; ``problems`` are those of the whole file."""

    table: Table
    what: str
    environ: Mapping[str, str]
    problems: list[Problem]
    asked: set[str] = field(default_factory=set)

    def line(self, name: str) -> int:
        return self.table.lines.get(name, self.table.line)

    def has(self, name: str) -> bool:
        return name in self.table.values

    def wrong(self, name: str, said: str) -> None:
        """Note what is wrong with a value."""
        self.problems.append(Problem(self.line(name), said))

    def read(self, name: str, default: Value, expected: str, understood: Callable[[str], Value | None]) -> Value:
        """What ``understood`` makes of a text; ``default`` where there is none, or none that is understood."""
        self.asked.add(name)
        found = self.table.values.get(name)
        if found is None:
            return default
        value = understood(found.text) if isinstance(found, Text) else None
        if value is None:
            shown = f"“{found.text}”" if isinstance(found, Text) else "a list or table"
            self.wrong(name, f"“{name}” of {self.what} is {shown}: write {expected}.")
            return default
        return value

    def text(self, name: str, default: str = "") -> str:
        """A text with ``${NAME}`` replaced; no error repeats it, since it may be secret."""
        self.asked.add(name)
        found = self.table.values.get(name)
        if found is None:
            return default
        if not isinstance(found, Text):
            self.wrong(name, f"“{name}” of {self.what} is a list or table: write one text.")
            return default
        missing = [one for one in FROM_ENVIRONMENT.findall(found.text) if not self.environ.get(one)]
        for one in missing:
            self.wrong(
                name, f"“{name}” of {self.what} takes {one} from the environment, which has none: export {one}=…."
            )
        return FROM_ENVIRONMENT.sub(lambda one: self.environ.get(one[1], ""), found.text)

    def choice(self, name: str, default: str, choices: Collection[str]) -> str:
        """One of several words."""
        expected = " or ".join(choices) if len(choices) < 3 else "one of " + ", ".join(choices)
        return self.read(name, default, expected, lambda text: text if text in choices else None)

    def number(self, name: str, default: float, expected: str = "a number") -> float:
        """A finite number."""
        return self.read(name, default, expected, number)

    def count(self, name: str, default: int, most: int, unit: str = "") -> int:
        """A whole number from 1; ``unit`` may stand behind it."""
        said = f"a whole number from 1 to {most:,}" + (f", such as 20 {unit}" if unit else "")
        return self.read(name, default, said, lambda text: counted(text, unit, most))

    def duration(self, name: str, default: float) -> float:
        """Seconds."""
        return self.read(name, default, "a time such as 30 s, 10 min or 2 h", duration)

    def flag(self, name: str, default: bool) -> bool:
        """True or false."""
        known = {**dict.fromkeys(YES, True), **dict.fromkeys(NO, False)}
        return self.read(name, default, "true or false", lambda text: known.get(text.lower()))

    def inner(self, name: str) -> Section | None:
        """A table within this one."""
        self.asked.add(name)
        found = self.table.values.get(name)
        if found is None:
            return None
        if not isinstance(found, Table):
            self.wrong(name, f"“{name}” of {self.what} is no table: write its names below it, indented.")
            return None
        return Section(found, f"“{name}”", self.environ, self.problems)

    def each(self, name: str, what: str) -> list[Section]:
        """The tables of a list."""
        self.asked.add(name)
        found = self.table.values.get(name)
        if found is None or (isinstance(found, Text) and not found.text):
            return []
        if not isinstance(found, Items):
            self.wrong(name, f"“{name}” is no list: begin each {what} with “- ” below it.")
            return []
        return [one for item in found.items if (one := self._item(item, what))]

    def _item(self, item: Tree, what: str) -> Section | None:
        if isinstance(item, Table):
            return Section(item, f"this {what}", self.environ, self.problems)
        self.problems.append(
            Problem(item.line, f"This {what} is no table: write “name: …” and so on, one below the other.")
        )
        return None

    def texts(self, name: str) -> tuple[str, ...]:
        """One text, or a list of them."""
        self.asked.add(name)
        found = self.table.values.get(name)
        if isinstance(found, Text):
            return (found.text,)
        if isinstance(found, Items) and all(isinstance(one, Text) for one in found.items):
            return tuple(one.text for one in found.items if isinstance(one, Text))
        if found is not None:
            self.wrong(name, f"“{name}” of {self.what} is no list of texts: write them as [a, b].")
        return ()

    def finish(self) -> None:
        """Tell the names that mean nothing here."""
        for name in self.table.values.keys() - self.asked:
            near = get_close_matches(name, self.asked, 1)
            hint = f"did you mean “{near[0]}”?" if near else f"known are {', '.join(sorted(self.asked))}."
            self.wrong(name, f"“{name}” means nothing in {self.what}: {hint}")


def number(text: str) -> float | None:
    """A finite number."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def counted(text: str, unit: str, most: int) -> int | None:
    """``20 rows``, ``1 row`` or ``20``."""
    bare = text.removesuffix(unit).removesuffix(unit[:-1]).strip() if unit else text
    return int(bare) if bare.isdecimal() and 1 <= int(bare) <= most else None


def duration(text: str) -> float | None:
    """``10 min`` in seconds."""
    found = DURATION.fullmatch(text.strip())
    return None if found is None else float(found[1]) * UNITS[found[2]]


def share(text: str) -> float | None:
    """``20 %`` as 0.2; also 0.2 itself."""
    bare = text.strip()
    value = number(bare.removesuffix("%").strip())
    if value is None or value <= 0:
        return None
    return value / 100 if bare.endswith("%") else value
