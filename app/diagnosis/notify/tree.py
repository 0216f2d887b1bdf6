"""YAML as a tree of texts that know their lines: the adapter of PyYAML.

Texts stay as they were written (``22:00`` is no number), names that come twice are an error, and a file that would grow
when it is read is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

MOST_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong in a line (from 1), as a sentence that says what to do."""

    line: int
    said: str


class Unreadable(ValueError):
    """The file is no YAML; ``problem`` says where."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.said)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Text:
    """One value as it was written, "" for none."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    line: int
    items: Sequence[Tree]


@dataclass(frozen=True, slots=True)
class Table:
    """Names with their values; ``lines`` are those of the names."""

    line: int
    values: Mapping[str, Tree]
    lines: Mapping[str, int]


Tree = Text | Items | Table


def tree(text: str) -> Tree:
    """The file's content. Raises Unreadable."""
    if len(text.encode()) > MOST_BYTES:
        raise Unreadable(Problem(1, "The file is longer than 256 KiB: it is hardly one of alerts."))
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise Unreadable(_problem(error)) from error
    return Table(1, {}, {}) if root is None else _tree(root)


def _problem(error: yaml.YAMLError) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = 1 if mark is None else mark.line + 1
    said = getattr(error, "problem", None) or str(error).splitlines()[0]
    return Problem(
        line, f"This is no YAML ({said}): look at indentation, quotes and colons here and in the line before."
    )


def _tree(node: Any) -> Tree:
    line = node.start_mark.line + 1
    if isinstance(node, yaml.ScalarNode):
        is_none = node.tag.endswith(":null")
        return Text(line, "" if is_none else node.value)
    if isinstance(node, yaml.SequenceNode):
        return Items(line, [_tree(_fresh(one)) for one in node.value])
    return _table(node, line)


def _fresh(node: Any) -> Any:
    """A list or table that is used twice could be used within itself; texts may be used again."""
    if isinstance(node, yaml.ScalarNode):
        return node
    if getattr(node, "seen", False):
        raise Unreadable(
            Problem(node.start_mark.line + 1, "This part is used more than once (*name): write it out again.")
        )
    node.seen = True
    return node


def _table(node: Any, line: int) -> Table:
    values: dict[str, Tree] = {}
    lines: dict[str, int] = {}
    for key, value in node.value:
        name, at = str(getattr(key, "value", "")), key.start_mark.line + 1
        if name in values:
            raise Unreadable(Problem(at, f"“{name}” stands here for the second time: keep one of the two."))
        values[name], lines[name] = _tree(_fresh(value)), at
    return Table(line, values, lines)
