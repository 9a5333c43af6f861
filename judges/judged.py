"""The failures of models made verdicts, and whose doing they are.

A text may not fit, may be one that the model cannot be asked about, or may make a judge reply what cannot be read,
because of the response, of the caller's side or of the model. So the same is asked of harmless responses: where these
are answered the response is to blame, and is ``invalid``, for a score that is missing would be worth more than a wrong
answer's. Equal questions are shared for a while, so the members of a group probe their prompt once.
"""

from __future__ import annotations

import json

from judges.base import Malformed, ModelFailure, Models, ModelVerifier, P, TooLong, Unaskable
from judges.probing import probing
from trueward.types import Verdict
from trueward.verifier import Abstain, Task

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


async def judged(verifier: ModelVerifier[P], task: Task, models: Models) -> Verdict:
    """``execute`` with the failures of models, and what the caller did not send, made verdicts."""
    try:
        return await verifier.execute(task, models)
    except (TooLong, Unaskable) as refusal:
        return await _blamed(verifier, task, models, refusal)
    except Malformed as malformed:
        return await _unreadable(verifier, task, models, malformed)
    except (Abstain, ModelFailure) as failure:
        return _ours(failure)


async def _blamed(verifier: ModelVerifier[P], task: Task, models: Models, refusal: TooLong | Unaskable) -> Verdict:
    harmless = _with_response(verifier, task, HARMLESS[0])
    try:
        if harmless is not None:
            with probing():
                await verifier.execute(harmless, models)
        elif not (isinstance(refusal, TooLong) and refusal.part == "response"):
            return _ours(refusal)
    except (Abstain, ModelFailure, TooLong, Malformed) as failure:
        return _ours(failure)
    if isinstance(refusal, TooLong):
        return Verdict.invalid("too_long", f"the response is too long for the model: {refusal}")
    return Verdict.invalid("unjudgeable", f"the model cannot be asked about this response: {refusal}"[:300])


async def _unreadable(verifier: ModelVerifier[P], task: Task, models: Models, malformed: Malformed) -> Verdict:
    """A judge that replies nonsense now and then would, by chance, do it as often as this response made it do it.

    How often it does is estimated from its replies to harmless responses, with half a failure added (Jeffreys).
    """
    asked = failed = 0
    for text in HARMLESS:
        harmless = _with_response(verifier, task, text)
        if harmless is None:
            return _ours(malformed)
        try:
            with probing():
                verdict = await verifier.execute(harmless, models)
        except Malformed as again:
            asked += again.asked
            failed += again.asked
        except (Abstain, ModelFailure, TooLong) as failure:
            return _ours(failure)
        else:
            calls, unread = _calls(verdict)
            asked += calls
            failed += unread
        if asked >= len(HARMLESS):
            break
    if to_blame(malformed, asked, failed):
        return Verdict.invalid("unjudgeable", f"the judge cannot reply to this response: {malformed}"[:300])
    return _ours(malformed)


def to_blame(malformed: Malformed, asked: int, failed: int) -> bool:
    """Whether a judge of whose replies to harmless responses ``failed`` of ``asked`` could not be read would hardly
    have failed so often here by chance."""
    return ((failed + 0.5) / (asked + 1)) ** malformed.asked < _BY_CHANCE


def _calls(verdict: Verdict) -> tuple[int, int]:
    """How often the judge replied for a verdict, and how many of its replies could not be read."""
    usage = verdict.evidence.get("usage")
    if not isinstance(usage, dict):
        return 1, 0
    calls, malformed = usage.get("calls"), usage.get("malformed")
    return (calls if isinstance(calls, int) else 1), (malformed if isinstance(malformed, int) else 0)


def _ours(failure: Abstain | ModelFailure | TooLong | Malformed) -> Verdict:
    if isinstance(failure, TooLong):
        return Verdict.abstained("prompt_too_long", f"what the caller sent is too long for the model: {failure}")
    if isinstance(failure, Abstain):
        return Verdict.abstained(failure.reason_code, failure.reason)
    if isinstance(failure, Malformed):
        return Verdict.error("judge_malformed", str(failure)[:300])
    return Verdict.error(failure.code, str(failure)[:300])


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
