"""The bench at which a judge's tools lie: programs run in the sandbox, expressions are compared in this process.

Code and expressions were written by a judge that has read hostile material: both are run as hostile, and what comes of
them is material. Programs of one verdict share ``seconds``, so that no response can make a judge run out the request.
Comparing takes the ``math`` verifier's own exact comparison, which is linear and bounded; what it cannot decide alone
is left undecided, for algebra systems run in killable workers and not here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from judges.asking import Material
from judges.base import Models
from judges.tooled.action import Tool
from sandbox.base import Execution, Program, Status
from sandbox.limits import Limits
from trueward.authoring.verifier import Abstain
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from verifiers.extract import Policy
from verifiers.legible import legible, shorten
from verifiers.math import MathVerifier
from verifiers.math.verifier import MathParams

_LEAST_S = 0.1
_SHOWN = 4000
"""Characters of a program's output that the judge is shown, and as many of its errors."""
_LONGEST_EXPRESSION = 1000
_EQUALITY = MathVerifier(MathParams(extract=Policy.WHOLE, rounding=False))
_SAID = {Outcome.CORRECT: "equal", Outcome.INCORRECT: "different"}


@dataclass(frozen=True, slots=True)
class Observation:
    """``status`` is ours, what was written is the program's."""

    status: str
    output: str = ""
    errors: str = ""

    def __str__(self) -> str:
        """For the judge."""
        parts = [f"The result: {self.status}."]
        parts += [
            str(Material(name, text)) for name, text in (("OUTPUT", self.output), ("ERRORS", self.errors)) if text
        ]
        return "\n".join(parts)


@dataclass(slots=True)
class Bench:
    """``trace`` has each call with what came of it; ``spent_s`` is what the programs took."""

    models: Models
    seconds: float
    trace: list[dict[str, JsonValue]] = field(default_factory=list)
    spent_s: float = 0.0

    async def use(self, tool: Tool, arguments: Sequence[str], thought: str) -> Observation:
        """Raises :class:`judges.base.SandboxUnavailable` where there is no sandbox, or it fails."""
        if tool == "python":
            [code] = arguments
            found = await self._run(legible(code))
            called: dict[str, JsonValue] = {"code": legible(code)}
        else:
            left, right = arguments
            found = compare_expressions(left, right)
            called = {"left": legible(left), "right": legible(right)}
        told: dict[str, JsonValue] = {
            "status": found.status,
            "output": shorten(found.output),
            "errors": shorten(found.errors),
        }
        self.trace.append({"thought": shorten(thought), "action": tool, **called, **told})
        return found

    async def _run(self, code: str) -> Observation:
        left_s = self.seconds - self.spent_s
        if left_s < _LEAST_S:
            return Observation("not run, for no time is left for programs")
        limits = Limits(wall_s=left_s, cpu_s=left_s, output_bytes=2**16, processes=16)
        execution = await self.models.run(Program("python", code), limits)
        self.spent_s += execution.usage.wall_s
        return Observation(_status(execution), _cut(execution.stdout), _cut(execution.stderr))


def compare_expressions(left: str, right: str) -> Observation:
    """Whether two expressions are exactly equal, as far as that is decided without an algebra system."""
    if max(len(left), len(right)) > _LONGEST_EXPRESSION:
        return Observation(f"undecided, for an expression has more than {_LONGEST_EXPRESSION} characters")
    try:
        found = _EQUALITY.triage(Sample(response=left, reference=right))
    except (Abstain, MemoryError, RecursionError):
        return Observation("undecided, for the right side cannot be read")
    if not isinstance(found, Verdict):
        return Observation("undecided: it takes an algebra system")
    return Observation(_SAID.get(found.outcome, "undecided, for an expression cannot be read"))


def _status(execution: Execution) -> str:
    if execution.status is Status.NONZERO_EXIT:
        return f"{execution.status.value} {execution.exit_code}"
    return execution.status.value + (", and its output is cut" if execution.truncated else "")


def _cut(written: bytes) -> str:
    """Its beginning and its end."""
    text = legible(written.decode("utf-8", "replace"))
    if len(text) <= _SHOWN:
        return text
    left_out = len(text) - _SHOWN
    return f"{text[: _SHOWN // 2]}\n[... {left_out} characters are left out ...]\n{text[-_SHOWN // 2 :]}"
