"""``trueward verify --check-references``: which references of a data set a verifier cannot read, ahead of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import typer
from pydantic import JsonValue

from trueward.commands.exits import ExitCode
from trueward.commands.jsonl import read_samples
from trueward.commands.report import add_row, bar, new_table, show, show_json
from trueward.commands.scorer import Scoring, score
from trueward.commands.verifiers import find_verifier
from trueward.wire.reward import Reward
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import GROUP_VERIFIERS

_ANSWER = "```python\npass\n```\nThe answer is \\boxed{0}."
"""A response in which every verifier finds something to judge, so that it comes to read the reference."""
_LINES_SHOWN = 5


@dataclass(frozen=True)
class Unreadable:
    """A row without a verdict: its number among the rows, from 1, and why."""

    row: int
    reason_code: str
    reason: str


def check_references(file: str, scoring: Scoring, url: str | None, as_json: bool) -> ExitCode:
    """Reads the references of all rows with a verifier; nothing is asked of a model.

    0: all can be read; 1: some cannot; 3: of some it could not be told.
    """
    assert scoring.verifier is not None
    info = find_verifier(scoring.verifier, url)
    if info.reference is None:
        raise typer.BadParameter(f"{info.name} reads no references", param_hint="--check-references")
    if info.lane == "model" or info.name in GROUP_VERIFIERS:
        asks = "asks models" if info.lane == "model" else "compares the responses of a group"
        raise typer.BadParameter(
            f"{info.name} {asks}: it has to meet real responses, so score some", param_hint="--check-references"
        )
    rows = read_samples(file)
    with bar(len(rows)) as progress:
        results = score([_probe(row) for row in rows], scoring, url, progress)
    wrong = _with(results, "abstained")
    unchecked = [*_with(results, "timeout"), *_with(results, "error")]
    if as_json:
        show_json(
            {
                "rows": len(rows),
                "unreadable": [vars(one) for one in wrong],
                "unchecked": [vars(one) for one in unchecked],
            }
        )
    else:
        _show(len(rows), wrong, unchecked)
    if wrong:
        return ExitCode.REJECTED
    return ExitCode.MISSING if unchecked else ExitCode.ACCEPTED


def _probe(row: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The row with our response in the place of its own, of which nothing is asked here."""
    asked = ("prompt", "reference", "metadata")
    return {**{name: row[name] for name in asked if name in row}, "response": _ANSWER}


def _with(results: Sequence[Verdict | Reward], outcome: str) -> list[Unreadable]:
    return [
        Unreadable(number, result.reason_code, result.reason)
        for number, result in enumerate(results, 1)
        if result.outcome == outcome
    ]


def _show(rows: int, wrong: Sequence[Unreadable], unchecked: Sequence[Unreadable]) -> None:
    typer.echo(f"{rows - len(wrong) - len(unchecked)} of {rows} references can be read.")
    by_code: dict[str, list[Unreadable]] = {}
    for one in (*wrong, *unchecked):
        by_code.setdefault(one.reason_code, []).append(one)
    if not by_code:
        return
    table = new_table("reason_code", "rows", "the first of them", "why, of the first")
    for code, found in sorted(by_code.items(), key=lambda item: -len(item[1])):
        first = ", ".join(str(one.row) for one in found[:_LINES_SHOWN])
        add_row(table, code, str(len(found)), first, found[0].reason)
    show(table)
