"""What recipes know of verifiers is what these declare."""

from __future__ import annotations

import pytest

from app.path.facts import FACTS
from rewards.facts import CONTROLS, Facts, facts_of
from verifiers import registry


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("math", Facts(binary=True, bounded=True, asks=False, reads=("response", "reference"))),
        ("overlap", Facts(binary=False, bounded=True, asks=False, reads=("response", "reference"))),
        ("length", Facts(binary=False, bounded=False, asks=False, reads=("response",))),
        ("judge", Facts(binary=False, bounded=True, asks=True, reads=("response",))),
        ("reward_model", Facts(binary=False, bounded=False, asks=True, reads=("response", "prompt"))),
    ],
)
def test_a_verifier_is_known_by_its_scale_its_lane_and_the_fields_that_it_needs(name: str, facts: Facts) -> None:
    assert FACTS[name] == facts


@pytest.mark.parametrize("name", ["agreement", "majority", "tournament"])
def test_whom_a_group_verifier_asks_depends_on_its_parameters(name: str) -> None:
    assert FACTS[name].asks is None


def test_controls_are_known_though_they_are_no_verifiers() -> None:
    assert {name: FACTS[name] for name in CONTROLS} == CONTROLS


def test_of_an_unknown_name_nothing_is_known() -> None:
    with pytest.raises(KeyError, match="maths"):
        FACTS["maths"]
    assert "maths" not in FACTS
    assert facts_of("maths", FACTS) == Facts()


def test_every_name_is_listed_once() -> None:
    assert sorted(FACTS) == sorted([*CONTROLS, *registry.names()])
    assert len(FACTS) == len(set(FACTS))
