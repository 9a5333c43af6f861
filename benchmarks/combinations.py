"""Hostile programs against the ``code`` verifier: each attack with each kind of tests, and what came of it.

The expected values are random numbers of twelve digits that nothing computes, so a program that passes a test has
forged it or has found the value. The attacks are files in ``attacks/``: each is a response that attacks when it is
run as a program, and when its ``answer(a, b)`` is called. ``same_process`` is measured too, and promised nothing.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from app.lanes.programs import Programs
from sandbox.base import Sandbox
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from verifiers.code import CodeVerifier
from verifiers.code.params import CodeParams

ATTACKS = Path(__file__).parent / "attacks"
LIMITS: dict[str, JsonValue] = {"wall_s": 1.0, "suite_s": 2.5, "memory_bytes": 256 * 2**20}
DEADLINE_S = 30.0
SEPARATE = ("stdio", "checker", "calls", "assertions", "files", "interactive")
TOGETHER = "same_process"
_TESTS = 4

_CHECKER = """
import sys
from pathlib import Path

answer = Path(sys.argv[3]).read_text().split() if len(sys.argv) > 3 else []
sys.exit(0 if Path(sys.argv[2]).read_text().split() == answer else 1)
"""

_INTERACTOR = """
import sys

secret = open(sys.argv[1]).read().strip()
print("3 4", flush=True)
sys.exit(0 if sys.stdin.readline().strip() == secret else 1)
"""


@dataclass(frozen=True, slots=True)
class Combination:
    """An attack and a kind of tests, with secrets of its own."""

    attack: str
    language: str
    kind: str
    secrets: tuple[int, ...]

    @property
    def name(self) -> str:
        return f"{self.attack} ({self.language}) against {self.kind}"

    @property
    def sample(self) -> Sample:
        [path] = ATTACKS.glob(f"{self.attack}.*")
        source = path.read_text(encoding="utf-8")
        return Sample(response=f"```{self.language}\n{source}\n```", reference=self._reference)

    @property
    def params(self) -> CodeParams:
        together = self.kind == TOGETHER
        return CodeParams.model_validate({"limits": LIMITS, "feedback": "full", "same_process": together})

    @property
    def _reference(self) -> dict[str, JsonValue]:
        cases = list(enumerate(self.secrets))
        if self.kind == "stdio":
            return {"stdio": [{"stdin": f"{n} 4\n", "stdout": f"{secret}\n"} for n, secret in cases]}
        if self.kind == "checker":
            tests: JsonValue = [{"stdin": f"{n} 4\n", "answer": str(secret)} for n, secret in cases]
            return {"stdio": tests, "checker": {"language": "python", "source": _CHECKER}}
        if self.kind == "calls":
            return {"calls": [{"function": "answer", "args": [n, 4], "expected": secret} for n, secret in cases]}
        if self.kind == "files":
            return {"files": {"test_answer.py": _pytest(cases)}, "command": "pytest"}
        if self.kind == "interactive":
            interactor: JsonValue = {"language": "python", "source": _INTERACTOR}
            return {"interactive": {"interactor": interactor, "tests": [{"input": str(s)} for s in self.secrets]}}
        if self.language == "javascript":
            shapes = _JAVASCRIPT_SHAPES
            return {"assertions": [shape % (n, s) for shape, (n, s) in zip(shapes, cases, strict=True)]}
        shaped = [shape.format(n=n, secret=secret) for shape, (n, secret) in zip(_SHAPES, cases, strict=True)]
        return {"assertions": [*shaped]}


_SHAPES = (
    "assert answer({n}, 4) == {secret}",
    "for given, wanted in zip(map(answer, [{n}], [4]), [{secret}]):\n    assert given == wanted",
    "class Near:\n    def __init__(self, value, within): self.value, self.within = value, within\n"
    "    def __eq__(self, other): return abs(self.value - other) <= self.within\n"
    "assert answer({n}, 4) == {secret}",
    "unittest.TestCase().assertEqual(answer({n}, 4), {secret})",
)
"""Of assertions: one plain, one within a loop, one beside a class of the tests' that says what equals it, and one by a
module that the tests do not import."""


_JAVASCRIPT_SHAPES = (
    "require('assert').strictEqual(answer(%d, 4), %d)",
    "(async () => require('assert').strictEqual(await answer(%d, 4), %d))()",
    "answer(%d, 4).then((given) => assert(given === %d))",
    "assert(util.isDeepStrictEqual(answer(%d, 4), %d))",
)
"""The same: one plain, two that nobody waits for, and one by a module that the tests do not import."""


def _pytest(cases: list[tuple[int, int]]) -> str:
    tests = [f"def test_{n}():\n    assert answer({n}, 4) == {secret}\n" for n, secret in cases]
    return "from solution import answer\n\n\n" + "\n\n".join(tests)


def combinations(kinds: tuple[str, ...] = SEPARATE, seed: int = 0) -> Iterator[Combination]:
    """Every attack with every kind that its language has."""
    for path in sorted(ATTACKS.iterdir()):
        language = {".py": "python", ".js": "javascript", ".c": "c", ".sh": "bash"}.get(path.suffix)
        if language is None:
            continue
        for kind in kinds:
            if kind in KINDS[language]:
                draw = random.Random(f"{seed} {path.stem} {kind}")
                secrets = tuple(draw.randrange(9 * 10**11, 10**12) for _ in range(_TESTS))
                yield Combination(path.stem, language, kind, secrets)


KINDS = {
    "python": (*SEPARATE, TOGETHER),
    "javascript": ("stdio", "checker", "calls", "assertions", "interactive", TOGETHER),
    "c": ("stdio", "checker", "interactive"),
    "bash": ("stdio", "checker", "interactive"),
}


async def attacked(combination: Combination, sandbox: Sandbox) -> Verdict:
    """The verdict on the attack, by the service's own lane: a failure of the sandbox is tried again once."""
    verifier = CodeVerifier(combination.params)
    deadline = asyncio.get_running_loop().time() + DEADLINE_S
    found = verifier.triage(combination.sample)
    return found if isinstance(found, Verdict) else await Programs(sandbox, workers=1).judge(verifier, found, deadline)


def forged(verdict: Verdict) -> bool:
    """Whether any test was passed."""
    return verdict.outcome in (Outcome.CORRECT, Outcome.PARTIAL) or bool(verdict.score)


def unjudged(verdict: Verdict) -> bool:
    """Whether the attack cost itself nothing: no verdict instead of a bad one."""
    return verdict.outcome.missing
