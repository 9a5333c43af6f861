"""The demo of models, with far fewer lessons than ``make demo-models`` gives: what it prints, and what it needs."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from random import Random

import pytest
from rich.console import Console

from app.demo.models.sums import DigitSum, draw_sums

ASKED = DigitSum((2, 4), (3, 5))


def test_a_sum_is_worked_out_column_by_column() -> None:
    assert (ASKED.question, ASKED.answer) == ("23+45?", "68")
    assert ASKED.working() == ("Tens: 2+4=6.", "Ones: 3+5=8.", "So \\boxed{68}.")


def test_a_mistake_ends_in_a_wrong_answer() -> None:
    draw = Random(0)
    for asked in draw_sums(200, draw):
        said = asked.make_mistakes(draw)
        assert len(said) == 3
        assert said[-1] != asked.working()[-1]
        assert re.fullmatch(r"So \\boxed\{\d\d\}\.", said[-1])


def test_the_demo_without_models_needs_no_torch() -> None:
    listing = "import app.demo.__main__, sys; print('torch' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"


def test_newer_weights_make_the_reference_likelier(monkeypatch: pytest.MonkeyPatch) -> None:
    from app.demo.models.__main__ import main
    from app.demo.models.train import Lessons

    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    printed = io.StringIO()
    main(Console(file=printed, width=160), Lessons(first=5, later=100, reward=2, process=2))
    judged, pushed, likely = printed.getvalue().partition("Pushed version 1")
    assert "toy reward model" in judged
    assert len(re.findall(r"\d\d\+\d\d\?.*Tens: .*(?:right|wrong).*-?\d\.\d\d", judged)) == 6
    assert pushed
    right = [re.findall(r"-?\d+\.\d{3}", line) for line in likely.splitlines() if "│ right │" in line]
    assert len(right) == 3
    for earlier, later, *_ in right:
        assert float(later) > float(earlier)
