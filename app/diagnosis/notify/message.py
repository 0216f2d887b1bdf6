"""What a channel is given to carry: words in its language, and nothing that a chat would take for more than words."""

from __future__ import annotations

from dataclasses import dataclass

from app.diagnosis.signal import Severity

# Names of runs, tags and ranks come from files. A chat would make links, pictures and calls to everybody of them:
# <!channel>  <@user>  [text](address)  ![](address)
CONTROLS = [*range(0x20), *range(0x7F, 0xA0)]  # of terminals and of lines
DIRECTIONS = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]  # words in another order
HARMLESS = {ord("<"): "‹", ord(">"): "›"} | dict.fromkeys([*CONTROLS, *DIRECTIONS], " ")


@dataclass(frozen=True, slots=True)
class Block:
    """One part of a message: a heading, lines, and text to copy."""

    heading: str
    lines: tuple[str, ...] = ()
    code: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """``id`` is the same whenever the same message is sent; ``link`` leads to what it is about, "" where nobody said
    where the pages are; ``picture`` is a PNG of the curve, empty without one; ``blocks`` are what happened, ``advice``
    what to do, of which less is told where a channel takes little. ``is_over``: it tells of ends alone."""

    id: str
    run: str
    title: str
    severity: Severity
    blocks: tuple[Block, ...]
    advice: tuple[Block, ...] = ()
    link: str = ""
    link_words: str = ""
    foot: str = ""
    is_over: bool = False
    picture: bytes = b""


def plain(message: Message, most: int = 1_000_000) -> str:
    """The body as text of at most ``most`` bytes, without the title."""
    link = [f"{message.link_words}: {message.link}"] if message.link else []
    return _fitted([*map(_plain, message.blocks), *link], [*map(_plain, message.advice)], message.foot, most)


def _plain(block: Block) -> str:
    return "\n".join([block.heading, *(f"· {line}" for line in block.lines), *([block.code] if block.code else [])])


def markdown(message: Message, most: int = 1_000_000, *, fenced: bool = True) -> str:
    """The body in the Markdown that DingTalk, WeCom and Slack have in common: bold, lines, code, links. Where fences
    are not known (not ``fenced``), each line of code is one by itself."""
    link = [f"[{message.link_words}]({message.link})"] if message.link else []
    news, advice = ([_markdown(one, fenced) for one in some] for some in (message.blocks, message.advice))
    return _fitted([*news, *link], advice, message.foot, most)


def _markdown(block: Block, fenced: bool) -> str:
    lines = block.code.splitlines()
    code = ["```", *lines, "```"] if fenced and lines else [f"`{line}`" for line in lines]
    return "\n".join([f"**{block.heading}**", *(f"- {line}" for line in block.lines), *code])


def _fitted(news: list[str], advice: list[str], foot: str, most: int) -> str:
    """What happened, the link, as much advice as there is room for, and always the foot: it tells repeats apart."""
    room = most - len(foot.encode()) - 2
    told = news
    for one in advice:
        if len("\n\n".join([*told, one]).encode()) > room:
            break
        told = [*told, one]
    return shortened("\n\n".join(told), room) + f"\n\n{foot}"


def harmless(text: str) -> str:
    """``text`` without what a chat takes for a link or a call, on one line."""
    return text.translate(HARMLESS).replace("](", "] (")


def shortened(text: str, most: int) -> str:
    """At most ``most`` bytes of UTF-8, cut at the end of a line where there is one."""
    if len(text.encode()) <= most:
        return text
    kept = text.encode()[: most - 4].decode(errors="ignore")
    return (kept.rsplit("\n", 1)[0] if "\n" in kept else kept) + "\n…"
