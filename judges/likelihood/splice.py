"""The reference in the place of the answer: what is teacher-forced, after which reasoning.

The text ends with the reference, so nothing behind it changes its tokens; a token that begins before it and ends in it
counts as its own. The final answer is found by the rules of :mod:`verifiers.extract`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from judges.conversation import reply_of, turns_of
from judges.questions import Spans, Turn
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.extract import NoAnswer, Policy, extract
from verifiers.legible import legible

_OPENERS = {"boxed": "\\boxed{", "tag": "<answer>"}


@dataclass(frozen=True, slots=True)
class Splice:
    """``before`` is what the assistant says ahead of the reference, ``bare`` the same without any reasoning."""

    prompt: tuple[Turn, ...]
    before: str
    bare: str

    def spans(self, reference: str) -> Spans:
        """The reference after the reasoning: one span."""
        text = self.before + reference
        return Spans(self.prompt, text, ((len(self.before), len(text)),))

    def with_reasoning(self, reference: str) -> Spans:
        """The same, and the reasoning ahead of it as the second span."""
        spans = self.spans(reference)
        return replace(spans, spans=(*spans.spans, (0, len(self.before)))) if self.before else spans

    def without_reasoning(self, reference: str) -> Spans:
        """The reference straight after the prompt: the same question for every response to it."""
        return replace(self, before=self.bare).spans(reference)


def splice_reference(sample: Sample, *, append: bool, joint: str) -> Splice | Verdict:
    """Where the reference goes: in the place of the final answer, or behind the whole response (``append``).

    A response without a final answer, or without anything ahead of it, is ``invalid``: what it says could not change
    its reward.
    """
    prompt, lead, said = context_of(sample)
    if append:
        return Splice(prompt, lead + said + joint, joint)
    # thinking that the server separated is no part of what is said, and a prefix may have opened it
    found = extract(sample.model_copy(update={"response": said}), Policy.TEXT)
    if isinstance(found, NoAnswer):
        return Verdict.invalid(found.reason_code, found.reason)
    before = lead + said[: found.span[0] if found.span else 0]
    if not before.strip():
        return Verdict.invalid("no_reasoning", "nothing stands ahead of the final answer")
    return Splice(prompt, before, _OPENERS.get(found.rule, ""))


def context_of(sample: Sample) -> tuple[tuple[Turn, ...], str, str]:
    """The turns before the last of the policy; what stands ahead of its text there; that text.

    Ahead of it stands thinking that the server separated, or the generation prefix that the template wrote.
    """
    prompt, said = _last_said(sample)
    if sample.reasoning:
        return prompt, f"<think>\n{legible(sample.reasoning)}\n</think>\n\n", said
    prefix = sample.prefix or ""
    return prompt, "" if said.startswith(prefix) else prefix, said


def _last_said(sample: Sample) -> tuple[tuple[Turn, ...], str]:
    turns = turns_of(sample)
    if not isinstance(sample.response, list):
        return turns, legible(sample.response or "")
    own = [place for place, message in enumerate(sample.response) if message.is_policy]
    last = own[-1] if own else 0
    return (*turns, *reply_of(sample)[:last]), legible(sample.response[last].text) if own else ""
