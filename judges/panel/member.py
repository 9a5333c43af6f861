"""What one member of a panel says of a response, whatever happens to it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from pydantic import JsonValue

from judges.base import Late, Models, ModelVerifier
from judges.failure_verdicts import judge_task
from judges.panel.combine import Vote
from judges.panel.members import Member
from trueward.authoring.verifier import Abstain, Verifier, report_crash, report_exhausting_response
from trueward.estimators.scores import sigmoid
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

_SETTLED = {Outcome.CORRECT: True, Outcome.INCORRECT: False, Outcome.INVALID: False}


@dataclass(frozen=True, slots=True)
class Said:
    """A member's verdict, and its verdicts on the baselines that it is calibrated with."""

    name: str
    member: Member
    verdict: Verdict
    baselines: Sequence[Verdict] = ()

    @property
    def lost(self) -> Verdict | None:
        """The verdict that costs this member its vote. A response that it cannot judge has one: the lowest."""
        if self.verdict.outcome is Outcome.INVALID:
            return None
        if self.verdict.outcome.missing:
            return self.verdict
        return next((one for one in map(_usable, self.baselines) if one is not None), None)

    @property
    def score(self) -> float | None:
        """As the panel counts it: within its range, calibrated where there are baselines. None where it is lost."""
        if self.lost is not None:
            return None
        if self.verdict.outcome is Outcome.INVALID:
            return 0.0
        own = self._number(self.verdict)
        return sigmoid(own - fmean(map(self._number, self.baselines))) if self.baselines else own

    def _number(self, verdict: Verdict) -> float:
        assert verdict.score is not None, "what is lost is not counted"
        return verdict.score if verdict.outcome in _SETTLED else self.member.scale_score(verdict.score)

    def vote(self, line: float) -> Vote | None:
        """``line`` is the least score that is a yes."""
        score = self.score
        if score is None:
            return None
        settled = _SETTLED.get(self.verdict.outcome)
        yes = score >= line if settled is None or (self.baselines and settled) else settled
        return Vote(score, self.member.weight, yes)

    @property
    def evidence(self) -> dict[str, JsonValue]:
        verdict = self.verdict
        found: dict[str, JsonValue] = {
            "verifier": self.member.verifier,
            "role": self.member.role,
            "weight": self.member.weight,
            "outcome": verdict.outcome.value,
            "score": verdict.score,
            "counted": self.score,
            "reason_code": verdict.reason_code,
            "reason": verdict.reason,
            "evidence": verdict.evidence,
        }
        if self.baselines:
            found["baselines"] = [one.score for one in self.baselines]
        return found


async def ask_member(name: str, member: Member, verifier: Verifier, shown: Sequence[Sample], models: Models) -> Said:
    """Of the first of ``shown``; the others are baselines."""
    own, *baselines = await asyncio.gather(*(_verdict(verifier, sample, models) for sample in shown))
    return Said(name, member, own, baselines)


async def _verdict(verifier: Verifier, sample: Sample, models: Models) -> Verdict:
    try:
        found = verifier.triage(sample)
        if isinstance(found, Verdict):
            return found
        assert isinstance(verifier, ModelVerifier), "who answers inline has answered"
        return await judge_task(verifier, found, models)
    except Abstain as refusal:
        return Verdict.abstained(refusal.reason_code, refusal.reason)
    except (MemoryError, RecursionError) as exhausted:
        return report_exhausting_response(exhausted)
    except Late as late:  # the panel has a moment left: it may stand without this one
        return Verdict.timeout("deadline", f"the deadline passed: {late}"[:300])
    except TimeoutError:
        raise
    except Exception as failure:  # noqa: BLE001 - a bug in a member costs its vote, never the panel
        return report_crash(failure)


def _usable(baseline: Verdict) -> Verdict | None:
    """None for a baseline with a score that means something; else why there is none."""
    if baseline.outcome is Outcome.INVALID:
        return Verdict.abstained("baseline_invalid", f"a baseline cannot be judged: {baseline.reason}"[:300])
    return baseline if baseline.outcome.missing else None
