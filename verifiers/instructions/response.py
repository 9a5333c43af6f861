"""The text that constraints are judged on: what the policy wrote last, after its thinking.

White space at the ends is part of it, as for the official checkers, unless thinking was cut off there.
"""

from __future__ import annotations

from dataclasses import replace

from trueward.types import Sample
from verifiers.extract import Answer, NoAnswer
from verifiers.legible import legible
from verifiers.scope import Scope, scoped


def written(sample: Sample) -> Answer | NoAnswer:
    """The response, or the policy's last message where it is a conversation, without thinking."""
    if isinstance(sample.response, list):
        last = [message for message in sample.response if message.is_policy][-1:]
        sample = sample.model_copy(update={"response": last})
    answer = scoped(sample, Scope.ANSWER)
    whole = legible(sample.response_text)
    if isinstance(answer, Answer) and whole.strip() == answer.text:
        return replace(answer, text=whole)
    return answer
