"""What the reasons for which a run has no summaries mean (app.diagnosis.unwritten), and what to do about each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.diagnosis.signal import Class
from app.language import lazy_gettext as _
from app.words.remedies import REMEDIES, Remedy

USUAL = REMEDIES["tb_missing"]
ELSEWHERE, UNASKED, HOST, SEALED, UNFLUSHED = USUAL.causes
WHERE, ON_HOSTS, SETTINGS = USUAL.steps


def _likely(first: int, told: Remedy) -> Remedy:
    """One with the usual causes, the likely one before all others."""
    causes = USUAL.causes
    return replace(told, causes=(causes[first], *causes[:first], *causes[first + 1 :]))


PARTS: Mapping[tuple[Class, str], Remedy] = {
    ("tb_missing", "B2"): _likely(
        0,
        Remedy(
            _("Summaries go elsewhere"),
            _("The console prints losses, and the directory that event files go to is not the one that is followed."),
            (),
            (
                WHERE,
                _("Follow that directory, or one above both; or set tensorboard_dir to one below the followed one."),
            ),
        ),
    ),
    ("tb_missing", "B3"): _likely(
        1,
        Remedy(
            _("No summaries configured"),
            _("The console prints losses, and nothing in the log says that event files are to be written."),
            (),
            (
                _("See that callbacks have MFLossMonitor, and the YAML a tensorboard section or a SummaryMonitor."),
                SETTINGS,
            ),
        ),
    ),
    ("tb_missing", "B4"): _likely(
        3,
        Remedy(
            _("Summaries cannot be read"),
            _("There are event files, but the user who follows them may not read them."),
            (),
            (
                _("Look at the owner and the mode of the files: MindSpore closes summaries with mode 0400."),
                _("Follow them as the user who trains, or let that user make them readable."),
            ),
        ),
    ),
    ("tb_missing", "B5"): _likely(
        4,
        Remedy(
            _("Summaries are empty"),
            _("There are event files, but no scalar in them has come to disk."),
            (),
            (
                _("Wait two minutes: tensorboardX flushes every 120 s, or when tensorboard_queue_size points wait."),
                _("If they stay empty, lower tensorboard_queue_size, and see that only one process writes each file."),
                _("See that the monitor that writes is given a loss: on ranks of other pipeline stages it is not."),
            ),
        ),
    ),
    ("tb_missing", "B6"): _likely(
        2,
        Remedy(
            _("The rank that writes is not followed"),
            _("The console prints losses, and the last rank, which writes summaries, has no file here."),
            (),
            (ON_HOSTS, _("Start a collector on the host of the last rank, with the same --run."), WHERE),
        ),
    ),
}
