"""The failures of models made verdicts, and whose doing they are.

A text may not fit, or may be one that the model cannot be asked about, because of the response, of the caller's side or
of the entry. So the same is asked of a harmless response: where that can be answered the response is to blame, and is
``invalid``, for a score that is missing would be worth more than a wrong answer's. Equal questions are shared, so one
prompt is probed once.
"""

from __future__ import annotations

import json

from judges.base import ModelFailure, Models, ModelVerifier, P, TooLong, Unaskable
from trueward.types import Verdict
from trueward.verifier import Abstain, Task

HARMLESS = "Let us see.\n\nThe answer is \\boxed{0}."


async def judged(verifier: ModelVerifier[P], task: Task, models: Models) -> Verdict:
    """``execute`` with the failures of models, and what the caller did not send, made verdicts."""
    try:
        return await verifier.execute(task, models)
    except (TooLong, Unaskable) as refusal:
        return await _blamed(verifier, task, models, refusal)
    except (Abstain, ModelFailure) as failure:
        return _ours(failure)


async def _blamed(verifier: ModelVerifier[P], task: Task, models: Models, refusal: TooLong | Unaskable) -> Verdict:
    harmless = _with_harmless_response(task)
    try:
        if harmless is not None:
            await verifier.execute(harmless, models)
        elif not (isinstance(refusal, TooLong) and refusal.part == "response"):
            return _ours(refusal)
    except (Abstain, ModelFailure, TooLong) as failure:
        return _ours(failure)
    if isinstance(refusal, TooLong):
        return Verdict.invalid("too_long", f"the response is too long for the model: {refusal}")
    return Verdict.invalid("unjudgeable", f"the model cannot be asked about this response: {refusal}"[:300])


def _ours(failure: Abstain | ModelFailure | TooLong) -> Verdict:
    if isinstance(failure, TooLong):
        return Verdict.abstained("prompt_too_long", f"what the caller sent is too long for the model: {failure}")
    if isinstance(failure, Abstain):
        return Verdict.abstained(failure.reason_code, failure.reason)
    return Verdict.error(failure.code, str(failure)[:300])


def _with_harmless_response(task: Task) -> Task | None:
    """The same task about a short response; None where a verifier's tasks are not samples."""
    try:
        sample = json.loads(task) if isinstance(task, str) else None
    except ValueError:
        sample = None
    if not isinstance(sample, dict):
        return None
    metadata = sample.get("metadata")
    if isinstance(metadata, dict) and "steps" in metadata:
        sample["metadata"] = {**metadata, "steps": [[0, len(HARMLESS)]]}
    return json.dumps({**sample, "response": HARMLESS, "reasoning": None})
