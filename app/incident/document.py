"""The page of a bundle: one file with its own styles and scripts in it, and a policy that lets it ask for nothing. Pure
but for the files of the program itself, which it is put together from."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path

from app.hypertext import hypertext
from app.incident.drawing import drawing
from app.incident.report import Report
from app.incident.sections import body
from app.language import gettext as _
from app.notes.plain import shown

HERE = Path(__file__).resolve().parent
ASSETS = HERE.parents[1] / "assets"
LANGUAGES = {"en": "en", "zh": "zh-CN"}
# :root { --font: …; }   :root[data-theme="dark"] { --ground: …; }
THEMES = re.compile(r":root(?P<dark>\[data-theme=\"dark\"\])? \{(?P<rules>[^}]*)\}")


@dataclass(frozen=True, slots=True)
class Parts:
    """What every page of a bundle has in it, and the hashes by which its policy knows the scripts."""

    style: str
    scripts: tuple[str, ...]

    @property
    def policy(self) -> str:
        """No address may be asked for anything; styles are inline, since the plot library sets its own."""
        hashes = " ".join(f"'sha256-{b64encode(sha256(one.encode()).digest()).decode()}'" for one in self.scripts)
        return (
            f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
            "form-action 'none'"
        )


@cache
def parts() -> Parts:
    """Read once a process."""
    library = (ASSETS / "plotly-basic.min.js").read_text()
    viewer = (HERE / "viewer.js").read_text()
    tokens = (ASSETS / "00-tokens.css").read_text()
    for script in (library, viewer):
        if "</script" in script.lower() or "<!--" in script:
            raise ValueError("a script of the bundle would end its own element")
    return Parts(themed(tokens) + (HERE / "report.css").read_text(), (library, viewer))


def themed(tokens: str) -> str:
    """The colours of assets/00-tokens.css, chosen by the reader's system and not by a script; on paper light."""
    found = {bool(one["dark"]): one["rules"] for one in THEMES.finditer(tokens)}
    return f":root {{{found[False]}}}\n@media screen and (prefers-color-scheme: dark) {{ :root {{{found[True]}}} }}\n"


def document(report: Report, held: tuple[str, ...] = ()) -> str:
    """The whole page in the language of who asks; ``held`` names what else is in the bundle."""
    head, own = report.head, parts()
    title = shown(_("Incident in %(run)s, steps %(steps)s", run=head.name, steps=head.stretch.text))
    return (
        f'<!doctype html>\n<html lang="{LANGUAGES[head.language]}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(own.policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{own.style}</style>\n</head>\n<body>\n"
        f"{hypertext(body(report, held))}\n"
        f'<script type="application/json" id="drawing">{drawing(report)}</script>\n'
        + "".join(f"<script>{one}</script>\n" for one in own.scripts)
        + "</body>\n</html>\n"
    )
