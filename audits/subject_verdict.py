"""What an audit's subject says of a sample, and whether that is an acceptance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome, Verdict

AT_ONCE = 256
"""Samples of one request: a group that must be judged together has to fit."""
_REASONS = 3


@dataclass(frozen=True, slots=True)
class Judged:
    """What the subject said of one sample. ``accepted`` is None where that is neither yes nor no.

    ``score`` is a verifier's score or a recipe's reward, None where it is missing; ``evidence`` is a verifier's,
    ``components`` are a recipe's.
    """

    accepted: bool | None
    score: float | None
    outcome: Outcome
    reason_code: str
    reason: str
    record: str | None
    elapsed_s: float
    evidence: dict[str, JsonValue]
    components: dict[str, float | None] = field(default_factory=dict)

    def without_evidence(self) -> Judged:
        """What a hundred thousand of them are kept as."""
        return Judged(
            self.accepted,
            self.score,
            self.outcome,
            self.reason_code,
            self.reason,
            self.record,
            self.elapsed_s,
            {},
            self.components,
        )


def accepts(outcome: Outcome, score: float | None, threshold: float | None) -> bool | None:
    """Whether that is an acceptance; None where it is no verdict: a missing score, or one without a pass line.

    A response that is invalid was not accepted, whatever the threshold.
    """
    if outcome.missing or score is None:
        return None
    if outcome is Outcome.INVALID:
        return False
    if threshold is not None:
        return score >= threshold
    return {Outcome.CORRECT: True, Outcome.INCORRECT: False, Outcome.PARTIAL: False}.get(outcome)


def of_verdict(verdict: Verdict, threshold: float | None) -> Judged:
    return Judged(
        accepts(verdict.outcome, verdict.score, threshold),
        verdict.score,
        verdict.outcome,
        verdict.reason_code,
        verdict.reason,
        verdict.record,
        verdict.elapsed_s,
        verdict.evidence,
    )


def of_reward(reward: Reward, threshold: float | None) -> Judged:
    """A recipe accepts by the outcome of its answering term, or by its reward where a threshold is stated."""
    return Judged(
        accepts(reward.outcome, reward.reward, threshold),
        reward.reward,
        reward.outcome,
        reward.reason_code,
        reward.reason,
        reward.record,
        0.0,
        {},
        reward.components,
    )


def blocks(sizes: Sequence[int], at_once: int = AT_ONCE) -> Iterator[slice]:
    """Consecutive groups of these sizes that together have at most ``at_once`` samples; a larger one comes alone."""
    start, held = 0, 0
    for place, size in enumerate(sizes):
        if held and held + size > at_once:
            yield slice(start, place)
            start, held = place, 0
        held += size
    if start < len(sizes):
        yield slice(start, len(sizes))


def format_reasons(reasons: Counter[str]) -> str:
    """The most frequent reasons why there is no verdict, in words."""
    told = [f"{code} ({count})" for code, count in reasons.most_common(_REASONS)]
    rest = reasons.total() - sum(count for _, count in reasons.most_common(_REASONS))
    return ", ".join([*told, f"others ({rest})"] if rest else told)
