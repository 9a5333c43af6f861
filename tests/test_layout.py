"""What the parts may know of each other, how long a file may be, and what an import may cost."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE_FOLDERS = (
    "app",
    "audits",
    "benchmarks",
    "client",
    "examples",
    "judges",
    "migrations",
    "rewards",
    "sandbox",
    "scripts",
    "tests",
    "trueward_server",
    "verifiers",
)
MAX_LINES = 400
# A module that is named for no concept collects whatever has no home.
NAMELESS = {"utils", "util", "helpers", "helper", "common", "misc", "shared", "tools"}
HEAVY = ("torch", "transformers", "sympy", "math_verify", "latex2sympy2_extended", "fastapi", "sqlalchemy")
# Each would tie the project to one machine, one mirror, or the notes of the people who wrote it.
FOREIGN = re.compile(
    r"pypi\.org|pythonhosted\.org|npmjs\.org|deb\.debian\.org|debian\.org/debian|docker\.io/|ghcr\.io|quay\.io"
    r"|(?<![\w.-])/(?:work|root)/|\.\./shared/|(?:DESIGN|FACTS|PROTOCOLS|METHODS)\.md|\bfarm-\w",
    re.IGNORECASE,
)


def sources() -> list[Path]:
    """Every Python file of the project, environments and caches left out."""
    return [path for folder in SOURCE_FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]


def project_files() -> list[Path]:
    """Every file that a commit would hold now."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def modules_after(statement: str) -> set[str]:
    """The modules that a fresh interpreter holds after a statement."""
    shown = subprocess.run(
        [sys.executable, "-c", f"{statement}; import sys; print(*sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    return set(shown.stdout.split())


def packages_after(statement: str) -> set[str]:
    """The top-level ones of these."""
    return {name.partition(".")[0] for name in modules_after(statement)}


def test_parts_import_only_what_they_may() -> None:
    linted = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"], cwd=ROOT, capture_output=True, text=True
    )
    assert linted.returncode == 0, linted.stdout + linted.stderr


def test_no_file_is_too_long_to_hold_in_mind() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in sources()}
    assert lengths
    assert {str(path): length for path, length in lengths.items() if length > MAX_LINES} == {}


def test_every_module_is_named_for_a_concept() -> None:
    named = {path.stem for path in sources()} | {path.parent.name for path in sources()}
    assert named & NAMELESS == set()


@pytest.mark.parametrize("package", ["trueward", "sandbox", "verifiers", "judges", "rewards", "audits"])
def test_importing_a_part_pulls_nothing_heavy(package: str) -> None:
    assert packages_after(f"import {package}").intersection(HEAVY) == set()


def test_the_catalogue_of_verifiers_pulls_nothing_heavy() -> None:
    assert packages_after("from verifiers import registry; registry.names()").intersection(HEAVY) == set()


def test_the_service_starts_without_what_only_audits_compute_with() -> None:
    """``scipy`` itself is a shell that loads its parts when they are first used."""
    assert modules_after("import app.main").isdisjoint({"scipy.special", "scipy.stats", "sympy", "torch"})


def test_the_client_needs_none_of_the_server() -> None:
    ours = {"app", "audits", "judges", "rewards", "sandbox", "verifiers"}
    assert packages_after("import trueward, trueward.client").intersection(ours) == set()


def test_no_file_names_a_registry_or_a_place_of_one_machine() -> None:
    found = []
    for path in project_files():
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in FOREIGN.finditer(text)]
    assert found == []


def test_no_file_is_a_link() -> None:
    """A link does not survive every way that a copy of the project is made."""
    assert [path.relative_to(ROOT) for path in project_files() if path.is_symlink()] == []
