"""What a verdict tells of its criteria: evidence, and feedback at a declared level.

Below ``full`` no text of a hidden criterion and no reference leaves the service, and no word of a judge who had either
before it: it may quote them, whole, in pieces or in disguise, and so nothing that it wrote is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import JsonValue

from judges.rubric.aggregate import lacks
from judges.rubric.marks import Mark
from trueward.rubrics import Criterion, Rubric
from verifiers.legible import shorten

Level = Literal["none", "status", "redacted", "full"]


class Telling:
    """``together``: one reply judged all criteria, so whoever wrote it had read the hidden ones."""

    def __init__(self, rubric: Rubric, level: Level, *, reference: bool, together: bool) -> None:
        self._rubric = rubric
        self._level = level
        self._open = not reference and not (together and any(one.hidden for one in rubric.criteria))

    def words(self, reason: str, *, hidden: bool = False) -> str:
        """A judge's words, or nothing."""
        return shorten(reason) if self._level == "full" or (self._open and not hidden) else ""

    def evidence(self, marks: Mapping[str, Mark]) -> dict[str, JsonValue]:
        """By id; a criterion without a mark is not there."""
        return {one.id: self._entry(one, marks[one.id]) for one in self._rubric.criteria if one.id in marks}

    def feedback(self, marks: Mapping[str, Mark]) -> str | None:
        """The criteria that could have earned more."""
        if self._level == "none":
            return None
        lacking = [one for one in self._rubric.criteria if one.id in marks and lacks(one, marks[one.id].score)]
        if not marks:
            return "No criterion applies."
        if not lacking:
            return "Every criterion is met."
        tells = [one for one in lacking if self._level == "full" or not one.hidden]
        lines = [self._line(one, marks[one.id]) for one in tells]
        if len(tells) < len(lacking):
            lines.append(f"- hidden criteria: {len(lacking) - len(tells)}")
        return "\n".join([f"Not met as wished, {len(lacking)} of {len(marks)}:", *lines])

    def remark(self, reason: str) -> str | None:
        """The feedback where the rubric was judged as a whole."""
        if self._level in ("none", "status"):
            return None
        return self.words(reason) or None

    def _entry(self, criterion: Criterion, mark: Mark) -> JsonValue:
        reason = self.words(mark.reason, hidden=criterion.hidden)
        entry: dict[str, JsonValue] = {"score": mark.score, "weight": criterion.weighs}
        if len(mark.votes) > 1:
            votes = [(score, self.words(words, hidden=criterion.hidden)) for score, words in mark.votes]
            entry["votes"] = [{"score": score, "reason": told} if told else {"score": score} for score, told in votes]
        return {**entry, "reason": reason} if reason else entry

    def _line(self, criterion: Criterion, mark: Mark) -> str:
        if self._level == "status":
            return f"- {criterion.id}"
        wish = "should not be met: " if criterion.weighs < 0 else ""
        reason = self.words(mark.reason, hidden=criterion.hidden)
        return f"- {criterion.id}: {wish}{shorten(criterion.text)}" + (f" ({reason})" if reason else "")
