"""Names of known hosts in a text, told in other words, however many there are: a large job has a thousand.

Pure.

A name counts where no letter or digit stands beside it: ``log_node-07.txt`` names node-07, ``node-070`` does not. With
it goes the domain behind it, but not what a file's name ends with.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# node-07.cluster.example, log_node-07.txt
_TOKEN = re.compile(r"[A-Za-z0-9]++(?:[-_.][A-Za-z0-9]++)*+")
# node · - · 07 · . · cluster
_PIECE = re.compile(r"[A-Za-z0-9]+|[-_.]")
# cluster, but not 4711
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9]*")
ENDINGS = frozenset(("log", "txt", "json", "jsonl", "yaml", "yml", "csv", "out", "err", "py", "ckpt", "safetensors"))


@dataclass(frozen=True, slots=True)
class HostNames:
    """``known``: name → what is said instead, which stays where it stands already."""

    known: Mapping[str, str]
    _said: Mapping[str, str] = field(init=False, repr=False, compare=False)
    _begun: Mapping[str, Sequence[tuple[list[str], str]]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """By their first pieces, the longest first."""
        begun: dict[str, list[tuple[list[str], str]]] = {}
        both = {**{said: said for said in self.known.values()}, **self.known}
        for name, said in sorted(both.items(), key=lambda one: (-len(one[0]), one[0])):
            pieces = _PIECE.findall(name.lower())
            if "".join(pieces) == name.lower() and pieces and pieces[0].isalnum():
                begun.setdefault(pieces[0], []).append((pieces, said))
        object.__setattr__(self, "_begun", begun)
        object.__setattr__(self, "_said", {name.lower(): said for name, said in self.known.items()})

    def said(self, name: str) -> str | None:
        """What is said instead of a whole name; None where it is not known."""
        return self._said.get(name.lower())

    def told(self, text: str) -> str:
        """The text with every known name told in other words."""
        return _TOKEN.sub(self._token, text) if self._begun else text

    def _token(self, found: re.Match[str]) -> str:
        pieces = _PIECE.findall(found[0])
        lower = [one.lower() for one in pieces]
        if self._begun.keys().isdisjoint(lower):
            return found[0]
        told: list[str] = []
        at = 0
        while at < len(pieces):
            name, said = self._at(lower, at)
            told.append(said if name else pieces[at])
            at = _behind(lower, at + len(name)) if name and said != "".join(name) else at + max(len(name), 1)
        return "".join(told)

    def _at(self, pieces: Sequence[str], at: int) -> tuple[Sequence[str], str]:
        """The longest known name that begins there, and what is said instead."""
        for name, said in self._begun.get(pieces[at], ()):
            if pieces[at : at + len(name)] == name:
                return name, said
        return (), ""


def _behind(pieces: Sequence[str], at: int) -> int:
    """Behind the domain that follows a name."""
    while at + 1 < len(pieces) and pieces[at] == "." and _LABEL.fullmatch(pieces[at + 1]):
        if pieces[at + 1] in ENDINGS:
            break
        at += 2
    return at
