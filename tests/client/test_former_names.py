"""Programs that were written for 0.1 call functions by their former names."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import pytest

import trueward_server

trueward_server.enter()

from rewards.combine.base import Combination, Parts  # noqa: E402 - found since enter()
from rewards.rules.base import Rule  # noqa: E402
from rewards.shaping.base import OneShaping  # noqa: E402

FORMER: Mapping[str, Mapping[str, str]] = {
    "trueward.estimators.advantage": {
        "centred": "centre",
        "signed": "weigh_outcomes",
        "standardised": "standardise",
    },
    "trueward.estimators.noise": {"debiased": "debias"},
    "trueward.estimators.objectives": {"normalised_sum": "sum_normalised", "whitened": "whiten"},
    "trueward.estimators.scores": {"scored": "drop_missing"},
    "trueward.rubrics": {"said_wrong": "explain_refusal"},
    "trueward_server.authoring": {"given_samples": "choose_samples"},
    "app.audits.in_process": {"audited_here": "audit_here"},
}


@pytest.mark.parametrize(
    ("module", "former", "present"),
    [(module, former, present) for module, names in FORMER.items() for former, present in names.items()],
)
def test_a_former_name_is_the_present_function_and_warns(module: str, former: str, present: str) -> None:
    home = import_module(module)
    with pytest.warns(DeprecationWarning, match=rf"{former} is {present} now.*goes with trueward 0\.3"):
        assert getattr(home, former) is getattr(home, present)


def test_a_name_that_never_was_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        _ = import_module("trueward.estimators.noise").nothing_of_this_name


def test_a_plug_in_with_the_former_method_of_a_combination_is_asked_by_the_present_one() -> None:
    with pytest.warns(DeprecationWarning, match="named is term_names now"):

        class Mine(Combination):
            def combine(self, parts: Parts) -> float:
                return 0.0

            def named(self) -> tuple[str, ...]:
                return ("length",)

    assert Mine().term_names() == ("length",)


@pytest.mark.parametrize("kind", [Rule, OneShaping])
def test_a_plug_in_with_the_former_method_of_a_moving_average_is_asked_by_the_present_one(
    kind: type[Rule | OneShaping],
) -> None:
    with pytest.warns(DeprecationWarning, match="learned is learn now"):
        mine = type("Mine", (kind,), {"learned": lambda self, average, values, step=None: 7.0})
    assert vars(mine)["learn"] is vars(mine)["learned"]
