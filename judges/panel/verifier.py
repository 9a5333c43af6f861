"""``panel``: several verifiers judge one response at once; their scores or votes become one (arXiv 2409.20370).

``judge`` members are combined; where a ``constraint`` is not met the score is 0; ``bonus`` members modulate what the
judges give, and cannot rescue a zero. A member that fails through no doing of the response has no vote: the panel
stands without it only as far as :mod:`judges.panel.combine` says. A member that cannot judge this response because of
the response counts as 0, so that breaking a judge pays nothing. Disagreement stands in the evidence.

Not covered: panels of panels, verifiers of other lanes (those are terms and gates of a recipe).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from statistics import pstdev
from typing import ClassVar

from pydantic import JsonValue

from judges.base import Models, ModelVerifier
from judges.judge import sample_of
from judges.panel.combine import Vote, agreement, combine_votes, mean, yes_share
from judges.panel.member import Said, ask_member
from judges.panel.members import VOTED, Member, PanelParams, Role
from trueward.authoring.verifier import Abstain, Example, Params, Task, params_hash
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Producer, Verdict
from trueward.wire.verifier import Scale


class PanelVerifier(ModelVerifier[PanelParams]):
    name: ClassVar[str] = "panel"
    summary: ClassVar[str] = "Several judges on one response, with constraints and their disagreement"
    scale: ClassVar[Scale] = "graded"
    deterministic: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("response",)
    Params: ClassVar[type[Params]] = PanelParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(prompt="2 + 2?", response=" "), outcome="invalid"),
        Example(
            sample=Sample(prompt="2 + 2?", response="4"),
            params={"members": [{"verifier": "reward_model"}, {"verifier": "exact"}], "calibrate": True},
            outcome="abstained",
        ),
    )

    def __init__(self, params: PanelParams | None = None) -> None:
        super().__init__(params)
        self._names = self.params.names
        self._sitting = [member.sitting() for member in self.params.members]
        made_of = params_hash(Seated(members=tuple(one.producer for one in self._sitting)))
        version = f"{self.version}-{made_of.removeprefix('sha256:')[:12]}"
        self.producer = Producer(name=self.name, version=version, params=params_hash(self.params))

    @property
    def models(self) -> tuple[str, ...]:
        asking = [one for one in self._sitting if isinstance(one, ModelVerifier)]
        return tuple(dict.fromkeys(model for one in asking for model in one.models))

    @property
    def most_written(self) -> int:
        return max((one.most_written for one in self._sitting if isinstance(one, ModelVerifier)), default=1)

    def place(self, model: str) -> str:
        for number, one in enumerate(self._sitting):
            if isinstance(one, ModelVerifier) and model in one.models:
                return f"members.{number}.params.{one.place(model)}"
        return "members"

    def triage(self, sample: Sample) -> Verdict | Task:
        found = super().triage(sample)
        if not isinstance(found, Verdict) and self.params.calibrate and not sample.baselines:
            raise Abstain("no_baselines", "a calibrated panel compares with other responses: send baselines")
        return found

    async def execute(self, task: Task, models: Models) -> Verdict:
        sample = sample_of(task)
        seats = zip(self._names, self.params.members, self._sitting, strict=True)
        asked = [ask_member(name, member, one, self._shown(sample, member), models) for name, member, one in seats]
        found = await asyncio.gather(*asked)
        verdict = self._verdict(found)
        verdict.evidence = {**self._evidence(found), **verdict.evidence}
        verdict.feedback = "\n\n".join(one.verdict.feedback for one in found if one.verdict.feedback) or None
        return verdict

    def _shown(self, sample: Sample, member: Member) -> list[Sample]:
        """The sample, and for a judge that is calibrated the same with each baseline for its response."""
        if not self.params.calibrate or member.role != "judge":
            return [sample]
        others = [sample.model_copy(update={"response": text, "reasoning": None}) for text in sample.baselines or []]
        return [sample, *others]

    def _verdict(self, found: Sequence[Said]) -> Verdict:
        judges = _of_role(found, "judge")
        if all(one.verdict.outcome is Outcome.INVALID for one in judges):
            return Verdict.invalid(judges[0].verdict.reason_code, judges[0].verdict.reason)
        constraints = _of_role(found, "constraint")
        for one in constraints:
            vote = one.vote(one.member.threshold)
            if vote is not None and not vote.yes:
                return Verdict.incorrect("constraint_violated", f"{one.name} is not satisfied: {one.verdict.reason}")
        wild = next((one for one in found if self._out_of_range(one)), None)
        if wild is not None:
            reason = (
                f"{wild.name} gives {wild.score}, which is not in [0, 1]: state its range, calibrate, or combine votes"
            )
            return Verdict.abstained("out_of_range", reason)
        base = combine_votes(self._votes(judges), _missing(judges), self.params.combine, self.params.quorum)
        if any(one.lost for one in constraints) or base is None:
            return _lost(constraints, judges)
        return self._priced(base, _of_role(found, "bonus"), self._votes(judges))

    def _priced(self, base: float, bonuses: Sequence[Said], judges: Sequence[Vote]) -> Verdict:
        """``judges`` are those that answered; a bonus multiplies, so that there is none for nothing."""
        if not bonuses:
            return self._concluded(base, judges, voted=self.params.combine in VOTED)
        if base == 0:
            return self._concluded(base, judges, voted=False)
        bonus = mean(self._votes(bonuses), _missing(bonuses), self.params.quorum)
        if bonus is None:
            return _lost(bonuses)
        floor = self.params.bonus_floor
        verdict = self._concluded(base * (floor + (1 - floor) * bonus), judges, voted=False)
        verdict.evidence = {**verdict.evidence, "base": base, "bonus": bonus}
        return verdict

    def _concluded(self, score: float, judges: Sequence[Vote], *, voted: bool) -> Verdict:
        line = 0.5 if voted else self.params.threshold
        if line is None:
            return Verdict.scored(score, "judged", f"the panel gives {score:.4g}")
        share = yes_share(judges)
        if score < line:
            return Verdict.incorrect("rejected", _counted(share), confidence=1 - share, evidence={"score": score})
        return Verdict.correct("accepted", _counted(share), confidence=share, evidence={"score": score})

    def _votes(self, members: Sequence[Said]) -> list[Vote]:
        lines = [self._line(one.member) for one in members]
        votes = [one.vote(line) for one, line in zip(members, lines, strict=True)]
        return [vote for vote in votes if vote is not None]

    def _line(self, member: Member) -> float:
        """A panel with a pass line of its own measures each judge's score by it."""
        if self.params.threshold is None or self.params.combine in VOTED:
            return member.threshold
        return self.params.threshold

    def _out_of_range(self, one: Said) -> bool:
        score = one.score
        return score is not None and self.params.needs_range(one.member) and not 0 <= score <= 1

    def _evidence(self, found: Sequence[Said]) -> dict[str, JsonValue]:
        votes = self._votes(_of_role(found, "judge"))
        evidence: dict[str, JsonValue] = {
            "members": {one.name: one.evidence for one in found},
            "missing": [one.name for one in found if one.lost],
            "usage": _usage(found),
        }
        if votes:
            evidence |= {"spread": pstdev(vote.score for vote in votes), "agreement": agreement(votes)}
        return evidence


class Seated(Params):
    """Who sits on a panel, with versions: a new one of a member is a new one of the panel."""

    members: tuple[Producer, ...]


def _of_role(found: Sequence[Said], role: Role) -> list[Said]:
    return [one for one in found if one.member.role == role]


def _missing(members: Sequence[Said]) -> float:
    return sum(one.member.weight for one in members if one.lost)


def _lost(*members: Sequence[Said]) -> Verdict:
    """Null, by the first that is missing."""
    name, cause = next((one.name, one.lost) for some in members for one in some if one.lost)
    reason = f"too few of the panel could judge; {name}: {cause.reason}"[:300]
    return Verdict(outcome=cause.outcome, reason_code=cause.reason_code, reason=reason)


def _counted(share: float) -> str:
    return f"{share:.0%} of the judges say yes"


def _usage(found: Sequence[Said]) -> dict[str, JsonValue]:
    """The sum of what the members say that they used."""
    total: dict[str, float] = {}
    for verdict in (verdict for one in found for verdict in (one.verdict, *one.baselines)):
        usage = verdict.evidence.get("usage")
        for name, value in usage.items() if isinstance(usage, dict) else ():
            if isinstance(value, (int, float)):
                total[name] = total.get(name, 0) + value
    return dict(total)
