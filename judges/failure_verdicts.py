"""The failures of models made verdicts: whose doing each is, decided here and nowhere else.

===================  ============================================================  ====================================
whose doing          how it is told                                                verdict
===================  ============================================================  ====================================
the response's       the judge fails at it and, by what it does with harmless      ``invalid``, 0: ``unjudgeable``,
                     responses in its place, hardly by chance                      ``too_long``
the caller's         the same is too long, or lacks something, whatever the        ``abstained``: ``prompt_too_long``
                     response
the configuration's  a key that is refused, a model that is not there, a sandbox   ``error``, with its code
                     that is gone, a spent budget: no response makes these
the server's         it fails at harmless responses, too, or to the deadline       ``error``: ``model_unavailable``,
                                                                                   ``model_busy``, ``judge_malformed``
===================  ============================================================  ====================================

A failure that a response causes is not free: a score that is missing would be worth more than a wrong answer's. Nobody
pays for a failure of ours. What is answered at once costs nothing more. :class:`_Trial` draws how it is found out.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Generic, TypeGuard

from pydantic import JsonValue

from judges.base import (
    Malformed,
    ModelFailure,
    Models,
    ModelUnavailable,
    ModelVerifier,
    NotFinite,
    P,
    SandboxUnavailable,
    TooLong,
    Unaskable,
)
from judges.model_usage import Watched
from judges.probing import Purpose, Turn, asking
from trueward.authoring.verifier import Abstain, Task
from trueward.wire.verdict import Outcome, Verdict

HARMLESS = (
    "Let us see.\n\nThe answer is \\boxed{0}.",
    "I think that it is 1.",
    "First, look at what is given. Then the answer follows: it is none of these.",
    "The answer: 12",
    "It depends on what is meant; most would say yes.",
    "We do not need much here. In short, the result is 3.",
)
_BY_CHANCE = 0.007
"""So likely may a harmless response be to end the same way, at most, for the response to be blamed."""
_FAILURES = 3
"""Times that a response is asked about before it is blamed."""
_TWINS = 5
_MOST_ASKED = 14
"""Replies about harmless responses, where the first few leave it open whose doing it is."""
Provoked = Malformed | Unaskable | ModelUnavailable | NotFinite
Failure = Malformed | ModelFailure | TooLong | Abstain | TimeoutError


async def judge_task(verifier: ModelVerifier[P], task: Task, models: Models) -> Verdict:
    """``execute`` with the failures of models, and what the caller did not send, made verdicts.

    The evidence says which models were asked (``asked``), what all questions took where that is more than the verifier
    knows (``usage``), and how replies begin that could not be read (``unread``).
    """
    watched = Watched(models)
    return _told(verifier, task, watched, await _settled(verifier, task, watched))


async def _settled(verifier: ModelVerifier[P], task: Task, models: Watched) -> Verdict:
    short = _with_response(verifier, task, HARMLESS[0])
    trial = _Trial(verifier, task, models)
    said = await trial.ask(task, Purpose.PLAIN if short is None else Purpose.FIRST)
    if isinstance(said, TimeoutError):
        raise said
    if isinstance(said, TooLong):
        return await trial.length(said, short)
    if _is_provoked(said) and short is not None:
        return await trial.verdict(said)
    return said if isinstance(said, Verdict) else _ours(said)


@dataclass(slots=True)
class _Trial(Generic[P]):
    """Of one response whose judge failed ``own`` times at it, and ``failed`` times of ``asked`` at harmless ones.

    ::

        FIRST --failed--> CONTROL --answered--> turn: AGAIN --failed--> CONTROL --> turn ... until ``own`` is enough
                          (waits for a server                                        |
                           that is away)          answered: the verdict              v
                                                               turn: TWINs, given up as the response was
                                                                                     |
                                   ``is_to_blame``: invalid, unjudgeable <-----------+--> ours: PLAIN, to the deadline

    One question after the other, so a server that is away for a moment is asked no more than it takes. Whatever ends it
    early is ours: a control that is not answered, a deadline.
    """

    verifier: ModelVerifier[P]
    task: Task
    models: Models
    own: int = 0
    asked: int = 0
    failed: int = 0

    async def ask(self, task: Task, purpose: Purpose, turn: Turn | None = None) -> Verdict | Failure:
        try:
            with asking(purpose, turn):
                return await self.verifier.execute(task, self.models)
        except (Malformed, ModelFailure, TooLong, Abstain, TimeoutError) as failure:
            return failure

    async def length(self, refusal: TooLong, short: Task | None) -> Verdict:
        """Lengths are the same every time: one harmless response, which is ``short``, tells."""
        if short is not None:
            said = await self.ask(short, Purpose.PROBE)
            if isinstance(said, TimeoutError):
                raise said
            if not isinstance(said, Verdict):
                return _ours(said)
        elif refusal.part != "response":
            return _ours(refusal)
        return Verdict.invalid("too_long", f"the response is too long for the model: {refusal}")

    async def verdict(self, failure: Provoked) -> Verdict:
        self.own = _times(failure)
        known = [one for text in HARMLESS if (one := _with_response(self.verifier, self.task, text)) is not None]
        controls = cycle(known)
        ended = await self._harmless(next(controls), failure)
        turn = Turn()
        while ended is None and self.own < _FAILURES:
            with turn:
                said = await self.ask(self.task, Purpose.AGAIN, turn)
                if not _is_provoked(said):
                    return self._ended(said, failure)
                failure = said
                ended = await self._harmless(next(controls), failure, turn)
                self.own += _times(failure) if turn.tells else 0
            turn = turn.again()
        while isinstance(failure, Malformed) and ended is None and self._is_open():
            ended = await self._several([next(controls), next(controls)], failure)
        if ended is None and not isinstance(failure, Malformed):
            ended = await self._twins(known[-_TWINS:], failure, turn)
        if ended is not None:
            return ended
        said = self._by_count(failure)
        if said.outcome is Outcome.INVALID or not isinstance(failure, ModelUnavailable):
            return said
        # it fails at whatever it is asked: that may be waited out
        return self._ended(await self.ask(self.task, Purpose.PLAIN), failure)

    def _ended(self, said: Verdict | Failure, failure: Provoked) -> Verdict:
        """What there is to say where nothing more is asked. At the deadline replies that could not be read count as
        they are; where a server failed nothing is known of the harmless ones that had no twins."""
        if isinstance(said, Verdict):
            return said
        if not isinstance(said, TimeoutError):
            return _ours(said)
        return self._by_count(failure) if isinstance(failure, Malformed) else _ours(failure)

    def _is_open(self) -> bool:
        """Whether replies about more harmless responses are needed, and could still tell."""
        if self.asked < len(HARMLESS):
            return True
        told = is_to_blame(self.own, self.asked, self.failed)
        return not told and self.asked < _MOST_ASKED and is_to_blame(self.own, _MOST_ASKED, self.failed)

    def _by_count(self, failure: Provoked) -> Verdict:
        return _blamed(failure) if is_to_blame(self.own, self.asked, self.failed) else _ours(failure)

    async def _harmless(
        self, task: Task, failure: Provoked, turn: Turn | None = None, purpose: Purpose = Purpose.CONTROL
    ) -> Verdict | None:
        """None where it was asked about, and counted as ``own`` is: in replies, or in times; else the verdict."""
        said = await self.ask(task, purpose, turn)
        if isinstance(said, Verdict):
            asked, failed = _calls(said) if isinstance(failure, Malformed) else (1, 0)
        elif isinstance(said, Malformed) or (purpose is Purpose.TWIN and isinstance(said, ModelUnavailable)):
            asked = failed = _times(said) if isinstance(failure, Malformed) else 1
        else:
            return self._ended(failure if isinstance(said, Abstain) else said, failure)
        self.asked += asked
        self.failed += failed
        return None

    async def _several(
        self, tasks: Iterable[Task], failure: Provoked, turn: Turn | None = None, purpose: Purpose = Purpose.CONTROL
    ) -> Verdict | None:
        ended = await asyncio.gather(*(self._harmless(task, failure, turn, purpose) for task in tasks))
        return next((one for one in ended if one is not None), None)

    async def _twins(self, tasks: Sequence[Task], failure: Provoked, turn: Turn) -> Verdict | None:
        """The controls waited for a server that was away: they tell that it is there, and not how often it fails."""
        while True:
            self.asked = self.failed = 0
            with turn:
                ended = await self._several(tasks, failure, turn, Purpose.TWIN)
            if ended is not None or turn.tells:
                return ended
            turn = turn.again()


def _is_provoked(said: Verdict | Failure) -> TypeGuard[Provoked]:
    """What a response may provoke. A server that is full, or a budget that is spent, no response makes so."""
    return isinstance(said, Provoked) and not isinstance(said, SandboxUnavailable)


def is_to_blame(own: int, asked: int, failed: int) -> bool:
    """Whether a judge that failed at ``failed`` of ``asked`` questions about harmless responses would hardly have
    failed ``own`` times here by chance. How often it fails is estimated by Laplace's rule of succession."""
    return ((failed + 1) / (asked + 2)) ** own < _BY_CHANCE


