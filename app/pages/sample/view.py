"""The one view of a sample: what every page that shows one is given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from app.audits.samples import Shown
from app.pages.atoms import Span
from app.pages.inert import as_text
from app.pages.maths import mathml
from app.pages.sample.difference import difference
from app.pages.sample.marks import answer_span
from app.pages.sample.passages import prompt_turns, response_turns
from app.pages.sample.views import Extracted, Marked, Passage, ShownSample, ShownTurn
from app.verdicts.answer import answer_of
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

_COMMAND = re.compile(r"^[^$\n]*\\[a-zA-Z][^$\n]*$")
TURNS = 60
"""Turns of a prompt, and of a response, that a page shows: the last ones."""


class SampleFinding(NamedTuple):
    """What a verifier said, with what it rests on."""

    by: str
    outcome: Outcome
    evidence: Mapping[str, JsonValue]


def findings(said: Sequence[Verdict]) -> list[SampleFinding]:
    return [SampleFinding(one.producer.name, one.outcome, one.evidence) for one in said if one.producer is not None]


def describe_record(record: Shown) -> ShownSample | None:
    """None for a sample that is too long to be read whole."""
    if record.content is None:
        return None
    said = [SampleFinding(record.by, record.outcome, record.evidence)] if record.by else []
    return describe_sample(Sample.model_validate(record.content), said)


def describe_sample(sample: Sample, said: Sequence[SampleFinding] = ()) -> ShownSample:
    """With the answers that verifiers read out of the response; none where the reader is not to know what was said."""
    prompt, response = prompt_turns(sample), response_turns(sample)
    extracted: dict[str, Extracted] = {}
    spans: set[Span] = set()
    for by, outcome, evidence in said:
        answer = answer_of(evidence)
        if answer is None or answer in extracted:
            continue
        span = answer_span(sample, evidence)
        spans |= {span} if span is not None else set()
        compared = outcome is not Outcome.CORRECT and "pattern" not in evidence
        changes = difference(sample.references, answer) if compared else []
        extracted[answer] = Extracted(by=by, text=answer, marked=span is not None, changes=changes)
    mark(response, sorted(spans))
    return ShownSample(
        prompt=prompt[-TURNS:],
        response=response[-TURNS:],
        reference=None if sample.reference is None else _reference(sample.reference),
        extracted=list(extracted.values()),
        further_prompt=max(0, len(prompt) - TURNS),
        further_response=max(0, len(response) - TURNS),
    )


def mark(turns: Sequence[ShownTurn], spans: Sequence[Span]) -> None:
    """Marks what lies within one passage of the policy's text, which spans count the characters of."""
    for passage in (passage for turn in turns for passage in turn.passages):
        if (place := passage.place) is not None:
            end = place + len(passage.text)
            inside = [span for span in spans if place <= span[0] and span[1] <= end]
            passage.marks = _separate_marks([Marked(start=start - place, end=stop - place) for start, stop in inside])


def _reference(reference: JsonValue) -> Passage:
    """Gold answers that are texts are formulas without delimiters."""
    text = as_text(reference)
    formula = isinstance(reference, str) and _COMMAND.search(text) is not None and mathml(text) is not None
    return Passage(kind="formula" if formula else "text", text=text, start=0)


def _separate_marks(marks: Sequence[Marked]) -> list[Marked]:
    kept: list[Marked] = []
    for one in marks:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept
