"""What watches the project itself: pins that are looked after, exceptions that say why, a policy that can be found."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from tests.test_architecture import ROOT, pinned

NOSEC = re.compile(r"#\s*nosec\b(?P<rest>.*)$")
# nosec B603 # a list of words: no shell reads the path
WITH_REASON = re.compile(r"#\s*nosec B\d{3}(, ?B\d{3})* # \S.{10,}$")


def sources() -> list[Path]:
    return sorted([*ROOT.glob("app/**/*.py"), *ROOT.glob("collector/**/*.py")])


def test_every_exception_of_bandit_names_what_it_excepts_and_says_why() -> None:
    marked = [line for path in sources() for line in path.read_text().splitlines() if NOSEC.search(line)]
    assert marked
    assert [line for line in marked if not WITH_REASON.search(line)] == []


def test_bandit_is_a_part_of_the_check() -> None:
    check = (ROOT / "Makefile").read_text().split("\ncheck:")[1].split("\n\n")[0]
    assert "bandit" in check
    assert "app collector" in check
    assert "bandit==" in "\n".join(pinned(ROOT / "tests/requirements.txt"))


def test_every_file_of_pins_is_watched() -> None:
    watched = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text())
    assert watched["version"] == 2
    pip = [one for one in watched["updates"] if one["package-ecosystem"] == "pip"]
    places = {place for one in pip for place in one.get("directories", [one.get("directory")])}
    assert all(one["schedule"]["interval"] in ("daily", "weekly") for one in pip)
    files = {path.parent.relative_to(ROOT) for path in ROOT.glob("**/requirements.txt") if ".venv" not in path.parts}
    assert files == {Path(), Path("tests")}
    assert {ROOT / place.lstrip("/") for place in places} == {ROOT / file for file in files}