def _times(failure: Malformed | ModelFailure) -> int:
    """How often the judge failed at the response."""
    return failure.asked if isinstance(failure, Malformed) else 1


def _calls(verdict: Verdict) -> tuple[int, int]:
    """How often the judge replied for a verdict, and how many of its replies could not be read."""
    usage = verdict.evidence.get("usage")
    if not isinstance(usage, dict):
        return 1, 0
    calls, malformed = usage.get("calls"), usage.get("malformed")
    return (calls if isinstance(calls, int) else 1), (malformed if isinstance(malformed, int) else 0)


def _blamed(failure: Provoked) -> Verdict:
    if isinstance(failure, Malformed):
        return Verdict.invalid("unjudgeable", f"the judge cannot reply to this response: {failure}"[:300])
    return Verdict.invalid("unjudgeable", f"the model cannot be asked about this response: {failure}"[:300])


def _ours(failure: Failure) -> Verdict:
    if isinstance(failure, TooLong):
        return Verdict.abstained("prompt_too_long", f"what the caller sent is too long for the model: {failure}")
    if isinstance(failure, Abstain):
        return Verdict.abstained(failure.reason_code, failure.reason)
    if isinstance(failure, Malformed):
        return Verdict.error("judge_malformed", str(failure)[:300])
    assert isinstance(failure, ModelFailure), "of a deadline tells what failed before it"
    return Verdict.error(failure.code, str(failure)[:300])


