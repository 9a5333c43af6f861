"""The short forms of the mathematics benchmarks run, and their documents say what was measured and on whose labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.pairs import FORMS
from tests.benchmarks.forms import ran

pytestmark = pytest.mark.benchmark


def test_accuracy_scores_both_contestants_on_every_form(tmp_path: Path) -> None:
    document = ran("accuracy", tmp_path)
    sets, labels = document["sets"], document["labels"]
    assert isinstance(sets, dict)
    assert isinstance(labels, str)
    assert "construction" in labels
    assert set(sets) == {"open"}, "the sealed pairs are scored on request only"
    scores = sets["open"]
    assert isinstance(scores, dict)
    forms, whole = scores["forms"], scores["whole"]
    assert isinstance(forms, dict)
    assert isinstance(whole, dict)
    assert set(forms) == set(FORMS)
    assert set(whole) == {"Trueward", "math-verify"}


def test_math_measures_both_contestants_on_every_load(tmp_path: Path) -> None:
    document = ran("math", tmp_path)
    costs, aims = document["costs"], document["aims"]
    assert isinstance(costs, dict)
    assert isinstance(aims, list)
    assert len(aims) == 4
    assert {f"{load}, {times}" for load in ("simple", "mix", "symbolic") for times in ("cold", "again")} < set(costs)
    assert {f"pairs: {form}" for form in FORMS} < set(costs)
    assert all(isinstance(by, dict) and set(by) == {"Trueward", "math-verify"} for by in costs.values())
