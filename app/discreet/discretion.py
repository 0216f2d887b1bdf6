"""Names of hosts and places on the training machines, out of whatever is shown outside of the house. Pure.

A host is ``host-1``, in the order in which the run's hosts are known, and an address that nobody knows ``host``.
A path below a root of the run keeps what is below it, one into a Python package what is in that; of others the last
parts stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address

from app.discreet.host_names import HostNames

CUT = "…"
HOST = "host"  # one without a number
DEEP = 5  # of so many parts the last two say nothing of whose they are: /home/someone/project/output/info.log
TURNS = 4  # two are what nearly every text needs
ANY = "0.0.0.0"  # nosec B104 # looked for in texts, never bound to
LOOPBACK = ("127.0.0.1", ANY, "::1", "::", "localhost", "255.255.255.255")

# events.out.tfevents.1700000000.node-07.4711.0   events.out.events.summary.1700000000.0.node-07_MS
_EVENT_FILE = re.compile(
    r"(events\.out\.(?:tfevents\.\d{1,12}|events\.summary\.\d{1,12}\.\d{1,9})\.)([\w.-]{1,100}?)((?:\.\d{1,9}\.\d{1,9}|_MS|_lineage)?(?:\.v2)?)(?![\w.-])"
)
# HOSTNAME=node-07   "server_addr": "node-07"   hostname: node-07   USER=someone
_NAMED = re.compile(
    r"(?i)(?<![\w.-])((?:\w{1,40}_)?(?:host|hostname|nodename|addr|address|user|username|logname|login_name)[\"']?"
    r"[ \t]{0,4}[=:][ \t]{0,4}[\"']?)([\w][\w.-]{0,253})"
)
# 10.0.0.12, not the version 2.10.0 nor 1.2.3.4.5
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d\.|\w|\.\d)")
# fe80::1, 2001:db8:0:0:0:0:0:1
_IPV6 = re.compile(r"(?<![\w:.])(?=[a-fA-F:]{0,39}[0-9])[0-9a-fA-F:]{3,39}(?![\w:])")
# obs://bucket/someone/run, s3a://bucket/x, file:///home/someone/x
_STORAGE = re.compile(r"\b((?:obs|s3[an]?|oss|cos|gs|hdfs|viewfs|file|nfs|afs|abfss?|wasbs?)://)([^\s\"'<>]+)")
# "/data/some one/output": between quotes a path may hold blanks
_QUOTED = re.compile(r"(?<=[\"'`])/(?=[^/\s])[^\"'`\n]{1,4096}(?=[\"'`])")
# /home/someone/output, but neither 4/8, </s>, https://host/path nor …/output
_PATH = re.compile(r"(?<![\w.~…/<>\\%)\]-])/(?=[^/\s])[^\s\"'`<>|:;,()\[\]{}*?=，。；：、（）]{1,4096}")
# ~/output, ~someone/output
_HOME = re.compile(r"(?<![\w/.~])~[\w.-]{0,64}/[^\s\"'`<>|:;,()\[\]{}*?]{1,4096}")
# C:\Users\someone\x, \\server\share\x
_WINDOWS = re.compile(r"(?<![\w\\])(?:[A-Za-z]:|\\\\[\w.-]{1,64})\\[^\s\"'`<>|:;,()\[\]{}*?]{1,4096}")
# …/lib/python3.11/site-packages/mindspore/nn/cell.py
_PACKAGE = re.compile(r".*/(?:site-packages|dist-packages|python3\.\d{1,2})/(?=[^/])")
# redis://node-07:6379, http://node-07/x, rediss://•••@cache.example; but https://gitee.com/mindspore
_URL = re.compile(r"(?<=://)((?:[^\s/?#\"'<>@]{0,300}@)?)([A-Za-z0-9][\w.-]{0,253})((?::\d{1,5})?)")
# /home/someone/project
_PERSON = re.compile(r"/(?:home|Users)/([^/]{2,64})(?:/|\Z)")
USER = "user"
# what is said already: host-12
_TOLD = re.compile(rf"{HOST}-\d{{1,6}}")


@dataclass(frozen=True, slots=True)
class Discretion:
    """What is known of a run's machines: hosts, each with what is said instead, and the directories it lies in."""

    hosts: Mapping[str, str]
    roots: tuple[str, ...]
    _names: HostNames = field(init=False, repr=False, compare=False)
    _below: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """What is known, made ready to be looked for."""
        told = {name: said for name, said in self.hosts.items() if name not in LOOPBACK}
        object.__setattr__(self, "_names", HostNames(told))
        object.__setattr__(self, "_below", _roots(self.roots))

    def text(self, text: str) -> str:
        """Any text without names of hosts, addresses and absolute paths; a second time changes nothing."""
        for _ in range(TURNS):
            known, text = text, self._once(text)
            if text == known:
                break
        return text

    def _once(self, text: str) -> str:
        """One pass; what it leaves may tell anew."""
        if self._below is not None:
            text = self._below.sub(CUT, text)
        text = _EVENT_FILE.sub(lambda found: found[1] + self.host(found[2]) + found[3], text)
        text = _STORAGE.sub(lambda found: found[1] + _shortened(found[2]), text)
        for pattern in (_QUOTED, _PATH, _HOME, _WINDOWS):
            text = pattern.sub(lambda found: self.path(found[0]), text)
        text = self._names.told(text)
        text = _URL.sub(self._authority, text)
        text = _NAMED.sub(lambda found: found[1] + self._said(found[2]), text)
        return _IPV6.sub(self._address, _IPV4.sub(self._address, text))

    def host(self, name: str) -> str:
        """What is said instead of a host's name; this machine's own loopback stays."""
        if not name or name in LOOPBACK or name in (HOST, USER) or _TOLD.fullmatch(name):
            return name
        return self._names.said(name) or HOST

    def path(self, path: str) -> str:
        """What is said instead of a path; one that is relative stays as it is."""
        if self._below is not None and (found := self._below.match(path)):
            return CUT + path[found.end() :]
        parts = path.replace("\\", "/")
        if not (parts.startswith(("/", "~")) or _WINDOWS.match(path)) or parts.count("/") + parts.endswith("/") < 2:
            return path if not parts.startswith("~") else f"{CUT}/{parts.partition('/')[2]}".rstrip("/")
        return _shortened(parts)

    def _said(self, value: str) -> str:
        """What stands behind a name such as "server_addr": a number or a memory's address is no host."""
        plain = value[0].isdigit() and value.count(".") != 3
        return value if plain or value.lower() in ("none", "null", "true", "false") else self.host(value)

    def _authority(self, found: re.Match[str]) -> str:
        """A name without a domain, with a port or a user before it is of a machine, not of a page for everybody."""
        of_machine = found[1] or found[3] or "." not in found[2]
        return found[1] + (self.host(found[2]) if of_machine else found[2]) + found[3]

    def _address(self, found: re.Match[str]) -> str:
        try:
            ip_address(found[0])
        except ValueError:
            return found[0]
        return self.host(found[0])


