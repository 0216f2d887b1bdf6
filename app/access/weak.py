"""Secrets that anybody would try: too short, well known, or of a few characters. Pure; no sentence repeats one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["token", "password", "key"]


@dataclass(frozen=True, slots=True)
class Least:
    """What a secret must have at least: so many characters, so many different ones; and what to do instead."""

    characters: int
    different: int
    advice: str


LEAST: Mapping[Kind, Least] = {
    "token": Least(16, 8, "python -c 'import secrets; print(secrets.token_urlsafe(24))' makes one"),
    "password": Least(8, 4, "take several words"),
    "key": Least(32, 12, "python -c 'import secrets; print(secrets.token_hex(32))' makes one"),
}
# As they are compared: lower case, letters and digits alone, digits at the end left out.
WELL_KNOWN = """
secret password passwd passw0rd pass changeme changeit changethis change default admin administrator root user guest
login letmein welcome iloveyou monkey dragon sunshine princess football baseball qwerty qwertyuiop qwertz asdfgh
asdfghjkl zxcvbnm trustno abc abcdef abcdefgh abcdefghij test testing testtest example sample demo temp tidewatch
mindformers mindspore ascend huawei training dashboard token mytoken yourtoken secrettoken apitoken key secretkey
mysecretkey yoursecretkey mysecret yoursecret supersecret supersecretkey topsecret notsecret thisisasecret
thisismysecretkey thisismyscretkey thisisasecretkey thisissecret dontsharethis insecure replaceme replacethis
replacewithyoursecret tobechanged changemeplease pleasechangeme changemeinproduction development developmentkey
devkey dev devsecret prod production flask flasksecretkey flasksecret django djangoinsecure keyboardcat
correcthorsebatterystaple hunter passwordpassword secretsecret adminadmin asecretkey averysecretkey verysecretkey
verysecret somesecretkey randomstring somerandomstring yoursecrethere insertsecrethere undefined none null todo
fixme xxx
"""


def weakness(secret: str, kind: Kind) -> str | None:
    """What is wrong with a secret, as the end of "… is"; None for one that can be used."""
    least = LEAST[kind]
    plain = re.sub(r"[^a-z0-9]", "", secret.lower())
    if plain.rstrip("0123456789") in WELL_KNOWN.split() or (plain.isdecimal() and len(plain) < 12):
        return f"well known; {least.advice}"
    if len(secret) < least.characters:
        return f"too short: at least {least.characters} characters are needed; {least.advice}"
    if len(set(secret)) < least.different or _repeats(secret):
        return f"of too few different characters; {least.advice}"
    return None


def _repeats(secret: str) -> bool:
    """Whether it is a short piece again and again."""
    return any(
        secret == (secret[:size] * len(secret))[: len(secret)] for size in range(1, min(8, len(secret) // 2) + 1)
    )
