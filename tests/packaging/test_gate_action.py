"""The action of the gate, run step by step outside of a clone: what it installs, how it ends, what it leaves."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from app.version import VERSION
from tests.audits.made import report
from tests.packaging.action import Run, run
from tests.packaging.stranger import ROOT, Stranger, build_wheels

pytestmark = pytest.mark.wheelhouse

NEEDED = (".github/actions/gate", "client", "locks")
"""What the action reads of the repository that GitHub's runner fetches for it."""


@pytest.fixture(scope="module")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository as the runner has it, without what only a checkout that was worked in has."""
    folder = tmp_path_factory.mktemp("fetched")
    for name in NEEDED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    return folder


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    build_wheels(folder)
    return folder


@pytest.fixture(scope="module")
def installed(fetched: Path, wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runner's folder after the action has installed the client of its own version; what it did is beside it."""
    folder = tmp_path_factory.mktemp("installed")
    done = gate(fetched, wheels, folder, audit=save(folder), max_fpr="0.05")
    assert done.code == 0, done.printed
    return folder / "runner"


def save(folder: Path) -> str:
    """A report whose false-positive rate has an upper end between 2% and 5%, and that knows no right response."""
    (folder / "report.json").write_text(report().model_copy(update={"false_negatives": []}).model_dump_json())
    return "report.json"


def gate(fetched: Path, wheels: Path, folder: Path, installed: Path | None = None, **inputs: str) -> Run:
    given = {name.replace("_", "-"): value for name, value in inputs.items()}
    action = fetched / ".github/actions/gate/action.yml"
    return run(action, given, folder, Stranger(folder, wheels).environment, installed)


Gate = Callable[..., Run]


@pytest.fixture
def check(fetched: Path, wheels: Path, installed: Path, tmp_path: Path) -> Gate:
    """The action without its first step."""
    return lambda **inputs: gate(fetched, wheels, tmp_path, installed, **{"audit": save(tmp_path), **inputs})


def test_it_installs_a_wheel_that_is_named(fetched: Path, wheels: Path, tmp_path: Path) -> None:
    wheel = str(next(wheels.glob("trueward-*.whl")))
    done = gate(fetched, wheels, tmp_path, audit=save(tmp_path), package=wheel, max_fpr="0.05")
    assert done.code == 0, done.printed
    assert VERSION in done.printed


@pytest.mark.parametrize(
    ("limits", "code", "word"),
    [
        ({"max_fpr": "0.05"}, 0, "passed"),
        ({"max_fpr": "0.02"}, 1, "FAILED"),
        ({"max_fpr": "0.02", "bound": "rate"}, 0, "passed"),
        ({"max_fnr": "0.5"}, 3, "unknown"),
        ({}, 2, "no limit"),
    ],
)
def test_it_ends_as_the_command_does_and_says_why(
    check: Gate, tmp_path: Path, limits: dict[str, str], code: int, word: str
) -> None:
    done = check(**limits)
    assert done.code == code, done.printed
    assert done.outputs["passed"] == ("false" if code else "true")
    assert Path(done.outputs["report"]).read_bytes() == (tmp_path / "report.json").read_bytes()
    assert word in done.summary


def test_an_input_is_data_and_never_code(check: Gate, tmp_path: Path) -> None:
    done = check(max_fpr="$(touch hacked)", bound="`touch hacked`")
    assert done.code == 2
    assert not list(tmp_path.rglob("hacked"))


def test_a_service_that_cannot_be_reached_fails_it(check: Gate) -> None:
    done = check(run="labelled --verifier math", url="http://127.0.0.1:1", max_fpr="0.05")
    assert done.code == 4, done.printed
    assert done.outputs["passed"] == ""
