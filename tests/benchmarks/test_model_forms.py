"""The short form of the benchmark of the model lane runs, and its claims hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.models.__main__ import ENVIRONMENT, main
from tests.benchmarks.forms import read

pytestmark = [pytest.mark.benchmark, pytest.mark.usefixtures("one_thread")]


def test_models_measures_every_way_and_judges_every_aim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    main(["--short", "--results", str(tmp_path)])
    document = read("models", tmp_path)
    devices, aims = document["measured"], document["aims"]
    assert isinstance(devices, list)
    assert isinstance(aims, list)
    [measured] = devices
    assert isinstance(measured, dict)
    assert isinstance(measured["rates"], list)
    assert len(measured["rates"]) == 10
    assert len(aims) == 4
