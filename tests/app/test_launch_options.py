"""What `python -m app` passes on to the collector."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.launch.options import BadUse, parse
from app.launch.programs import Station, collector


def test_the_layout_is_passed_on_to_the_collector(tmp_path: Path) -> None:
    options = parse([str(tmp_path), "--layout", "tp=4,dp=8"], {})
    command = collector(Station(tmp_path, options, 3, "redis://x"), {}).command
    assert command[command.index("--layout") + 1] == "dp=8,tp=4"
    plain = collector(Station(tmp_path, parse([str(tmp_path)], {}), 3, "redis://x"), {}).command
    assert "--layout" not in plain


@pytest.mark.parametrize("text", ["dp=8,tp", "dp=0", "tp=2,tp=4", ""])
def test_a_layout_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadUse, match="dp=8,tp=4,pp=2"):
        parse([str(tmp_path), "--layout", text], {})
