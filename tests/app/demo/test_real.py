"""`make demo-real` with one step. That a real model learns in more is `python -m benchmarks.real`, in `make prove`."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from app.demo.real.model import unpack_model


@pytest.mark.real
def test_a_real_model_is_trained_and_shown_beside_a_coin() -> None:
    unpack_model()
    command = [sys.executable, "-m", "app.demo.real", "--steps", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1_200, check=False)
    assert done.returncode == 0, done.stderr[-3_000:]
    [taught] = re.findall(r"the recipe math\D+([\d.]+)%.*?([\d.]+)%", re.sub(r"\[.*?\]", "", done.stdout))
    before, after = map(float, taught)
    assert before < 25
    assert 0 <= after <= 100, done.stdout
    assert re.search(r"reward 1, correct \(\w+\)", done.stdout)
    assert re.search(r"reward 0, incorrect \(\w+\)", done.stdout)
    assert "a coin" in done.stdout
