"""``python``: a function ``grade(sample, item)`` of the caller's, run in the sandbox.

Whose doing a failure is: the grader and the item are the same for all responses to a prompt, so what goes wrong once
the response was read is the response's (``invalid``): it raises, hangs, exhausts memory or returns no number. What goes
wrong before, while the source is loaded, is the caller's (``abstained``). The sandbox's own failures are ours.

Not covered: packages beside the sandbox's Python (OpenAI's image has NumPy and others), and a grader that runs what the
response says: it gives the response its own rights, also to the result.
"""

from __future__ import annotations

import ast
import json
import warnings
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue, field_validator

from judges.base import ModelFailure, Models, ModelUnavailable
from judges.grader.grade import Grade, GraderObject
from judges.grader.subject import Subject, Unfit
from sandbox.base import Execution, Program, Status
from sandbox.limits import Limits
from trueward.authoring.verifier import Abstain

LONGEST = 256_000
LIMITS = Limits(wall_s=20.0, cpu_s=20.0, memory_bytes=2 * 2**30, disk_bytes=2**30)
"""OpenAI gives two minutes; here a request has half a minute by default, and a grader that is still at it then would
give a missing score, which a policy can want."""

_EXHAUSTED = {
    Status.TIME_LIMIT: f"{LIMITS.wall_s:g} seconds",
    Status.MEMORY_LIMIT: "its memory",
    Status.OUTPUT_LIMIT: "its output",
}


class NoSandbox(ModelFailure):
    """The sandbox could not run the grader."""

    code = "sandbox_failed"


class PythonGrader(GraderObject):
    """``image_tag`` is taken and does nothing: it names an image of OpenAI's."""

    type: Literal["python"]
    source: str = Field(min_length=1, max_length=LONGEST)
    image_tag: str | None = Field(None, max_length=256)
    pass_threshold: float | None = None

    @field_validator("source")
    @classmethod
    def _compiles(cls, source: str) -> str:
        try:
            with warnings.catch_warnings(action="ignore"):
                ast.parse(source)
        except SyntaxError as wrong:
            raise ValueError(f"line {wrong.lineno}: {wrong.msg}") from wrong
        except (ValueError, RecursionError, MemoryError) as wrong:
            raise ValueError(f"the source cannot be read: {wrong}") from wrong
        return source

    async def grade(self, subject: Subject, models: Models) -> Grade:
        program = Program("python", _runner(), files={"grader.py": self.source.encode()})
        stdin = json.dumps({"sample": subject.sample, "item": {} if subject.item is None else subject.item})
        try:
            done = await models.run(program, LIMITS, stdin.encode())
        except ModelUnavailable as failure:
            raise NoSandbox(str(failure)) from failure
        reward = _result(done)
        return Grade(reward, f"grade returned {reward:.4g}").apply_threshold(self.pass_threshold)


def _result(done: Execution) -> float:
    told = _told(done.stdout)
    grade = told.get("grade")
    if isinstance(grade, (int, float)) and done.status is Status.FINISHED:
        return float(grade)
    exhausted = _EXHAUSTED.get(done.status)
    ended = f"it exhausted {exhausted}" if exhausted else f"it ended without a grade ({done.status.value})"
    if "loaded" not in told:
        raise Abstain("grader_broken", f"the grader cannot be loaded: {told.get('broken', ended)}"[:500])
    if exhausted:
        raise Unfit("resource_limit", f"grading this response, {ended}")
    raise Unfit("grader_failed", f"the grader failed on this response: {told.get('failed', ended)}"[:500])


def _told(stdout: bytes) -> dict[str, JsonValue]:
    """What the runner told, all lines in one."""
    found: dict[str, JsonValue] = {}
    for line in stdout.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            continue
        found |= said if isinstance(said, dict) else {}
    return found


@cache
def _runner() -> str:
    return Path(__file__).with_name("runner.py").read_text(encoding="utf-8")
