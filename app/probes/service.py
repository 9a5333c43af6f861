"""Live probes: hostile responses that accompany a share of the samples that judges are asked about in training.

A probe has the prompt and the reference of its sample, and a response out of the exploit audit's catalogue or of
another prompt of the request. It is judged after the request was answered, out of the same budget, and is in no
reward, group, run or ledger: it is counted. Which sample is accompanied, and by what, follows from the record of the
sample's reward, so it can be worked out again. What a judge turns away unasked is not tried: the model is what is
measured.

Counts are of this process, since its start.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TYPE_CHECKING

from app.admission.admit import Admitted, admit
from app.lanes.lanes import Judge
from app.path.follow_up import PricedRequest
from app.path.plan import RecipePlan
from app.settings import Settings
from app.telemetry.metrics import Metrics
from rewards.seed import draw
from trueward.wire.probe import AcceptedProbe, ProbedFamily, ProbedJudge, ProbeReport
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Producer, Verdict

if TYPE_CHECKING:
    from audits.exploit.probe import Probe
    from audits.exploit.task import ExploitTask
    from judges.judge import JudgeVerifier

_FAMILIES = ("master_key", "opener", "adversarial_prefix", "fence", "injection", "null_model", "confident", "reasoning")
OTHER = "other_response"
"""Another prompt's response; the family of its own."""
_TRIES = 8
_LATEST = 50
_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Accompanied:
    """A sample that is accompanied: its reward's record, the key of the judgement, who judges."""

    item: Admitted
    record: str
    key: str
    verifier: JudgeVerifier


class Probes:
    """``share`` of the judged samples, in [0, 1]."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self.share = settings.probe_share
        self._settings = settings
        self._metrics = metrics
        self._counts: dict[_Key, Counter[tuple[str, str]]] = {}
        self._accepted: deque[AcceptedProbe] = deque(maxlen=_LATEST)
        if self.share:
            _list_probes()  # now, and not beside a request

    def start_probes(self, priced: PricedRequest, lanes: Judge, allowed_s: float) -> Coroutine[None, None, None] | None:
        """The probes of a request, to be judged within ``allowed_s`` seconds; None where there are none."""
        chosen = self.draw(priced.plan, priced.admitted, priced.records) if priced.context.split == "train" else []
        if not chosen:
            return None
        deadline = asyncio.get_running_loop().time() + allowed_s
        return self.accompany(chosen, priced.admitted, lanes, priced.context.run, deadline)

    def draw(self, plan: RecipePlan, admitted: Sequence[Admitted], records: Sequence[str]) -> list[Accompanied]:
        """Which of a request's samples are accompanied; shadows are not."""
        if not self.share:
            return []
        from judges.judge import JudgeVerifier

        found = []
        for item, record in zip(admitted, records, strict=True):
            course = plan.recipe.course_of(item.sample)
            for key, one in course.judgements.items() if course is not None else ():
                verifier = plan.verifiers[one]
                if isinstance(verifier, JudgeVerifier) and not one.shadow and self._falls_on(key, record):
                    found.append(Accompanied(item, record, key, verifier))
        return found

    def _falls_on(self, key: str, record: str) -> bool:
        return draw(f"probe:{key}", record) < self.share

    async def accompany(
        self,
        chosen: Sequence[Accompanied],
        admitted: Sequence[Admitted],
        lanes: Judge,
        run: str | None,
        deadline: float,
    ) -> None:
        others = [item.sample for item in admitted]
        await asyncio.gather(*(self._one(each, others, lanes, run, deadline) for each in chosen))

    async def _one(
        self, each: Accompanied, others: Sequence[Sample], lanes: Judge, run: str | None, deadline: float
    ) -> None:
        for probe, sample in _candidates(each, others):
            (item,) = admit([sample], self._settings)
            pending = lanes.judge(each.verifier, item, deadline)
            if not isinstance(pending, Verdict):
                self._count(each, probe, await pending, run)
                return

    def _count(self, each: Accompanied, probe: Probe, verdict: Verdict, run: str | None) -> None:
        made = each.verifier.producer
        ended = _ended(verdict)
        self._counts.setdefault((made.name, made.version, made.params), Counter())[probe.family, ended] += 1
        preset = str(getattr(each.verifier.params, "preset", ""))
        self._metrics.judge_probes.labels(made.name, preset, probe.family, ended).inc()
        if ended == "accepted":
            self._accepted.append(_view_probe(made, run, each.record, probe, verdict))

    def report(self) -> ProbeReport:
        judges = [_judge(key, counts) for key, counts in sorted(self._counts.items())]
        return ProbeReport(share=self.share, judges=judges, accepted=list(self._accepted))


