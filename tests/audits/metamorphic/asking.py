"""What tests ask of transformations: one by its name, applied to a reference."""

from __future__ import annotations

from pydantic import JsonValue

from audits.metamorphic.catalogue import choose_transformations
from audits.metamorphic.transformation import Reader
from audits.metamorphic.variants import task_of
from trueward.wire.sample import Sample


def applied(
    name: str, reference: JsonValue, verifier: str | None = "math", seed: int = 0, **params: JsonValue
) -> str | None:
    """What the transformation makes of a reference; None where it does not fit."""
    return of_sample(name, Sample(reference=reference), verifier, seed, **params)


def of_sample(
    name: str, sample: Sample, verifier: str | None = "math", seed: int = 0, **params: JsonValue
) -> str | None:
    [transformation] = choose_transformations([name], None)
    return transformation.apply(task_of(sample, Reader(verifier, params)), seed)


def over_seeds(name: str, reference: JsonValue, verifier: str = "math", **params: JsonValue) -> set[str | None]:
    """What twenty seeds make of it."""
    return {applied(name, reference, verifier, seed, **params) for seed in range(20)}
