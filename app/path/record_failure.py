"""What becomes of verdicts and rewards that could not be recorded: they are given as missing, and why."""

from __future__ import annotations

from dataclasses import dataclass

from trueward.errors import DeadlinePassed
from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome, Verdict


@dataclass(frozen=True, slots=True)
class LossReason:
    """The reason why a verdict or reward is answered as missing although the sample was judged."""

    outcome: Outcome
    code: str
    reason: str


UNAVAILABLE = LossReason(
    Outcome.ERROR,
    "ledger_unavailable",
    "the ledger could not be written before the deadline; nothing was recorded",
)
WAITED = LossReason(
    Outcome.TIMEOUT,
    DeadlinePassed.code,
    "the deadline passed before it was recorded: others were before it, nothing is wrong with the ledger",
)


def missing_verdict(verdict: Verdict, lost: LossReason) -> Verdict:
    told = Verdict(outcome=lost.outcome, score=None, reason_code=lost.code, reason=lost.reason)
    return told.model_copy(update={"id": verdict.id, "producer": verdict.producer})


def missing_reward(reward: Reward, lost: LossReason) -> Reward:
    return reward.model_copy(
        update={
            "reward": None,
            "record": None,
            "outcome": lost.outcome,
            "components": dict.fromkeys(reward.components),
            "reason_code": lost.code,
            "reason": lost.reason,
        }
    )