def discretion(hosts: Iterable[str], roots: Iterable[str]) -> Discretion:
    """For hosts in the order in which they are to be counted, and the directories of the run and its files; whoever's
    home these lie in is told as ``user``."""
    names = [one for one in dict.fromkeys(hosts) if one and one not in LOOPBACK]
    places = tuple(dict.fromkeys(roots))
    people = {found[1]: USER for root in places if (found := _PERSON.match(root))}
    return Discretion({**people, **{name: f"{HOST}-{at}" for at, name in enumerate(names, 1)}}, places)


def _shortened(path: str) -> str:
    """``/home/someone/project/output/info.log`` → ``…/output/info.log``."""
    if path.startswith(CUT):
        return path
    if found := _PACKAGE.match(path):
        return f"{CUT}/{path[found.end() :]}"
    parts = [part for part in path.split("/") if part]
    kept = parts[-2:] if len(parts) >= DEEP else parts[-1:] if len(parts) > 2 else []
    return "/".join([CUT, *kept])


def _roots(roots: Iterable[str]) -> re.Pattern[str] | None:
    """Each root and the directories that it lies in, from the second on: of /data/some one/x also /data/some one."""
    known = {above for root in roots for above in _above(root.rstrip("/"))}
    if not known:
        return None
    spelled = "|".join(re.escape(one) for one in sorted(known, key=lambda one: (-len(one), one)))
    return re.compile(rf"(?<![\w.…/])(?:{spelled})(?![^/\s\"'`<>|:;,()\[\]{{}}*?=，。；：、（）])")


def _above(root: str) -> Iterable[str]:
    parts = root.split("/")
    return ("/".join(parts[:end]) for end in range(3, len(parts) + 1)) if root.startswith("/") else ()
