"""``string_check``: two texts are equal, are not, or one contains the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from judges.base import Models
from judges.grader.grade import Grade, GraderObject
from judges.grader.subject import Subject, Unfit
from judges.grader.template import TemplateText, template
from trueward.authoring.verifier import Abstain
from verifiers.legible import shorten


class StringCheck(GraderObject):
    """``eq`` and ``ne`` to the letter; ``like``: the input contains the reference, ``ilike`` without regard to case."""

    type: Literal["string_check"]
    input: TemplateText
    reference: TemplateText
    operation: Literal["eq", "ne", "like", "ilike"]

    async def grade(self, subject: Subject, models: Models) -> Grade:
        given, wanted = self._texts(subject)
        passed = _HOLDS[self.operation](given, wanted)
        words = f"the input {'passes' if passed else 'fails'} {self.operation}"
        return Grade(float(passed), words, passed, {"input": shorten(given), "reference": shorten(wanted)})

    def check(self, subject: Subject) -> None:
        self._texts(subject)

    def _texts(self, subject: Subject) -> tuple[str, str]:
        given, wanted = template(self.input).fill(subject), template(self.reference).fill(subject)
        if self.operation in ("like", "ilike") and not wanted.strip():
            # every text contains the empty one: that would be a pass for anything
            reason = "the reference is empty, and every text contains it"
            raise Unfit("no_text", reason) if template(self.reference).of_sample else Abstain("no_reference", reason)
        return given, wanted


_HOLDS: dict[str, Callable[[str, str], bool]] = {
    "eq": lambda given, wanted: given == wanted,
    "ne": lambda given, wanted: given != wanted,
    "like": lambda given, wanted: wanted in given,
    "ilike": lambda given, wanted: wanted.casefold() in given.casefold(),
}
