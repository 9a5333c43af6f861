"""One number out of what a reward model says: its entry's reading, then its calibration. Pure but for the asking."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from pydantic import JsonValue

from judges.base import Unaskable
from judges.questions import Answer, Choices, Classify, Prompt, Question
from trueward.estimators.scores import sigmoid
from trueward.wire.model import (
    AttributesReading,
    Calibration,
    ChoiceReading,
    GatedReading,
    HeadsReading,
    LogitReading,
    ModelEntry,
    ProbabilityReading,
)


@dataclass(frozen=True, slots=True)
class Read:
    """The raw number, and what it is made of."""

    raw: float
    parts: dict[str, JsonValue] = field(default_factory=dict)


def question_of(entry: ModelEntry, text: Prompt, *, entire: bool = False) -> Question:
    """What is asked of a reward model about a text that ends with the response; ``entire`` where nothing of the text
    may be cut."""
    if isinstance(entry.reading, ChoiceReading):
        return Choices(text, tuple(entry.reading.choices), entire=entire)
    return Classify(text, entire=entire)


def read(entry: ModelEntry, answer: Answer) -> Read:
    """Raises :class:`judges.base.Unaskable` where the model's head has not what the entry reads."""
    reading, row = entry.reading, answer.rows[0]
    match reading:
        case LogitReading():
            return Read(_at(row, reading.index, entry))
        case ProbabilityReading():
            return Read(probability(row, reading.index) if len(row) > 1 else sigmoid(_at(row, 0, entry)))
        case AttributesReading():
            return _attributes(reading, row, entry)
        case GatedReading():
            return _gated(reading, answer, entry)
        case ChoiceReading():
            return Read(probability(row, 0), {"choices": _named(reading.choices, map(math.exp, row))})
        case HeadsReading():
            return _heads(reading, row, entry)


def calibrate(calibration: Calibration | None, raw: float) -> float:
    """What the raw number is worth."""
    if calibration is None:
        return raw
    match calibration.method:
        case "affine":
            return calibration.scale * raw + calibration.shift
        case "platt":
            return sigmoid(calibration.scale * raw + calibration.shift)
        case "temperature":
            return sigmoid(raw / calibration.temperature)


def probability(logits: Sequence[float], index: int) -> float:
    """Softmax, of one of them."""
    top = max(logits)
    return math.exp(logits[index] - top) / math.fsum(math.exp(one - top) for one in logits)


def _at(row: Sequence[float], index: int, entry: ModelEntry) -> float:
    if index >= len(row):
        raise Unaskable(f"the model {entry.name!r} says {len(row)} numbers, and its reading asks for number {index}")
    return row[index]


def _attributes(reading: AttributesReading, row: Sequence[float], entry: ModelEntry) -> Read:
    if len(reading.weights) != len(row):
        raise Unaskable(
            f"the model {entry.name!r} says {len(row)} numbers, and its reading weighs {len(reading.weights)}"
        )
    weighted = math.fsum(weight * one for weight, one in zip(reading.weights.values(), row, strict=True))
    return Read(weighted, {"attributes": _named(reading.weights, row)})


def _gated(reading: GatedReading, answer: Answer, entry: ModelEntry) -> Read:
    """Rows are the mixed score, the objectives at the response's end, and the gate's weights at the prompt's."""
    if len(answer.rows) != 3:
        raise Unaskable(f"the model {entry.name!r} has no gate")
    (mixed,), objectives, gate = answer.rows
    names = reading.attributes or [str(place) for place in range(len(objectives))]
    if len(names) != len(objectives):
        raise Unaskable(f"the model {entry.name!r} has {len(objectives)} objectives, its entry names {len(names)}")
    return Read(mixed, {"attributes": _named(names, objectives), "gate": _named(names, gate)})


def _heads(reading: HeadsReading, row: Sequence[float], entry: ModelEntry) -> Read:
    """Scores and spreads of the heads are told as they are worth, after the calibration."""
    if len(row) % 2:
        raise Unaskable(f"the model {entry.name!r} says {len(row)} numbers: not a mean and a spread for each head")
    means, spreads = row[: len(row) // 2], row[len(row) // 2 :]
    stds = [_std(reading, one) for one in spreads]
    if not all(0 <= std < math.inf for std in stds):
        raise Unaskable(f"the model {entry.name!r} says a spread that is negative, or no number")
    scale = abs(entry.calibration.scale) if entry.calibration is not None else 1.0
    scores = [calibrate(entry.calibration, one) for one in means]
    return Read(fmean(means), {"scores": [*scores], "stds": [scale * std for std in stds]})


def _std(reading: HeadsReading, spread: float) -> float:
    match reading.spread:
        case "std":
            return spread
        case "log_std":
            return _exp(spread)
        case "log_variance":
            return _exp(spread / 2)


def _exp(value: float) -> float:
    """Without overflow: infinity is no spread."""
    return math.exp(value) if value < 700 else math.inf


def _named(names: Iterable[str], values: Iterable[float]) -> dict[str, JsonValue]:
    return dict(zip(names, values, strict=True))
