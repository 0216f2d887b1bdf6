"""What an exported file is called, whatever the run is called. Pure.

The name is a suggestion to a browser or a path beside which a file is written, and a run's id is foreign text: it must
neither lead anywhere, nor end a header, nor be what Windows takes for a device (RFC 6266, RFC 8187).
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

LONGEST = 120  # characters of a run's name that are kept; file systems take 255 bytes
# CON · nul.txt · CON .x · COM1 · LPT³ · CONIN$: Windows opens the device, whatever follows the dot
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?= *(?:\.|\Z))", re.IGNORECASE)
_SEPARATORS = '/\\:*?"<>|%'
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # controls, marks of direction, halves of characters


def filename(run: str, window: str, suffix: str) -> str:
    """``pretrain-7b_100-200.csv``; ``window`` and ``suffix`` are our own words."""
    text = unicodedata.normalize("NFC", run)
    safe = "".join("_" if one in _SEPARATORS or unicodedata.category(one) in _INVISIBLE else one for one in text)
    stem = safe[:LONGEST].strip(" .") or "run"
    stem = f"_{stem}" if _DEVICE.match(stem) or stem.startswith(("~", "-")) else stem
    stem = stem.encode()[: 2 * LONGEST].decode(errors="ignore")
    return f"{stem}_{window}.{suffix}" if window else f"{stem}.{suffix}"


def disposition(name: str) -> str:
    """The header that says: save it under this name. In ASCII for old readers, whole for all others."""
    plain = re.sub(r"[^A-Za-z0-9._ ()+-]", "_", name)
    whole = quote(name, safe="")
    same = f'attachment; filename="{plain}"'
    return same if plain == name else f"{same}; filename*=UTF-8''{whole}"
