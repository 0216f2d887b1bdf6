"""What a chat or a mail shows of a link: the tags of a page that say what it is. Pure."""

from __future__ import annotations

from html import escape

from app.figures import numbers
from app.language import gettext as _
from app.language import language, ngettext
from app.pages.shown import RunShown
from app.words.states import status_word

SPOKEN = {"en": "en_US", "zh": "zh_CN"}
WIDTH, HEIGHT = 1200, 630  # of the picture: what most of them show whole


def head(title: str, said: str, address: str, picture: str) -> str:
    """Tags of a page at ``address`` with its ``picture``, both absolute; ``said`` is what describes it."""
    tags = {
        "og:type": "website",
        "og:site_name": "Tidewatch",
        "og:locale": SPOKEN[language()],
        "og:title": title,
        "og:description": said,
        "og:url": address,
        "og:image": picture,
        "og:image:type": "image/png",
        "og:image:width": str(WIDTH),
        "og:image:height": str(HEIGHT),
        "og:image:alt": title,
    }
    named = {"description": said, "twitter:card": "summary_large_image"}
    return "\n".join(
        [
            *(f'<meta property="{name}" content="{escape(text)}">' for name, text in tags.items()),
            *(f'<meta name="{name}" content="{escape(text)}">' for name, text in named.items()),
        ]
    )


def description(shown: RunShown) -> str:
    """How the run is doing, how far it is, its loss, and what was found."""
    seen = shown.seen
    said = [str(status_word(shown.state).text)]
    if seen.step is not None:
        said.append(_step(numbers.count(seen.step), numbers.count(seen.total_steps) if seen.total_steps else ""))
    if seen.loss is not None:
        said.append(_("loss %(value)s", value=numbers.value(seen.loss)))
    count = sum(one.counts for one in shown.alerts)
    if count:
        said.append(ngettext("%(num)d open alert", "%(num)d open alerts", count))
    return " · ".join(said)


def _step(step: str, total: str) -> str:
    return _("step %(step)s of %(total)s", step=step, total=total) if total else _("step %(step)s", step=step)
