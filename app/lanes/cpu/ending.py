"""What a worker's end means for the item that it was judging: promise 1, as a pure function.

The response is charged (``invalid: resource_limit``) only for what it used up itself after the reference had
been read; the reference's own excess abstains; a crash is ours. What another cause could explain (wall clock,
a crash, memory in a worker that has judged before) is believed only when it happens again, alone, in a fresh
worker.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pydantic import JsonValue

from app.lanes.cpu.progress import Stage
from trueward.wire.verdict import Verdict


class Cause(StrEnum):
    """Why a worker had to be replaced; the keys of the pool's restart counts."""

    CPU = "cpu_limit"
    WALL = "wall_limit"
    MEMORY = "memory_limit"
    CRASH = "crash"
    UNRESPONSIVE = "unresponsive"
    RECYCLED = "recycled"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Ending:
    """Why the worker ended, and the seconds that the item's last stage had used by then, as far as is known.

    ``starved``: the host kept the worker from running for most of them.
    """

    cause: Cause
    stage: Stage
    cpu_s: float = 0.0
    wall_s: float = 0.0
    starved: bool = False


_LIMITS = {Cause.CPU: "cpu_s", Cause.WALL: "wall_s", Cause.MEMORY: "memory_bytes"}


def judge(ending: Ending, earlier: set[Cause]) -> Verdict | None:
    """The verdict on the running item, or None: run it once more, alone in a fresh worker.

    ``earlier``: the causes that ended workers under this item before.
    """
    if not (_certain(ending) or ending.cause in earlier):
        return None
    if ending.starved:
        return Verdict.error(
            "worker_starved",
            f"the host let a worker run for too little of {ending.wall_s:.0f} s, twice",
            elapsed_s=ending.wall_s,
        )
    if ending.cause in _LIMITS:
        return report_exhaustion(ending.stage, _LIMITS[ending.cause], ending.cpu_s, ending.wall_s)
    return Verdict.error(
        "worker_crashed", "the worker process died twice while judging this sample", elapsed_s=ending.wall_s
    )


def _certain(ending: Ending) -> bool:
    return ending.cause is Cause.CPU or (
        ending.cause is Cause.WALL and ending.stage is not Stage.CHECK and not ending.starved
    )


def report_exhaustion(stage: Stage, limit: str, cpu_s: float, wall_s: float) -> Verdict:
    """The verdict on an item that used up ``limit`` in ``stage``, with the seconds used as evidence."""
    used = f"{cpu_s:.3g} CPU seconds, {wall_s:.3g} s in all"
    evidence: dict[str, JsonValue] = {"limit": limit, "cpu_s": round(cpu_s, 6), "wall_s": round(wall_s, 6)}
    if stage is Stage.CHECK:
        return Verdict.invalid(
            "resource_limit",
            f"judging this response used up its {limit} ({used})",
            evidence=evidence,
            elapsed_s=wall_s,
        )
    if stage is Stage.PREPARE:
        return Verdict.abstained(
            "reference_resource_limit",
            f"reading this reference used up its {limit} ({used})",
            evidence=evidence,
            elapsed_s=wall_s,
        )
    return Verdict.error(
        "verifier_crashed",
        f"loading the verifier used up its {limit} ({used})",
        evidence=evidence,
        elapsed_s=wall_s,
    )
