"""The failures of models made verdicts, and whose doing they are.

A text may not fit, may be one that a server refuses to read or fails at (a filter, an error for this text alone), or
may make a judge reply what cannot be read: because of the response, of the caller's side or of the model. So the same
is asked of harmless responses, and of the response again. Where the harmless ones are answered and the response fails
as often as would hardly happen by chance, the response is to blame, and is ``invalid``: a score that is missing would
be worth more than a wrong answer's. Where a harmless one fails as well it is nobody's doing but ours. Where the
response is answered at last it has its verdict. What is answered at once costs nothing more.

The harmless questions between those about the response wait for a server that is away. So they tell that it is there,
and not how often it fails; that tell the last ones, which are given up as soon as the response was.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from typing import Generic

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
from judges.probing import probing, suspecting
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
_BY_CHANCE = 0.01
"""So likely may a harmless response be to end the same way, at most, for the response to be blamed."""
_FAILURES = 3
"""Times that a response is asked about before it is blamed."""
_HASTY = 5
"""Harmless questions at the end that tell how often a server fails."""
Provoked = Malformed | Unaskable | ModelUnavailable | NotFinite
_PROVOKED = (Malformed, Unaskable, ModelUnavailable, NotFinite)
"""What a response may provoke. A server that is full, or a budget that is spent, no response makes so."""


async def judge_task(verifier: ModelVerifier[P], task: Task, models: Models) -> Verdict:
    """``execute`` with the failures of models, and what the caller did not send, made verdicts.

    The evidence says which models were asked (``asked``), what all questions took where that is more than the verifier
    knows (``usage``), and how replies begin that could not be read (``unread``).
    """
    watched = Watched(models)
    return _told(verifier, task, watched, await _settled(verifier, task, watched))


async def _settled(verifier: ModelVerifier[P], task: Task, models: Watched) -> Verdict:
    try:
        with suspecting(None if _with_response(verifier, task, HARMLESS[0]) is None else "first"):
            return await verifier.execute(task, models)
    except TooLong as refusal:
        return await _too_long(verifier, task, models, refusal)
    except SandboxUnavailable as failure:
        return _ours(failure)
    except _PROVOKED as failure:
        return await _Trial(verifier, task, models, failure).verdict()
    except (Abstain, ModelFailure) as failure:
        return _ours(failure)


async def _too_long(verifier: ModelVerifier[P], task: Task, models: Models, refusal: TooLong) -> Verdict:
    """Lengths are the same every time: one harmless response, which is short, tells."""
    harmless = _with_response(verifier, task, HARMLESS[0])
    try:
        if harmless is not None:
            with probing():
                await verifier.execute(harmless, models)
        elif refusal.part != "response":
            return _ours(refusal)
    except (Abstain, ModelFailure, TooLong, Malformed) as failure:
        return _ours(failure)
    return Verdict.invalid("too_long", f"the response is too long for the model: {refusal}")


@dataclass(slots=True)
class _Trial(Generic[P]):
    """Of one response whose judge failed: ``asked`` questions about harmless ones, ``failed`` that were not answered.
    ``waited`` says whether the last of them waited for a server that was away.

    One question after the other, until the response was asked about often enough: so a server that is away for a moment
    is found out, and asked no more than it takes.
    """

    verifier: ModelVerifier[P]
    task: Task
    models: Models
    failure: Provoked
    own: int = 0
    asked: int = 0
    failed: int = 0
    waited: bool = False

    async def verdict(self) -> Verdict:
        self.own = _times(self.failure)
        controls = [_with_response(self.verifier, self.task, text) for text in HARMLESS]
        known = [one for one in controls if one is not None]
        if len(known) < len(controls):
            return _ours(self.failure)
        left = [*known]
        ended = await self._control(left.pop(0), fresh=True)
        while ended is None and self.own < _FAILURES and left:
            ended = await self._again() or await self._control(left.pop(0), fresh=True)
        if ended is None and self.waited:
            ended = await self._again(alone=True) or await self._control(known[0], fresh=True)
        if isinstance(self.failure, Malformed):
            while ended is None and left and self.asked < len(HARMLESS):
                ended = await _first_of(self._control(left.pop(0)) for _ in range(min(2, len(left))))
        elif ended is None:
            self.asked = self.failed = 0
            ended = await _first_of(map(self._hasty_control, known[-_HASTY:]))
        if ended is not None:
            return ended
        if is_to_blame(self.own, self.asked, self.failed):
            return _blamed(self.failure)
        return await self._patiently() if isinstance(self.failure, ModelUnavailable) else _ours(self.failure)

    async def _control(self, task: Task, *, fresh: bool = False) -> Verdict | None:
        """None where it was asked about, answered or not; else the verdict on the response. ``fresh`` ones are asked
        after the response failed: a model may have been well a moment ago."""
        try:
            with probing(fresh=fresh) as probe:
                verdict = await self.verifier.execute(task, self.models)
            self.waited = probe.waited
        except Malformed as again:
            self.asked += again.asked
            self.failed += again.asked
        except (Abstain, TimeoutError):
            return _ours(self.failure)
        except (ModelFailure, TooLong) as failure:
            return _ours(failure)
        else:
            calls, unread = _calls(verdict)
            self.asked += calls
            self.failed += unread
        return None

    async def _hasty_control(self, task: Task) -> Verdict | None:
        """As ``_control``, given up like the response."""
        self.asked += 1
        try:
            with probing(fresh=True, patient=False), suspecting("again"):
                await self.verifier.execute(task, self.models)
        except (ModelUnavailable, Malformed):
            self.failed += 1
        except TimeoutError:
            return _ours(self.failure)
        except (Abstain, ModelFailure, TooLong) as failure:
            return _ours(failure)
        return None

    async def _patiently(self) -> Verdict:
        """The response once more, for a server that fails at whatever it is asked: that may be waited out."""
        try:
            return await self.verifier.execute(self.task, self.models)
        except TimeoutError:
            return _ours(self.failure)
        except (Abstain, ModelFailure, TooLong, Malformed) as failure:
            return _ours(failure)

    async def _again(self, *, alone: bool = False) -> Verdict | None:
        """The response once more; None where that fails again.

        Once ``alone`` where the server was away after it: of several that wait for a server together, one may take it
        down for all of them.
        """
        try:
            with suspecting("alone" if alone else "again"):
                return await self.verifier.execute(self.task, self.models)
        except _PROVOKED as failure:
            self.failure = failure
            self.own += _times(failure)
        except TimeoutError:
            return _ours(self.failure)
        except (Abstain, ModelFailure, TooLong) as failure:
            return _ours(failure)
        return None


async def _first_of(asking: Iterable[Awaitable[Verdict | None]]) -> Verdict | None:
    """The first verdict there is, of all that are asked at once."""
    return next((one for one in await asyncio.gather(*asking) if one is not None), None)


def is_to_blame(own: int, asked: int, failed: int) -> bool:
    """Whether a judge that failed at ``failed`` of ``asked`` questions about harmless responses would hardly have
    failed ``own`` times here by chance. How often it fails is estimated with half a failure added (Jeffreys)."""
    return ((failed + 0.5) / (asked + 1)) ** own < _BY_CHANCE


def _times(failure: Provoked) -> int:
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


def _ours(failure: Abstain | ModelFailure | TooLong | Malformed) -> Verdict:
    if isinstance(failure, TooLong):
        return Verdict.abstained("prompt_too_long", f"what the caller sent is too long for the model: {failure}")
    if isinstance(failure, Abstain):
        return Verdict.abstained(failure.reason_code, failure.reason)
    if isinstance(failure, Malformed):
        return Verdict.error("judge_malformed", str(failure)[:300])
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
