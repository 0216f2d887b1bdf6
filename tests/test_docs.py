"""What README says is what the code does."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from app import config as pages
from app.diagnosis import config as diagnosis
from app.diagnosis.notify.settings import settings as alerts
from app.diagnosis.rulebook.table import entries
from app.diagnosis.rulebook.table import table as rules
from app.diagnosis.signal import Class
from app.diagnosis.tuning import Tuned
from app.launch import options as command
from collector import config as collector

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()

ORDER = [
    "# Tidewatch",
    "## Two commands",
    "## Pointing it at a real job",
    "## What to set in MindFormers",
    "## Settings",
    "## Known limits",
]


def table(settings: tuple[pages.Setting, ...] | tuple[collector.Setting, ...]) -> list[str]:
    """The rows that README must have, in the order of the code."""
    return [f"| `{one.name}` | {f'`{one.default}`' if one.default else ''} | {one.help} |" for one in settings]


def test_the_sections_come_in_their_order() -> None:
    assert [line for line in README.splitlines() if re.match("##? ", line)] == ORDER


@pytest.mark.parametrize(
    "settings",
    [command.SETTINGS, collector.SETTINGS, diagnosis.SETTINGS, pages.SETTINGS],
    ids=["command", "collector", "diagnosis", "pages"],
)
def test_every_setting_of_the_code_is_in_its_table(
    settings: tuple[pages.Setting, ...] | tuple[collector.Setting, ...],
) -> None:
    assert "\n".join(table(settings)) in README


def test_no_setting_is_documented_that_the_code_does_not_know() -> None:
    tables = (command.SETTINGS, collector.SETTINGS, diagnosis.SETTINGS, pages.SETTINGS)
    known = {one.name for settings in tables for one in settings}
    assert set(re.findall(r"`(TIDEWATCH_[A-Z_]+|[A-Z]+_URL)`", README)) <= known


def test_the_file_of_alerts_in_readme_can_be_used() -> None:
    (text,) = [one for one in re.findall(r"```yaml\n(.*?)```", README, re.DOTALL) if "channels:" in one]
    named = set(re.findall(r"\$\{(\w+)\}", text))
    found = alerts(text, "README.md", dict.fromkeys(named, "https://open.feishu.cn/open-apis/bot/v2/hook/token"))
    assert (len(found.channels), len(found.rules)) == (3, 3)
    assert found.channels[0].policy.quiet is not None


def test_every_rule_is_in_the_table_with_the_numbers_of_the_code() -> None:
    assert rules() in README, "README's table is another one: python -m app.diagnosis.rulebook prints what it should be"


def test_the_table_has_every_part_that_a_rule_can_say() -> None:
    """Parts are spelled in the code as a letter and a digit."""
    places = [*(ROOT / "app/diagnosis/rules").glob("*.py"), *(ROOT / "app/diagnosis/ranks").glob("*.py")]
    text = "".join(one.read_text() for one in [*places, ROOT / "app/diagnosis/unwritten.py"])
    assert {one.part for one in entries()} == set(re.findall(r'"([A-Z]\d)"', text))
    assert {one.about for one in entries()} == set(get_args(Class)) - {"custom"}


def test_what_readme_says_of_classes_can_be_used() -> None:
    (text,) = [one for one in re.findall(r"```yaml\n(.*?)```", README, re.DOTALL) if "classes:" in one]
    assert alerts(text, "README.md", {}).classes == {
        "throughput": Tuned(mute=True),
        "loss_spike": Tuned(severity="info"),
    }


def test_every_make_target_of_readme_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"run", "test"} <= set(re.findall(r"(?:^|`)make ([a-z]+)", README, re.MULTILINE)) <= targets


def test_make_help_names_every_target() -> None:
    printed = subprocess.run(["make", "help"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"^make ([a-z]+)", printed, re.MULTILINE)) == targets


def test_every_file_that_readme_names_is_there() -> None:
    linked = set(re.findall(r"\]\(([^)#]+)\)|srcset=\"([^\"]+)\"|src=\"([^\"]+)\"", README))
    names = {name for group in linked for name in group if name and "://" not in name}
    assert {"docs/run-light.png", "docs/run-dark.png"} <= names
    assert [name for name in sorted(names) if not (ROOT / name).exists()] == []


def test_the_screenshots_are_pictures_of_a_page() -> None:
    for name in ("light", "dark"):
        head = (ROOT / "docs" / f"run-{name}.png").read_bytes()[:24]
        assert head.startswith(b"\x89PNG")
        assert int.from_bytes(head[16:20]) >= 1000


def test_the_changelog_has_the_form_it_names() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    assert text.startswith("# Changelog\n")
    assert re.findall(r"^## (.*)", text, re.MULTILINE)[0] == "[Unreleased]"
    allowed = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.*)", text, re.MULTILINE)) <= allowed


def test_the_licence_is_apache_two_in_full() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text
