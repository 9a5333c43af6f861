"""A subject of which nothing is known: fakes say what they do otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from audits.judged import Judged
from audits.work import Judging
from rewards.recipe import Recipe
from trueward.audits import Subject
from trueward.types import Sample
from trueward.verifier import Verifier


class Silent(Judging):
    def recipe(self, subject: Subject) -> Recipe | None:
        return None

    def verifiers(self, subject: Subject) -> list[Verifier]:
        return []

    def judge(self, subject: Subject, samples: Sequence[Sample]) -> AsyncIterator[list[Judged]]:
        raise AssertionError("nobody is asked")
