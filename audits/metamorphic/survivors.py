"""Tests that let mutants live, the worst first."""

from __future__ import annotations

import ast
import difflib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from audits.metamorphic.mutants import MUTANTS
from audits.metamorphic.program import parse_program, source
from audits.metamorphic.transformation import Task
from audits.metamorphic.variants import Variant
from audits.subject_verdict import Judged
from trueward.wire.sample import Sample

_LONGEST = 300


@dataclass(frozen=True, slots=True)
class JudgedVariant:
    """A variant with what the subject said of it."""

    variant: Variant
    judged: Judged

    @property
    def breaks(self) -> bool:
        return self.variant.transformation.breaks

    @property
    def wrong(self) -> bool | None:
        """Whether the subject was; None where it said neither yes nor no."""
        return None if self.judged.accepted is None else self.judged.accepted == self.breaks


@dataclass(frozen=True, slots=True)
class Survivors:
    """The mutants of one sample's program that its tests did not kill, each by its name and its changed line."""

    sample: str
    mutants: int
    lines: list[str]

    @property
    def share(self) -> float:
        return len(self.lines) / self.mutants

    def finding(self) -> JsonValue:
        return {
            "sample": self.sample,
            "mutants": self.mutants,
            "survived": len(self.lines),
            "lines": [*self.lines],
        }


def surviving(samples: Sequence[Sample], tried: Sequence[JudgedVariant]) -> list[Survivors]:
    """By sample, those whose tests let the largest share of mutants live first; none where all were killed."""
    mutants: dict[int, list[JudgedVariant]] = defaultdict(list)
    for each in tried:
        if each.variant.transformation in MUTANTS and each.wrong is not None:
            mutants[each.variant.place].append(each)
    found = []
    for place, of_sample in mutants.items():
        lines = [_changed_line(samples[place], each) for each in of_sample if each.wrong]
        if lines:
            found.append(Survivors(samples[place].id or str(place), len(of_sample), lines))
    return sorted(found, key=lambda each: (-each.share, -each.mutants))


def _changed_line(sample: Sample, each: JudgedVariant) -> str:
    before = parse_program(source(Task(sample, "")) or "")
    after = source(Task(each.variant.sample, "")) or ""
    lines = difflib.unified_diff(ast.unparse(before).splitlines() if before else [], after.splitlines(), n=0)
    changed = [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    return f"{each.variant.transformation.name}: {' '.join(line.strip() for line in changed)}"[:_LONGEST]
