"""Several values, or one that is denied, are no answer, by whatever verifier they are read."""

from __future__ import annotations

import pytest

from trueward import Sample
from verifiers import registry

JOINED = ("{} or {}", "{} or maybe {}", "{} and {}", "{}, or perhaps {}")
VALUES = {
    "quantity": ("5 m", "6 m"),
    "numeric": ("5", "6"),
    "math": ("5", "6"),
}


def score(verifier: str, response: str, reference: str, **metadata: object) -> float | None:
    sample = Sample.model_validate({"response": response, "reference": reference, "metadata": metadata})
    (verdict,) = registry.create(verifier, {}).verify([sample])
    return verdict.score


@pytest.mark.parametrize("verifier", VALUES)
@pytest.mark.parametrize("joined", JOINED)
def test_two_values_side_by_side_are_neither(verifier: str, joined: str) -> None:
    one, other = VALUES[verifier]
    for first, last in ((one, other), (other, one)):
        for reference in (one, other):
            assert score(verifier, joined.format(first, last), reference) == 0.0
            assert score(verifier, f"It is {joined.format(first, last)}.", reference) == 0.0


@pytest.mark.parametrize("joint", [", ", "; ", " - ", " to ", " / ", " vs. ", " -> ", " – "])
def test_quantities_in_a_list_or_range_are_none(joint: str) -> None:
    for first, last in (("5 m", "6 m"), ("5 m", "600 cm"), ("5", "6 m"), ("x = 5", "6 m"), ("5.5 m", "6 m")):
        for response in (f"{first}{joint}{last}", f"\\boxed{{{first}{joint}{last}}}", f"Answer: {first}{joint}{last}"):
            assert score("quantity", response, "6 m") == 0.0, response


@pytest.mark.parametrize("said", ["After 5 s, 6 m", "t = 5 s, d = 6 m", "In step 5, it is 6 m.", "In 5 s; 6 m"])
def test_another_kind_of_quantity_beside_it_is_none_of_a_list(said: str) -> None:
    assert score("quantity", said, "6 m") == 1.0


@pytest.mark.parametrize("denial", ["not {}", "It is not {}.", "It isn't {}."])
def test_a_denied_quantity_is_none(denial: str) -> None:
    assert score("quantity", denial.format("5 m"), "5 m") == 0.0
    assert score("quantity", denial.format("4 m") + " It is 5 m.", "5 m") == 1.0


@pytest.mark.parametrize(
    "written", ["3 h 30 min", "3 h and 30 min", "210 minutes", "\\boxed{3\\text{ h }30\\text{ min}}"]
)
def test_a_quantity_of_several_units_is_one(written: str) -> None:
    assert score("quantity", written, "3.5 h") == 1.0
    assert score("quantity", written, "30 min") == 0.0


@pytest.mark.parametrize(
    "refusal", ["I would rule out {}", "All but {}", "the opposite of {}", "¬{}", "{}: wrong", "{} can be eliminated"]
)
def test_an_option_that_is_ruled_out_is_not_chosen(refusal: str) -> None:
    assert score("choice", refusal.format("B"), "B") == 0.0
    assert score("choice", f"{refusal.format('B')}, so C", "C") == 1.0


def test_an_options_text_may_be_explained_but_not_hedged() -> None:
    cities = ["Lyon", "Paris", "Nice"]
    assert score("choice", "Answer: Paris, the capital", "B", choices=cities) == 1.0
    assert score("choice", "Answer: Paris because it is the capital", "B", choices=cities) == 1.0
    assert score("choice", "Answer: Paris, or Nice", "B", choices=cities) == 0.0
    assert score("choice", "Answer: Paris (C)", "B", choices=cities) == 0.0
