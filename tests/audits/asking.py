"""A subject of which nothing is known: fakes say what they do otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from audits.ports import Judging
from audits.subject_verdict import Judged
from rewards.recipe import Recipe
from trueward.authoring.verifier import Verifier
from trueward.wire.audit import Subject
from trueward.wire.sample import Sample


class Silent(Judging):
    def recipe(self, subject: Subject) -> Recipe | None:
        return None

    def verifiers(self, subject: Subject) -> list[Verifier]:
        return []

    def judge(self, subject: Subject, samples: Sequence[Sample]) -> AsyncIterator[list[Judged]]:
        raise AssertionError("nobody is asked")
