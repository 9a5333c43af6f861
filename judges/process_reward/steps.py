"""Where a response's steps are, in characters: linear time, and nothing but white space lies between two steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from judges.conversation import message_spans
from trueward.authoring.verifier import Abstain
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.instructions.english.sentences import sentence_spans
from verifiers.legible import legible

Span = tuple[int, int]
Split = Literal["paragraphs", "sentences", "numbered", "marker", "turns", "given"]

_BLANK_LINES = re.compile(r"\n[ \t\r\f\v]*\n\s*")
_NUMBERED = re.compile(
    r"^[ \t]{0,8}(?:[#*_]{0,6}[ \t]{0,3})?(?:step[ \t]{1,3}\d{1,4}\b|\d{1,4}[.)][ \t])", re.IGNORECASE | re.MULTILINE
)


def paragraphs(text: str) -> list[Span]:
    """Between blank lines."""
    return _between(text, ((found.start(), found.end()) for found in _BLANK_LINES.finditer(text)))


def split_numbered(text: str) -> list[Span]:
    """From each line that begins with ``Step 3``, ``3.`` or ``3)`` to the next; what stands before the first is one."""
    starts = [found.start() for found in _NUMBERED.finditer(text)]
    return _between(text, ((start, start) for start in starts))


def split_marked(text: str, marker: str) -> list[Span]:
    """Between occurrences of a marker, which belongs to no step."""
    places, at = [], text.find(marker)
    while at >= 0:
        places.append((at, at + len(marker)))
        at = text.find(marker, at + len(marker))
    return _between(text, places)


def turns(sample: Sample) -> list[Span]:
    """The policy's messages, in the response's text."""
    found = message_spans(sample)
    return [span for one in found if (span := _trimmed(sample.response_text, one))]


def read_spans(sample: Sample) -> list[Span] | None:
    """The sample's ``metadata.steps``: ``[start, end]`` in characters of the response, in order; None where it is not
    that."""
    listed = (sample.metadata or {}).get("steps")
    length = len(sample.response_text)
    if not isinstance(listed, list) or not listed:
        return None
    spans = []
    before = 0
    for one in listed:
        match one:
            case [int(start), int(end)] if before <= start < end <= length:
                spans.append((start, end))
                before = end
            case _:
                return None
    return spans


def steps_of(sample: Sample, split: Split, marker: str) -> list[Span]:
    """The steps of a response. Raises :class:`trueward.Abstain` where they were to be given and were not."""
    text = legible(sample.response_text)
    match split:
        case "paragraphs":
            return paragraphs(text)
        case "sentences":
            return sentence_spans(text)
        case "numbered":
            return split_numbered(text)
        case "marker":
            return split_marked(text, marker)
        case "turns":
            return turns(sample)
        case "given":
            found = read_spans(sample)
            if found is None:
                raise Abstain(
                    "no_step_spans", "split 'given' needs metadata.steps: [start, end] in characters, in order"
                )
            return found


def refuse_steps(steps: Sequence[Span], most: int) -> Verdict | None:
    """What a response is that has no step, or more than ``most``; None where its steps can be judged."""
    if not steps:
        return Verdict.invalid("no_steps", "the response has no step")
    if len(steps) > most:
        return Verdict.invalid("too_many_steps", f"{len(steps)} steps; at most {most} are judged")
    return None


def _between(text: str, gaps: Iterable[Span]) -> list[Span]:
    """What lies before, between and after the gaps, without white space at its ends; nothing is no step."""
    found: list[Span] = []
    at = 0
    for start, end in (*gaps, (len(text), len(text))):
        span = _trimmed(text, (at, start))
        if span is not None:
            found.append(span)
        at = end
    return found


def _trimmed(text: str, span: Span) -> Span | None:
    inner = text[slice(*span)]
    start = span[0] + len(inner) - len(inner.lstrip())
    end = span[0] + len(inner.rstrip())
    return (start, end) if start < end else None


def texts(text: str, spans: Sequence[Span]) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in spans)
