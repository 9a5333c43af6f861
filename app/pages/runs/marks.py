"""What is marked in a run: what was recorded of it, and its policy's checkpoints."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue

from app.pages.runs.drawing import checkpoints
from app.pages.runs.views import MarkRow
from app.runs.series import Series, SeriesRepository
from trueward.wire.run import Run

MARKS = 50


async def marks_of(repository: SeriesRepository, run: Run, series: Series | None) -> list[MarkRow]:
    """With the step that the run was at, by step."""
    told = run.marks[-MARKS:]
    moments = [datetime.fromisoformat(str(mark["at"])) for mark in told]
    steps = await repository.steps_at(run.id, moments)
    found = [
        MarkRow(kind=str(mark["kind"]), text=_text(mark), step=step, at=at)
        for mark, step, at in zip(told, steps, moments, strict=True)
    ]
    every = [*found, *(checkpoints(series) if series is not None else [])]
    return sorted(every, key=lambda mark: -1 if mark.step is None else mark.step)


def _text(mark: dict[str, JsonValue]) -> str:
    """A mark in words."""
    if mark["kind"] == "verifier_version":
        return f"{mark.get('verifier')} {mark.get('from')} to {mark.get('to')}"
    if mark["kind"] == "model_reported":
        return f"{mark.get('model')} says it is {mark.get('to')}"
    if mark["kind"] == "pin":
        moved = "" if mark.get("from") == mark.get("to") else f"recipe {str(mark.get('to'))[:15]}, "
        return f"{moved}{'strict, ' if mark.get('strict') else ''}{mark.get('reason')}"
    return str(mark["kind"])