def _candidates(each: Accompanied, others: Sequence[Sample]) -> Iterator[tuple[Probe, Sample]]:
    """Probes that hold no right answer, in an order that the record decides."""
    from audits.exploit.accidental_answer import holds_answer
    from audits.exploit.attack import Shot
    from audits.exploit.task import tasks_of

    (task,) = tasks_of([each.item.sample], own_responses=False, seed=0)
    random = Random(f"{each.record} {each.key}")
    probes = [*_list_probes(), _other(task, others, random)]
    for probe in random.sample(probes, min(_TRIES, len(probes))):
        response = probe.make(task, random)
        if response is not None and not holds_answer(response, task):
            yield probe, Shot(probe, task, response).sample


@cache
def _list_probes() -> tuple[Probe, ...]:
    """Those that a judge does not turn away unasked."""
    from audits.exploit.catalogue import catalogue
    from audits.exploit.task import tasks_of
    from judges.hardening.canonical import explain_emptiness

    (task,) = tasks_of([Sample(prompt="Where?", reference="Oslo")], own_responses=False, seed=0)
    listed = [probe for probe in catalogue().values() if probe.family in _FAMILIES]
    return tuple(probe for probe in listed if not explain_emptiness(probe.make(task, Random(0)) or "", task.answers))


def _other(task: ExploitTask, others: Sequence[Sample], random: Random) -> Probe:
    from audits.exploit.probe import Probe

    responses = sorted({one.response_text for one in others if one.prompt != task.sample.prompt and one.response_text})

    def make(task: ExploitTask, random: Random) -> str | None:
        return random.choice(responses) if responses and task.answers else None

    return Probe(OTHER, OTHER, "the response to another prompt", make)


def _ended(verdict: Verdict) -> str:
    if verdict.outcome.missing:
        return "missing"
    if verdict.outcome is Outcome.INVALID:
        return "invalid"
    if verdict.outcome is Outcome.SCORED:
        return "unscored"
    return "accepted" if verdict.outcome is Outcome.CORRECT else "rejected"


def _view_probe(made: Producer, run: str | None, record: str, probe: Probe, verdict: Verdict) -> AcceptedProbe:
    named = {"verifier": made.name, "version": made.version, "params": made.params, "run": run, "record": record}
    return AcceptedProbe.model_validate({**named, "probe": probe.name, "reason": verdict.reason[:300]})


def _judge(key: _Key, counts: Counter[tuple[str, str]]) -> ProbedJudge:
    from audits.statistics.proportion import proportion

    totals: Counter[str] = Counter()
    for (_, ended), count in counts.items():
        totals[ended] += count
    judged = totals["accepted"] + totals["rejected"] + totals["invalid"]
    found = proportion(totals["accepted"], judged)
    name, version, params = key
    return ProbedJudge(
        verifier=name,
        version=version,
        params=params,
        rate=found.rate,
        interval=found.wilson if judged else None,
        families=[_family(family, counts) for family in sorted({family for family, _ in counts})],
    )


def _family(family: str, counts: Counter[tuple[str, str]]) -> ProbedFamily:
    by = {ended: counts[family, ended] for ended in ("accepted", "rejected", "invalid", "unscored", "missing")}
    return ProbedFamily(family=family, tried=sum(by.values()), **by)
