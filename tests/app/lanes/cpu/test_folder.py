"""The folder of the fork server: held while its process lives, and removed by the next one where it was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
TAKE = (
    "import multiprocessing.util\nfrom app.lanes.cpu.folder import take_folder\ntake_folder()\ntake_folder()\n"
    "print(multiprocessing.util.get_temp_dir(), flush=True)\ninput()"
)


@pytest.fixture
def taking(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that have taken a folder in ``tmp_path``, and wait; more can be put there."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def start(tmp_path: Path, taking: list[subprocess.Popen[str]]) -> tuple[subprocess.Popen[str], Path]:
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": f"{ROOT}:{ROOT}/client/src"}
    process = subprocess.Popen(
        [sys.executable, "-c", TAKE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    taking.append(process)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_the_folder_of_a_killed_process_is_removed_by_the_next(
    tmp_path: Path, taking: list[subprocess.Popen[str]]
) -> None:
    killed, left = start(tmp_path, taking)
    living, kept = start(tmp_path, taking)
    (left / "socket").touch()
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert left.exists()
    _, new = start(tmp_path, taking)
    assert sorted(tmp_path.iterdir()) == sorted([kept, new])
    assert living.poll() is None


def test_a_process_that_ends_removes_its_own(tmp_path: Path, taking: list[subprocess.Popen[str]]) -> None:
    ending, folder = start(tmp_path, taking)
    assert list(tmp_path.iterdir()) == [folder]
    ending.communicate("\n")
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_ours_stays(tmp_path: Path, taking: list[subprocess.Popen[str]]) -> None:
    (tmp_path / "trueward-other").mkdir()
    (tmp_path / "trueward-workers-file").touch()
    (tmp_path / "trueward-workers-link").symlink_to(ROOT)
    start(tmp_path, taking)
    assert {path.name for path in tmp_path.iterdir()} >= {
        "trueward-other", "trueward-workers-file", "trueward-workers-link",
    }  # fmt: skip
    assert (ROOT / "app").exists()
