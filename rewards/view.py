"""What a shaping may look at beside the number that it shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from rewards.conditions import NOTHING_KNOWN, Conditions
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict


class Unshapeable(Exception):
    """The caller did not send what a shaping needs: the reward is missing, ``abstained`` with this code."""

    def __init__(self, reason_code: str, reason: str) -> None:
        super().__init__(reason)
        self.reason_code = reason_code
        self.reason = reason


class View(NamedTuple):
    """One sample with the verdict that is shaped (for the total: that of the answer), and what every term said.

    ``outcome`` is the score of the answer's verdict, whichever term is shaped: 0 where a gate keeps it from counting,
    None where it is missing.
    """

    sample: Sample
    verdict: Verdict
    correct: bool
    said: Mapping[str, Verdict] = {}
    conditions: Conditions = NOTHING_KNOWN
    group: str = ""
    outcome: float | None = None

    def score(self, term: str) -> float | None:
        """A term's score; None where it has none."""
        verdict = self.said.get(term)
        return verdict.score if verdict is not None else None

    @property
    def tokens(self) -> int:
        """Tokens of the response, as the trainer counted them. Raises :class:`Unshapeable`."""
        count = self.sample.count_tokens()
        if count is None:
            raise Unshapeable("no_tokens", "the recipe prices length in tokens: send tokens, token_ids or logprobs")
        return count

    @property
    def baseline_scores(self) -> Sequence[float]:
        """Scores of other responses to the prompt. Raises :class:`Unshapeable` where there are none."""
        if not self.sample.baseline_scores:
            raise Unshapeable("no_baselines", "the recipe compares with other responses: send baseline_scores")
        return [float(score) for score in self.sample.baseline_scores]

    def numbers(self, name: str) -> list[float]:
        """A list of numbers in the verdict's evidence. Raises :class:`Unshapeable` where there is none."""
        found = self.verdict.evidence.get(name)
        if not isinstance(found, list) or not found or not all(is_number(entry) for entry in found):
            raise Unshapeable("no_evidence", f"the recipe needs the list of numbers {name!r} in the verdict's evidence")
        return [float(entry) for entry in found if isinstance(entry, int | float)]

    def spans(self, name: str, count: int) -> list[tuple[int, int]] | None:
        """A list of ``count`` places ``[start, end]`` in the verdict's evidence; None where there is none."""
        found = self.verdict.evidence.get(name)
        if not isinstance(found, list) or len(found) != count:
            return None
        places = [_place(entry) for entry in found]
        return [place for place in places if place is not None] if None not in places else None


def _place(value: JsonValue) -> tuple[int, int] | None:
    match value:
        case [int(start), int(end)] if 0 <= start <= end:
            return start, end
    return None


def is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_correct(verdict: Verdict) -> bool:
    """An answer that is right, or a graded one with full marks."""
    return verdict.outcome is Outcome.CORRECT or (verdict.outcome is Outcome.PARTIAL and verdict.score == 1.0)
