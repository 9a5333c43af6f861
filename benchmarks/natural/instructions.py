"""The part of instructions: published responses, each with the official checker's verdicts, strict and loose."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

from benchmarks.contest import Case
from benchmarks.natural.part import Item, Part, Row
from trueward.wire.sample import Sample
from verifiers.instructions import InstructionsVerifier
from verifiers.instructions.verifier import InstructionsParams

MODES = ("strict", "loose")


def items(rows: Sequence[Row]) -> list[Item]:
    """An item a constraint and mode; its references are the mode, the prompt and the constraint as JSON."""
    found: list[Item] = []
    for row in rows:
        for mode in MODES:
            for name, kwargs, official in zip(row["instruction_id_list"], row["kwargs"], row[mode], strict=True):
                constraint = json.dumps({"instruction_id_list": [name], "kwargs": [kwargs]})
                case = Case(row["response"], (mode, row["prompt"], constraint))
                found.append(Item(f"{mode} {name.partition(':')[0]}", bool(official), case))
    return found


@cache
def _verifier(mode: str) -> InstructionsVerifier:
    return InstructionsVerifier(InstructionsParams(loose=mode == "loose"))


def trueward(response: str, references: Sequence[str]) -> bool | None:
    mode, prompt, constraint = references
    sample = Sample(prompt=prompt, response=response, reference=json.loads(constraint))
    (verdict,) = _verifier(mode).verify([sample])
    return None if verdict.score is None else verdict.score == 1.0


PART = Part(
    "instructions",
    "instructions_ifbench.jsonl",
    "of IFBench's official checker (Apache-2.0)",
    items,
    {"Trueward": "benchmarks.natural.instructions:trueward"},
)
