"""Asks statsmodels, scikit-learn and crowd-kit, which live in an environment of their own (`make oracles`)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".venv-oracles/bin/python"


class Oracles:
    """The process that answers; its libraries are imported once."""

    def __init__(self, questions: IO[str], answers: IO[str]) -> None:
        self._questions = questions
        self._answers = answers

    def ask(self, questions: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
        """One answer per (function of ``oracle_answers``, its arguments)."""
        self._questions.write(json.dumps(questions) + "\n")
        self._questions.flush()
        line = self._answers.readline()
        assert line, "the oracles' process ended: its error is above"
        answers: list[Any] = json.loads(line)
        return answers


@contextmanager
def listening() -> Iterator[Oracles]:
    if not PYTHON.exists():
        pytest.fail("the environment of the oracles .venv-oracles is missing: make it with `make oracles`")
    command = [PYTHON, Path(__file__).with_name("oracle_answers.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Oracles(process.stdin, process.stdout)
