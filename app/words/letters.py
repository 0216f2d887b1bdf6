"""A letter in words: what happened, by which numbers, what it means, what to do, and where to look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from app.diagnosis.notify.letter import Item, Kind, Letter, gravest
from app.diagnosis.notify.message import Block, Message, harmless
from app.diagnosis.opening import GRAVITY
from app.diagnosis.signal import Class, Severity, Signal
from app.language import gettext as _
from app.language import ngettext, sentences, speaking
from app.words.alerts import KINDS, SEVERITIES
from app.words.copies import copies
from app.words.evidence import comma, sentence
from app.words.rank_remedies import PARTS, remedy

GRAVEST: Sequence[Kind] = ("escalation", "begin", "end")
SHOWN = 3  # episodes of one group that are told by their numbers
COPIED = 2  # texts to copy; the page has all of them
AROUND = 0.5  # of the episode's length on each side, in the view that the link leads to
LEAST_AROUND = 50  # steps


@dataclass(frozen=True, slots=True)
class Group:
    """Items that are alike."""

    kind: Kind
    about: Class
    name: str
    items: Sequence[Item]

    @property
    def severity(self) -> Severity:
        return max((one.severity for one in self.items), key=lambda one: GRAVITY[one])


def message(letter: Letter, home: str, language: str) -> Message:
    """``home`` is the address of the pages, "" where nobody said it; ``language`` a key of LANGUAGES."""
    with speaking(language):
        told = groups(letter.items)
        return Message(
            letter.id,
            harmless(letter.run),
            title(letter, told),
            letter.severity,
            tuple(Block(heading(one), tuple(lines(one))) for one in told),
            tuple(advice(told)),
            link(letter, home, language),
            _("Open in Tidewatch"),
            foot(letter),
            is_over=all(one.kind == "end" for one in letter.items),
        )


def groups(items: Sequence[Item]) -> list[Group]:
    """The gravest first, ends last."""
    alike: dict[tuple[Kind, Class, str], list[Item]] = {}
    for one in items:
        said = one.notice.signal
        is_apart = said.about == "custom" or (said.about, said.rule) in PARTS
        alike.setdefault((one.kind, said.about, said.rule if is_apart else ""), []).append(one)
    found = [Group(kind, about, name, some) for (kind, about, name), some in alike.items()]
    return sorted(found, key=lambda one: (GRAVEST.index(one.kind), -GRAVITY[one.severity]))


def title(letter: Letter, told: Sequence[Group]) -> str:
    """What a lock screen shows."""
    first = told[0]
    state = SEVERITIES[letter.severity] if first.kind == "begin" else KINDS[first.kind]
    names = comma().join(dict.fromkeys(named(one) for one in told if one.kind == first.kind))
    return _("[%(state)s] %(run)s: %(what)s", state=state, run=harmless(letter.run), what=names)


def named(group: Group) -> str:
    """The name of a class, or of a rule that people wrote."""
    return harmless(group.name) if group.about == "custom" else str(remedy(group.about, group.name).name)


def heading(group: Group) -> str:
    """What it is, how grave, and whether it begins or is over."""
    return f"{named(group)} · {SEVERITIES[group.severity]} · {KINDS[group.kind]}"


def lines(group: Group) -> list[str]:
    """The first few by their numbers, gravest first, and how many more there are."""
    ordered = sorted(group.items, key=lambda one: (-GRAVITY[one.severity], one.notice.signal.first_step))
    shown = [in_words(one) for one in ordered[:SHOWN]]
    more = len(ordered) - len(shown)
    spans = ranks(group.items)
    return [
        *shown,
        *([ngettext("and %(num)d more like it", "and %(num)d more like it", more)] if more else []),
        *([_("ranks: %(ranks)s", ranks=spans)] if spans else []),
    ]


def in_words(item: Item) -> str:
    """One episode."""
    said = item.notice.signal
    return harmless(sentence(said, said.step if item.kind == "end" else None))


def ranks(items: Sequence[Item]) -> str:
    """Of all of them, as 0–7, 12; nothing where it is one or none."""
    known = sorted({one.notice.signal.rank for one in items} - {None}, key=lambda one: one or 0)
    spans = [(one, one) for one in known if one is not None] + [span for one in items for span in one.notice.ranks]
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    if sum(last - first + 1 for first, last in merged) < 2:
        return ""
    told = [f"{first}" if first == last else f"{first}–{last}" for first, last in merged]
    return ", ".join(told[:20]) + (" …" if len(told) > 20 else "")


def advice(told: Sequence[Group]) -> list[Block]:
    """What to do about the first that goes on: of what comes together it is the likely cause."""
    first = next((one for one in told if one.kind != "end"), None)
    if first is None:
        return []
    known = remedy(first.about, first.name)
    causes = [Block(_("Likely causes"), tuple(map(str, known.causes)))] if known.causes else []
    steps = Block(_("What to do"), tuple(map(str, known.steps)))
    copied = [Block(str(one.title), code=one.text) for one in copies(first.about, rule=first.name)[:COPIED]]
    return [Block(str(known.meaning)), *causes, steps, *copied]


def foot(letter: Letter) -> str:
    """Which message it is, and whether it may have come before."""
    known = _("Message %(id)s", id=letter.id)
    if not letter.unsure:
        return known
    return sentences(
        known + ".",
        _("This may be a repeat: the sender was ended while it sent this, and no channel says what has arrived."),
    )


def link(letter: Letter, home: str, language: str) -> str:
    """To the stretch of the run that the gravest of it is about, with the alert chosen."""
    if not home:
        return ""
    first = gravest(letter.items)
    query = urlencode({"view": view(first.notice.signal), "alert": first.alert, "lang": language}, safe=".")
    return f"{home.rstrip('/')}/run/{quote(letter.run, safe='')}?{query}"


def view(said: Signal) -> str:
    """A stretch around it, as the page's address spells one: ``1200..1800``."""
    around = max(LEAST_AROUND, round((said.step - said.first_step) * AROUND))
    return f"{max(0, said.first_step - around)}..{said.step + around}"
