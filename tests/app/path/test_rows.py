"""What rewards depended on is stored only where it was something."""

from __future__ import annotations

import json

import pytest

from app.path.rows import conditions_body, conditions_hash
from rewards.conditions import NOTHING_KNOWN, Conditions
from rewards.noise.rates import Rate, Rates
from rewards.state import State

RATES = Rates(source="audit:x", pooled=Rate(false_positive=0.1, false_negative=0.2))


@pytest.mark.parametrize("nothing", [NOTHING_KNOWN, Conditions(step=3, rates={}, state=State(version=4), histories={})])
def test_where_nothing_is_known_there_is_no_row(nothing: Conditions) -> None:
    assert (body := conditions_body(nothing), conditions_hash(body)) == ("", "")


@pytest.mark.parametrize(
    ("known", "part", "stored"),
    [
        (Conditions(histories={"g": (0.5, 1.0)}), "histories", {"g": [0.5, 1.0]}),
        (Conditions(labelled_history=(0.25,)), "labelled_history", [0.25]),
        (Conditions(grouped=False), "grouped", False),
        (Conditions(formulas={"ppo_c": 2}), "formulas", {"ppo_c": 2}),
        (Conditions(rates={"x": RATES}), "rates", {"x": RATES.model_dump(mode="json")}),
    ],
)
def test_whatever_is_known_is_stored(known: Conditions, part: str, stored: object) -> None:
    body = conditions_body(known)
    assert json.loads(body)[part] == stored
    assert conditions_hash(body) != ""
