"""A response with its steps marked by how they were scored, and the lists of evidence as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup
from pydantic import JsonValue

from app.pages.inert import SHOWN, inert
from app.pages.ledger.views import EvidenceTable, ScoredStep, StepScores
from trueward.numerals import number
from trueward.wire.record import RewardDetail, VerdictDetail, VerdictRecord

LEVELS = 5
_ROWS, _COLUMNS = 100, 10


def mark_steps(text: str, steps: Sequence[ScoredStep], most: int = SHOWN) -> Markup:
    """At most ``most`` characters of a text; after each step its score. Steps that overlap one before are left out."""
    text = text[:most]
    pieces: list[Markup] = []
    end = 0
    for step in steps:
        if not end <= step.start < step.end or step.start >= len(text):
            continue
        pieces.append(inert(text[end : step.start], most))
        shown = inert(text[step.start : step.end], most)
        step_markup = Markup('<span class="step l{}">{}</span><span class="worth">{}</span>')
        pieces.append(step_markup.format(step.level, shown, number(step.score)))
        end = step.end
    pieces.append(inert(text[end:], most))
    return Markup("").join(pieces)


def marks(detail: VerdictDetail | RewardDetail, said: Sequence[VerdictRecord]) -> list[StepScores]:
    """Those of the verdicts with steps, and of the reward where it pays them."""
    found: list[StepScores] = []
    for one in said:
        producer = one.verdict.producer
        evidence = one.verdict.evidence
        found += _steps(
            producer.name if producer else "verdict", evidence.get("step_scores"), evidence.get("step_spans")
        )
    if isinstance(detail, RewardDetail) and detail.reward.step_rewards and detail.reward.step_spans:
        spans: JsonValue = [list(span) for span in detail.reward.step_spans]
        found += _steps("the reward", list(detail.reward.step_rewards), spans)
    return found


def tables(evidence: Mapping[str, JsonValue]) -> list[EvidenceTable]:
    """The evidence's lists of objects with few fields."""
    found = []
    for name, value in evidence.items():
        entries = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
        columns = list(dict.fromkeys(key for entry in entries[:_ROWS] for key in entry))
        if entries and len(columns) <= _COLUMNS:
            rows = [[entry.get(column) for column in columns] for entry in entries[:_ROWS]]
            found.append(EvidenceTable(name=name, columns=columns, rows=rows, more=max(0, len(entries) - _ROWS)))
    return found


def _steps(by: str, scores: JsonValue, spans: JsonValue) -> list[StepScores]:
    """Nothing where the two do not fit each other: evidence is whatever a verifier wrote."""
    if not isinstance(scores, list) or not isinstance(spans, list) or not scores or len(scores) != len(spans):
        return []
    worth = [score for score in scores if isinstance(score, (int, float))]
    if len(worth) != len(scores):
        return []
    low, high = min(0.0, *worth), max(1.0, *worth)
    steps = []
    for score, span in zip(worth, spans, strict=True):
        if not isinstance(span, list) or len(span) != 2:
            return []
        start, end = span
        if not isinstance(start, int) or not isinstance(end, int):
            return []
        level = min(LEVELS - 1, int(LEVELS * (score - low) / (high - low)))
        steps.append(ScoredStep(start=start, end=end, score=score, level=level))
    return [StepScores(by=by, steps=steps)]
