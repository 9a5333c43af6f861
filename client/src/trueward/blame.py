"""Whose doing a crash of a verifier is: ours where harmless responses meet it too, else the response's.

A null is worth more to a policy than a wrong answer, so a response that crashes us must not buy one. Harmless
responses, the *controls*, are judged against the same sample's reference. Where each gets a score, and one of them was
compared with the reference, the task is sound; a response that crashes us there twice is
``invalid: unjudgeable_response``.
Where a control is not judged either, the crash stays what it was: an error without a score.

Not here: who runs the tries. :meth:`trueward.SampleVerifier.verify` does in process, the service's lanes with what they
have (fresh workers, sandboxes, deadlines).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from trueward.authoring.verifier import Verifier

UNJUDGEABLE = "unjudgeable_response"

PLAIN_CONTROLS = ("0", "The answer is A.", "```python\npass\n```")
"""Responses that harm nobody: a number, a sentence, a program."""

_EXAMPLES = 2
_CRASHES = frozenset({"verifier_crashed", "worker_crashed", "sandbox_failed"})


def is_crash(verdict: Verdict) -> bool:
    """Whether judging failed in a way that the response may have caused."""
    return verdict.outcome is Outcome.ERROR and verdict.reason_code in _CRASHES


def is_compared(verdict: Verdict) -> bool:
    """Whether the reference was reached: the response had a score, and something in it to judge."""
    return not verdict.outcome.missing and verdict.outcome is not Outcome.INVALID


def controls(verifier: Verifier, sample: Sample) -> list[Sample]:
    """The sample with harmless responses in place of its own: plain ones, and two of the verifier's examples.

    The examples have the form that the verifier reads: a query, a patch, a tool call.
    """
    shown = dict.fromkeys(example.sample.response_text for example in verifier.examples)
    texts = [*PLAIN_CONTROLS, *[text for text in shown if text.strip()][:_EXAMPLES]]
    return [sample.model_copy(update={"response": text, "reasoning": None}) for text in texts]


def sound(judged: list[Verdict]) -> bool:
    """Whether a task is sound, by the verdicts on its controls."""
    return all(not verdict.outcome.missing for verdict in judged) and any(is_compared(verdict) for verdict in judged)


def unjudgeable(crash: Verdict) -> Verdict:
    """The verdict on a response that crashes us where harmless ones are judged: it is priced, and it is our bug."""
    return Verdict.invalid(
        UNJUDGEABLE,
        f"judging this response failed twice, and other responses are judged against its reference: {crash.reason}",
        evidence={"failure": crash.reason_code},
        elapsed_s=crash.elapsed_s,
    )
