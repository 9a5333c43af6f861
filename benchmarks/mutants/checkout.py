"""A copy of the checkout whose files are changed for a while, and its tests, which run under a limit of time."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from benchmarks.processes import Tree

Outcome = Literal["passed", "failed", "stopped"]
_NO_TESTS = 5
"""What pytest ends with where there is nothing to run."""
_SHOWN = 2000


@dataclass(frozen=True, slots=True)
class Run:
    """One run of pytest. ``failed`` are the tests that did, or the file where it could not be imported."""

    outcome: Outcome
    failed: list[str]
    seconds: float
    said: str
    """The end of what pytest printed."""


class Checkout:
    """``root`` has an environment whose packages are those of ``root``; ``python`` is its interpreter.

    What is changed is kept beside ``root`` until it is put back, also by a later process. ``options`` are pytest's,
    for every run.
    """

    def __init__(self, root: Path, python: Path | None = None, options: Sequence[str] = ()) -> None:
        self.root = root.resolve()
        # not resolved: an environment's interpreter is a link, and what it is linked to has not the packages
        self.python = python.absolute() if python else self.root / ".venv/bin/python"
        self._options = list(options)
        self._originals = self.root.with_name(f"{self.root.name}.originals")
        self.put_back()

    def text(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def tests(self, pattern: str = "tests/**/test_*.py") -> list[str]:
        """The test files that match, sorted."""
        return sorted(path.relative_to(self.root).as_posix() for path in self.root.glob(pattern))

    @contextmanager
    def changed(self, texts: Mapping[str, str]) -> Iterator[None]:
        """Within the block these files have these texts."""
        try:
            for path, text in texts.items():
                kept = self._originals / path
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.root / path, kept)
                self._write(path, text.encode())
            yield
        finally:
            self.put_back()

    def put_back(self) -> None:
        """Undoes every change, of an earlier process too."""
        for kept in sorted(self._originals.rglob("*")):
            if kept.is_file():
                self._write(kept.relative_to(self._originals).as_posix(), kept.read_bytes())
        shutil.rmtree(self._originals, ignore_errors=True)

    def run(self, tests: Sequence[str], limit_s: float, *, without: Sequence[str] = ()) -> Run:
        """These tests up to the first failure; a run that takes longer is stopped with all that it started."""
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            cache, log = Path(folder, "cache"), Path(folder, "log")
            options = ["-x", "-q", "-o", f"cache_dir={cache}", *(f"--deselect={one}" for one in without)]
            code = self.pytest([*options, *tests], log, limit_s)
            failed, said = _last_failed(cache), log.read_text(errors="replace")[-_SHOWN:]
        seconds = round(time.monotonic() - started, 2)
        if code is None:
            return Run("stopped", [], seconds, said)
        return Run("passed" if code in (0, _NO_TESTS) else "failed", failed, seconds, said)

    def pytest(self, arguments: Sequence[str], log: Path, limit_s: float | None = None) -> int | None:
        """What pytest ends with; None where it is stopped. ``log`` gets what it prints."""
        command = [str(self.python), "-m", "pytest", *self._options, *arguments]
        with log.open("wb") as sink:
            process = subprocess.Popen(
                command,
                cwd=self.root,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                return process.wait(limit_s)
            except subprocess.TimeoutExpired:
                return None
            finally:
                _end(process)

    def _write(self, path: str, text: bytes) -> None:
        """Without what was compiled of it: Python tells versions apart by length and second, and takes the old one."""
        file = self.root / path
        file.write_bytes(text)
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            compiled.unlink(missing_ok=True)


def _last_failed(cache: Path) -> list[str]:
    file = cache / "v/cache/lastfailed"
    return list(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else []


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends what is left of a run: its descendants, and whatever has stayed in its session."""
    if process.poll() is None:
        for member in reversed(Tree(process.pid).members()):
            with suppress(psutil.NoSuchProcess):
                member.kill()
        process.wait()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
