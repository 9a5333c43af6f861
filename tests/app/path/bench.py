"""A judge that says what a test tells it to, and notes what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import cast

from app.admission.admit import Admitted, admit
from app.admission.demand import NONE, Demand
from app.kit.cache import Cache
from app.lanes.lanes import Lanes, Pending
from app.path.plan import NoRates, Planner, RecipePlan
from app.settings import Settings
from rewards.library import Library
from trueward.authoring.verifier import Verifier
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict

YES, NO, OURS = Verdict.correct("yes"), Verdict.incorrect("no"), Verdict.timeout("deadline")
UNREAD = Verdict.invalid("no_answer")


class Bench:
    """``says`` is the verdict of each verifier by name; those in ``slow`` come as tasks, when ``go`` is set.

    ``weights`` is what its verdicts depend on beside the samples.
    """

    def __init__(self, says: Mapping[str, Verdict], slow: frozenset[str] = frozenset()) -> None:
        self._says = says
        self._slow = slow
        self.go = asyncio.Event()
        self.asked: list[str] = []
        self.weights = ""
        self.group_verdicts: Cache[str, list[Verdict]] = Cache(10)

    @property
    def lanes(self) -> Lanes:
        """It stands for the lanes wherever they only judge, and keep what groups were told."""
        return cast(Lanes, self)

    def identity(self, verifier: Verifier, demand: Demand) -> str:
        return self.weights

    def judge(self, verifier: Verifier, admitted: Admitted, deadline: float, demand: Demand = NONE) -> Pending:
        self.asked.append(verifier.producer.name)
        if verifier.producer.name in self._slow:
            return asyncio.ensure_future(self._later(verifier.producer.name))
        return self._says[verifier.producer.name].model_copy()

    async def _later(self, name: str) -> Verdict:
        await self.go.wait()
        return self._says[name].model_copy()


def planned(**recipe: object) -> RecipePlan:
    return Planner(Library(), NoRates()).plan({"terms": ["math"], **recipe})  # type: ignore[dict-item]  # a test's recipe is JSON


def admitted(*responses: str) -> list[Admitted]:
    samples = [Sample(prompt="p", response=response, reference="4") for response in responses]
    return admit(samples, Settings())