def _told(verifier: ModelVerifier[P], task: Task, models: Watched, verdict: Verdict) -> Verdict:
    """The verdict with what was seen of the models on the way to it."""
    evidence: dict[str, JsonValue] = dict(verdict.evidence)
    if models.used:
        usage = evidence.get("usage")
        if isinstance(usage, dict) or verdict.outcome.missing or verdict.outcome is Outcome.INVALID:
            evidence["usage"] = {**(usage if isinstance(usage, dict) else {}), **models.usage}
        evidence["asked"] = dict(models.provenance)
    if models.probed.calls:
        evidence["probes"] = models.probed.evidence
    if models.unread and verifier.repeats_replies(task):
        evidence["unread"] = [*models.unread]
    return verdict.model_copy(update={"evidence": evidence})


def _with_response(verifier: ModelVerifier[P], task: Task, response: str) -> Task | None:
    """The same task about another response; None where a verifier's tasks are not samples."""
    own = verifier.with_response(task, response)
    if own is not None:
        return own
    try:
        sample = json.loads(task) if isinstance(task, str) else None
    except ValueError:
        sample = None
    if not isinstance(sample, dict):
        return None
    metadata = sample.get("metadata")
    if isinstance(metadata, dict) and "steps" in metadata:
        sample["metadata"] = {**metadata, "steps": [[0, len(response)]]}
    return json.dumps({**sample, "response": response, "reasoning": None})
