"""What tests of rewards say in few words: a view, verdicts, a recipe, a priced group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from rewards.conditions import NOTHING_KNOWN, Conditions
from rewards.price import Member, price
from rewards.recipe import Recipe, parse_recipe
from rewards.settle import Settled, settle
from rewards.view import View, is_correct
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict

YES = Verdict.correct("equal")
NO = Verdict.incorrect("unequal")
OURS = Verdict.timeout("deadline")
INVALID = Verdict.invalid("no_answer")


def scored(score: float, **evidence: JsonValue) -> Verdict:
    return Verdict.scored(score, "measured", evidence=dict(evidence))


def view(verdict: Verdict = YES, sample: Sample | None = None, conditions: Conditions = NOTHING_KNOWN) -> View:
    return View(sample or Sample(response="x"), verdict, is_correct(verdict), conditions=conditions)


def recipe(**body: object) -> Recipe:
    return parse_recipe({"terms": ["math"], **body})


def priced(
    made: Recipe, sample: Sample | None = None, conditions: Conditions = NOTHING_KNOWN, **verdicts: Verdict
) -> Reward:
    return price(made, sample or Sample(response="x"), verdicts, conditions)


def pay(made: Recipe, verdicts: Mapping[str, Verdict]) -> Reward:
    """As :func:`priced`, for keys that are no identifiers."""
    return price(made, Sample(response="x"), verdicts)


def members(made: Recipe, verdicts: Sequence[Mapping[str, Verdict]], **fields: Sequence[object]) -> list[Member]:
    """One member a mapping of verdicts; ``fields`` are lists of one entry a member's sample."""
    found = []
    for index, said in enumerate(verdicts):
        given = {name: values[index] for name, values in fields.items()}
        sample = Sample.model_validate({"id": str(index), "prompt": "p", "response": f"r{index}", **given})
        found.append(Member(sample, said, price(made, sample, said)))
    return found


def settled(made: Recipe, group: Sequence[Member], conditions: Conditions = NOTHING_KNOWN) -> Settled:
    return settle(made, "g", group, conditions)


def values(result: Settled) -> list[float | None]:
    return [reward.reward for reward in result.rewards]
