"""What a dump of a training configuration says: a nested dict, as Python or JSON spells it, becomes dotted keys and
texts. Secrets are masked here, before anything leaves the training host. Pure.

Dumps hold what is no literal (``<class 'int'>``, ``Float16``) and are cut where a line or a record is bounded, so the
reading is tolerant: what cannot be understood is kept as text, what is missing at the end is missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from collector.parse.secret import MASK, is_secret, without_secrets

Tree = dict[str, "Tree"] | list["Tree"] | str

PREFIX = "configuration:"  # of the facts: one for each section, since each comes in a record or line of its own
_MOST_KEYS = 2_000  # of one section; the largest seen (a transformers TrainingArguments) has 120
_MOST_CHARACTERS = 64 * 1024  # of one section
_LONGEST_KEY, _LONGEST_VALUE = 200, 2_000
_DEEPEST = 32

# section → its dotted keys that are facts of the run, and what they are called
_FACTS: Mapping[str, Mapping[str, str]] = {
    "parallel_config": {
        "data_parallel": "data_parallel",
        "model_parallel": "model_parallel",
        "pipeline_stage": "pipeline_stages",
        "expert_parallel": "expert_parallel",
        "context_parallel": "context_parallel",
        "micro_batch_num": "micro_batch_num",
    },
    "parallelism": {  # PyNative
        "data_parallel": "data_parallel",
        "tensor_parallel": "model_parallel",
        "pipeline_parallel": "pipeline_stages",
        "expert_parallel": "expert_parallel",
        "context_parallel": "context_parallel",
    },
    "parallel": {"device_num": "world_size"},
    "device_num": {"": "world_size"},
    "runner_config": {"epochs": "epochs", "batch_size": "batch_size"},
    "lr_schedule": {"type": "lr_schedule", "learning_rate": "learning_rate", "warmup_steps": "warmup_steps"},
    "optimizer": {"type": "optimizer"},
    "model": {"model_config.seq_length": "seq_length"},
    "model_config": {"seq_length": "seq_length"},
    "training": {"seq_length": "seq_length"},
    "training_args": {"seq_length": "seq_length"},
}
_EVERYWHERE: Mapping[str, str] = {"global_batch_size": "global_batch_size"}
# 8   1e-05   CosineWithWarmUpLR
_PLAIN = re.compile(r"[\w.-]{1,64}")
# a single value as a yaml spells it: 42   ./output   True
_SINGLE = re.compile(r"\S{1,200}")


def settings(section: str, text: str) -> dict[str, str]:
    """Facts in the dump ``text`` of one section: those that have a name of their own, and ``configuration:<section>``,
    a JSON object of dotted key → text (the key is empty where the section is a single value)."""
    return section_of(section, text)[0]


def section_of(section: str, text: str) -> tuple[dict[str, str], int]:
    """The same, and how many characters of the text the dump takes."""
    tree, length = _read(text)
    if tree is None:
        single = {"": _masked(section, text)} if _SINGLE.fullmatch(text) else {}
        return (_facts(section, single) | {PREFIX + section: _spelled(single)} if single else {}), length
    flat = dict(flattened(tree, section))
    return _facts(section, flat) | {PREFIX + section: _spelled(flat)}, length


def _facts(section: str, flat: Mapping[str, str]) -> dict[str, str]:
    wanted = {**_EVERYWHERE, **_FACTS.get(section, {})}
    return {name: flat[key] for key, name in wanted.items() if _PLAIN.fullmatch(flat.get(key, ""))}


def _spelled(flat: Mapping[str, str]) -> str:
    """As JSON, cut to what is kept of one section."""
    kept: dict[str, str] = {}
    room = _MOST_CHARACTERS
    for key, text in flat.items():
        room -= len(key) + len(text) + 8
        if room < 0 or len(kept) == _MOST_KEYS:
            break
        kept[key] = text
    return json.dumps(kept, ensure_ascii=False)


def flattened(tree: Tree, section: str = "") -> Iterator[tuple[str, str]]:
    """Dotted key and text of every value; a list of plain values is one text, a list of dicts is numbered."""
    yield from _flat(tree, (), section)


def _flat(tree: Tree, path: tuple[str, ...], section: str) -> Iterator[tuple[str, str]]:
    if isinstance(tree, dict) and tree:
        parts: Iterator[tuple[str, Tree]] = iter(tree.items())
    elif isinstance(tree, list) and any(isinstance(one, dict) for one in tree):
        parts = ((str(index), one) for index, one in enumerate(tree))
    else:
        text = "{}" if isinstance(tree, dict) else _text(tree)
        yield ".".join(path)[:_LONGEST_KEY], _masked(".".join((section, *path)), text)
        return
    for key, one in parts:
        yield from _flat(one, (*path, key), section)


def _text(tree: Tree) -> str:
    if isinstance(tree, str):
        return tree
    return f"[{', '.join(_text(one) for one in tree)}]" if isinstance(tree, list) else "{…}"


def _masked(path: str, text: str) -> str:
    if is_secret(path, text):
        return MASK
    safe = without_secrets(text)
    return safe if len(safe) <= _LONGEST_VALUE else safe[:_LONGEST_VALUE] + "…"


def read(text: str) -> dict[str, Tree] | list[Tree] | None:
    """The dict or list that ``text`` begins with; None when it begins with neither."""
    return _read(text)[0]


def _read(text: str) -> tuple[dict[str, Tree] | list[Tree] | None, int]:
    if text.lstrip()[:1] not in ("{", "["):
        return None, 0
    reading = _Reading(text)
    found = reading.value(0)
    return None if isinstance(found, str) else found, reading.at


class _Reading:
    """One pass over a text; every character is looked at a bounded number of times."""

    # any blanks, then a string in quotes:   'it\'s'   "a"
    _QUOTED = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""", re.DOTALL)
    _BLANK = re.compile(r"\s*")
    # what ends a word or opens a bracket or a quote in it
    _STOP = re.compile(r"""[,:{}\[\]()'"]""")
    _CLOSING: Mapping[str, str] = {"{": "}", "[": "]", "(": ")"}

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.open = set[str]()  # kinds of quote that open somewhere and never close: not looked for again

    def _blank(self) -> str:
        """Go to the next character that is no blank, and tell it; empty at the end."""
        match = self._BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.text[self.at : self.at + 1]

    def value(self, depth: int) -> Tree:
        opening = self._blank()
        if depth > _DEEPEST or opening not in ("{", "[", "("):
            return self._word("")
        self.at += 1
        return self._dict(depth) if opening == "{" else self._list(self._CLOSING[opening], depth)

    def _dict(self, depth: int) -> dict[str, Tree]:
        found: dict[str, Tree] = {}
        while (mark := self._blank()) not in ("", "}", "]", ")"):
            if mark in ",:":
                self.at += 1
                continue
            key = self._word(":")
            if self._blank() == ":":
                self.at += 1
                found[key] = self.value(depth + 1)
        self.at += 1
        return found

    def _list(self, closing: str, depth: int) -> list[Tree]:
        found: list[Tree] = []
        while (mark := self._blank()) not in ("", closing):
            if mark in ",:}])":
                self.at += 1
                continue
            found.append(self.value(depth + 1))
        self.at += 1
        return found

    def _word(self, also: str) -> str:
        """A string in quotes, or everything up to a comma or bracket (``also``: or a colon) that is not in brackets."""
        quoted = self._quoted()
        if quoted:
            self.at = quoted.end()
            if self._blank() in ("", ",", ":", "}", "]", ")"):
                return _unescaped(quoted[1] if quoted[1] is not None else quoted[2])
            self.at = quoted.end()
        start = quoted.start() if quoted else self.at
        self._pass(also)
        return self.text[start : self.at].strip()

    def _quoted(self) -> re.Match[str] | None:
        mark = self.text[self.at : self.at + 1]
        found = None if mark in self.open else self._QUOTED.match(self.text, self.at)
        if found is None and mark and mark in "'\"":
            self.open.add(mark)
        return found

    def _pass(self, also: str) -> None:
        inside = 0
        while match := self._STOP.search(self.text, self.at):
            mark, self.at = match[0], match.start()
            if mark in "'\"":
                quoted = self._quoted()
                self.at = quoted.end() if quoted else self.at + 1
                continue
            if not inside and (mark in ",)]}" or mark == also):
                return
            inside += (mark in "{[(") - (mark in "}])")
            self.at += 1
        self.at = len(self.text)


# \n   \'   \\   and whatever else a backslash stands before
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), text) if "\\" in text else text
