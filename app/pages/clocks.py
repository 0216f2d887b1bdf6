"""What is said of hosts whose clocks are off. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.figures import numbers
from app.language import gettext as _
from app.language import ngettext, sentences
from app.series.clocks import HostClock

NAMED = 3  # hosts, those farthest off first; of more only how many there are


def clock_line(clocks: Sequence[HostClock]) -> str:
    """Whose clocks are off by how much, and that it changes no order; "" while all are near enough."""
    off = sorted((one for one in clocks if one.is_off), key=lambda one: -abs(one.ahead))
    if not off:
        return ""
    left = len(off) - NAMED
    more = ngettext("%(count)s more host is off too.", "%(count)s more hosts are off too.", left, count=left)
    why = _("Times written there are off by as much; nothing is put in order by them.")
    return sentences(*map(said, off[:NAMED]), more if left > 0 else "", why)


def said(clock: HostClock) -> str:
    """ "The clock of node-07 is 3.2 s ahead of Redis'." """
    told = {"host": clock.host, "time": numbers.duration(abs(clock.ahead))}
    if clock.ahead > 0:
        return _("The clock of %(host)s is %(time)s ahead of Redis'.", **told)
    return _("The clock of %(host)s is %(time)s behind Redis'.", **told)
