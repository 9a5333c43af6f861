"""Bad input is a clear error, never a number."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from audits.statistics.arrays import codes
from audits.statistics.calibration import calibration
from audits.statistics.clusters import estimate_rate
from audits.statistics.confusion import confusion
from audits.statistics.sampling import horvitz_thompson
from audits.statistics.threshold import auc, threshold_curve


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: confusion([1, 0, math.nan], [1, 1, 1]), "right holds 1 missing labels"),
        (lambda: confusion([1, 2], [1, 1]), "right must be 0 or 1"),
        (lambda: confusion([1, 0], [0.5, 1]), "accepted must be 1 .* give scores a threshold"),
        (lambda: confusion([1, 0], [1]), "right has 2, accepted has 1"),
        (lambda: confusion(["yes", "no"], [1, 0]), "right must be numbers"),
        (lambda: confusion([[1, 0]], [1, 0]), "right must have one dimension"),
        (lambda: auc([0.1, math.nan], [0, 1]), "scores holds 1 missing or infinite"),
        (lambda: auc([0.1, math.inf], [0, 1]), "scores holds 1 missing or infinite"),
        (lambda: threshold_curve([], []), "no labels"),
        (lambda: threshold_curve([0.5, 0.1], [1, 1]), "only right responses"),
        (lambda: threshold_curve([0.5, 0.1], [0, 0]), "only wrong responses"),
        (lambda: calibration([1.2], [1]), r"confidence must lie in \[0, 1\]"),
        (lambda: calibration([], []), "no labels"),
        (lambda: horvitz_thompson([1, 0], [0.0, 0.5]), "probability 0 is never drawn"),
        (lambda: horvitz_thompson([1, 0], [1.5, 0.5]), r"must lie in \[0, 1\]"),
        (lambda: estimate_rate([1, 0], ["a"]), "errors has 2, groups has 1"),
        (lambda: estimate_rate([1, 0], ["a", None]), "items without an id"),
    ],
)
def test_bad_input_says_what_is_wrong(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_ids_of_any_kind_become_codes() -> None:
    assert codes("groups", ["b", "a", "b"]).tolist() == [0, 1, 0]
    assert codes("groups", np.array(["b", "a", "b"])).tolist() == [0, 1, 0]
    assert codes("groups", np.array([7, 3, 7])).tolist() == [1, 0, 1]
    assert codes("groups", [("x", 1), 2, ("x", 1)]).tolist() == [0, 1, 0]
    assert codes("groups", []).tolist() == []
