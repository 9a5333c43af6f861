"""Probes accompany a share of the judged samples; they are drawn by record, and counted apart."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from app.admission.admit import Admitted, admit
from app.path.facts import FACTS
from app.path.plan import RecipePlan
from app.probes.service import OTHER, Probes
from app.settings import Settings
from app.telemetry.metrics import Metrics
from rewards.recipe import parse_recipe
from trueward.authoring.verifier import Verifier
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers import registry

RECORDS = [f"01K{number:023}" for number in range(400)]


def probes(share: float) -> Probes:
    return Probes(Settings(probe_share=share), Metrics())


def plan(*terms: object) -> RecipePlan:
    recipe = parse_recipe({"terms": list(terms)}, FACTS)
    return RecipePlan(recipe, {one: registry.create(one.verifier, one.params) for one in recipe.judgements}, {})


def admitted(count: int = 1) -> list[Admitted]:
    samples = [
        Sample(prompt=f"What is {n} + 1000?", response=f"It is {n + 1000}.", reference=str(n + 1000))
        for n in range(count)
    ]
    return admit(samples, Settings())


class Lanes:
    """Judges by a function; keeps what it was asked. What a verifier turns away it says at once, as lanes do."""

    def __init__(self, say: Callable[[Sample], Verdict]) -> None:
        self.asked: list[Sample] = []
        self._say = say

    def judge(self, verifier: Verifier, admitted: Admitted, deadline: float) -> Verdict | asyncio.Task[Verdict]:
        found = verifier.triage(admitted.sample)
        if isinstance(found, Verdict):
            return found
        self.asked.append(admitted.sample)
        return asyncio.ensure_future(self._said(admitted.sample))

    async def _said(self, sample: Sample) -> Verdict:
        return self._say(sample)


def accepts(sample: Sample) -> Verdict:
    return Verdict.correct("accepted", "fooled")


async def accompanied(made: Probes, lanes: Lanes, count: int = 40) -> None:
    items = admitted(count)
    chosen = made.draw(plan("judge"), items, RECORDS[:count])
    await made.accompany(chosen, items, lanes, "r1", 1e9)


@pytest.mark.parametrize(("share", "least", "most"), [(0.0, 0, 0), (0.1, 15, 75), (1.0, 400, 400)])
def test_the_share_of_the_samples_is_drawn_and_the_same_again(share: float, least: int, most: int) -> None:
    items = admitted(400)
    drawn = [one.record for one in probes(share).draw(plan("judge"), items, RECORDS)]
    assert least <= len(drawn) <= most
    assert drawn == [one.record for one in probes(share).draw(plan("judge"), items, RECORDS)]


def test_rules_and_shadows_are_not_accompanied() -> None:
    terms = ["exact", {"verifier": "judge", "shadow": 1.0}]
    assert probes(1.0).draw(plan(*terms), admitted(), RECORDS[:1]) == []


async def test_a_probe_has_prompt_and_reference_of_its_sample_and_no_right_answer() -> None:
    lanes = Lanes(accepts)
    await accompanied(probes(1.0), lanes)
    items = {item.sample.prompt: item.sample for item in admitted(40)}
    assert len(lanes.asked) == 40
    for asked in lanes.asked:
        own = items[asked.prompt]
        assert asked.reference == own.reference
        assert str(own.reference) not in asked.response_text
    assert len({asked.response_text for asked in lanes.asked}) > 15


async def test_the_same_record_has_the_same_probe() -> None:
    first, again = Lanes(accepts), Lanes(accepts)
    await accompanied(probes(1.0), first)
    await accompanied(probes(1.0), again)
    assert [one.response for one in first.asked] == [one.response for one in again.asked]


async def test_what_became_of_probes_is_counted_with_an_interval() -> None:
    made = probes(1.0)
    rejected = [Verdict.incorrect("rejected", "no")] * 18
    ends = iter([Verdict.correct("accepted", "fooled"), *rejected, Verdict.error("model_busy", "")])
    await accompanied(made, Lanes(lambda sample: next(ends)), 20)
    [judge] = made.report().judges
    assert judge.verifier == "judge"
    assert judge.rate == pytest.approx(1 / 19)
    assert judge.interval == pytest.approx((0.009352, 0.246387), abs=1e-6)
    assert sum(family.tried for family in judge.families) == 20
    assert sum(family.missing for family in judge.families) == 1
    assert [one.record for one in made.report().accepted] == RECORDS[:1]


async def test_scores_without_a_line_are_no_verdicts() -> None:
    made = probes(1.0)
    await accompanied(made, Lanes(lambda sample: Verdict.scored(0.9, "judged", "")), 3)
    [judge] = made.report().judges
    assert (judge.rate, judge.interval) == (None, None)
    assert sum(family.unscored for family in judge.families) == 3


async def test_another_prompt_s_response_is_among_the_probes() -> None:
    made = probes(1.0)
    await accompanied(made, Lanes(accepts), 400)
    [judge] = made.report().judges
    assert OTHER in {family.family for family in judge.families}
