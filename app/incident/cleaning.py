"""What a text of the training machines loses before it goes into a bundle. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.api.answers import Json
from app.discreet.discretion import Discretion
from app.discreet.masking import masked, masked_setting


@dataclass(frozen=True, slots=True)
class Cleaning:
    """``mask``: secrets become ``•••``. ``discretion``: names of hosts and paths are told in other words; None leaves
    them. Whatever a file, a person or a log said goes through here."""

    mask: bool
    discretion: Discretion | None

    def text(self, text: str) -> str:
        """Any text; lines keep their number."""
        return self._placeless(masked(text) if self.mask else text)

    def setting(self, key: str, value: str) -> str:
        """The value of a setting, of whose secrecy its key may tell."""
        return self._placeless(masked_setting(key, value) if self.mask else value)

    def json(self, value: Json, key: str = "") -> Json:
        """A document: every text in it, names of fields too; what stands under a name is a setting of that name."""
        if isinstance(value, str):
            return self.setting(key, value)
        if isinstance(value, Mapping):
            return {self.text(name): self.json(one, name) for name, one in value.items()}
        if isinstance(value, Sequence):
            return [self.json(one, key) for one in value]
        return value

    def lines(self, lines: Sequence[str]) -> list[str]:
        """Lines of one log that follow each other, so that what goes over several of them is seen."""
        flat = [one.replace("\r", " ").replace("\n", " ") for one in lines]
        return self.text("\n".join(flat)).split("\n") if flat else []

    def _placeless(self, text: str) -> str:
        return text if self.discretion is None else self.discretion.text(text)
