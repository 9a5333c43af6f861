"""Do verdicts agree with what programs are? Right programs have to be ``correct``, buggy ones must not be.

``python -m benchmarks.agreement [--short | --long]``. Each problem of ``benchmarks/programs``, right and buggy, in each
form that its tests have (:mod:`benchmarks.problems`); ``same_process`` is there to compare with. The long form does
it on Docker too, the short one takes every fortieth problem.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from benchmarks.problems import FORMS, Problem, problems
from benchmarks.report import Aim, called, finish, rows, show_aims
from benchmarks.sandbox import IMAGE, WORKERS
from sandbox.base import Sandbox
from sandbox.docker import DockerSandbox
from sandbox.local import LocalSandbox
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from verifiers.code import CodeVerifier
from verifiers.code.params import CodeParams

LIMITS: dict[str, JsonValue] = {"wall_s": 2.0, "suite_s": 6.0}
_LEAST = 0.999


@dataclass(frozen=True, slots=True)
class Disagreement:
    program: str
    right: bool
    verdict: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """Programs judged in one form on one backend, and those that were judged wrongly."""

    programs: int
    disagreements: tuple[Disagreement, ...]

    @property
    def share(self) -> float:
        return 1 - len(self.disagreements) / self.programs

    @property
    def passed(self) -> tuple[Disagreement, ...]:
        """Buggy programs that passed."""
        return tuple(one for one in self.disagreements if not one.right)


async def agreement(sandbox: Sandbox, form: str, chosen: Sequence[Problem]) -> Agreement:
    places = asyncio.Semaphore(WORKERS)

    async def judge(problem: Problem, right: bool) -> Disagreement | None:
        async with places:
            verdict = await judged(sandbox, problem, form, right)
        if (verdict.outcome is Outcome.CORRECT) is right:
            return None
        said = f"{verdict.outcome} {verdict.reason_code}: {verdict.reason}; {verdict.feedback}"
        return Disagreement(f"{problem.topic}/{problem.name}", right, said[:600])

    cases = [(problem, right) for problem in chosen if problem.reference(form) for right in (True, False)]
    found = await asyncio.gather(*(judge(*case) for case in cases))
    return Agreement(len(cases), tuple(one for one in found if one is not None))


async def judged(sandbox: Sandbox, problem: Problem, form: str, right: bool) -> Verdict:
    """The verdict on one program by one form of its tests."""
    verifier = CodeVerifier(
        CodeParams.model_validate({"limits": LIMITS, "feedback": "full", "same_process": form == "same_process"})
    )
    program = problem.program(right, form)
    task = verifier.triage(Sample(response=f"~~~{problem.language}\n{program}\n~~~", reference=problem.reference(form)))
    return task if isinstance(task, Verdict) else await verifier.execute(task, sandbox)


async def measure(backends: Sequence[str], chosen: Sequence[Problem]) -> dict[str, dict[str, Agreement]]:
    found: dict[str, dict[str, Agreement]] = {}
    for backend in backends:
        sandbox: Sandbox = LocalSandbox(workers=WORKERS) if backend == "local" else DockerSandbox(IMAGE, warm=WORKERS)
        try:
            found[backend] = {form: await agreement(sandbox, form, chosen) for form in FORMS}
        finally:
            await sandbox.close()
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("agreement", (__doc__ or "").partition("\n")[0], arguments)
    backends = ("local", "docker") if call.form == "long" else ("local",)
    chosen = list(problems())[:: 40 if call.form == "short" else 1]
    found = asyncio.run(measure(backends, chosen))
    body = [
        [backend, *(f"{each.programs - len(each.disagreements)} of {each.programs}" for each in by_form.values())]
        for backend, by_form in found.items()
    ]
    rows("Programs judged as they are, by form of tests", ["backend", *FORMS], body)
    for backend, by_form in found.items():
        for form, each in by_form.items():
            for one in each.disagreements:
                print(f"{backend}, {form}: {'right' if one.right else 'buggy'} {one.program}: {one.verdict}")
    forms = [each for by_form in found.values() for form, each in by_form.items() if form != "same_process"]
    stdio = [by_form["stdio"] for by_form in found.values()]
    apart = [by_form[form] for by_form in found.values() for form in ("assertions", "pytest")]
    least = min(each.share for each in apart)
    aims = [
        Aim(
            "right and buggy programs are judged as they are, by assertions in another process",
            "99.9%",
            f"{least:.1%} in the worst of {len(apart)} tables",
            least >= _LEAST,
            "objects that cross two processes",
        )
    ]
    show_aims(aims)
    claims = {
        "no buggy program is passed": not any(each.passed for each in forms),
        "by standard input every program is judged as it is": not any(each.disagreements for each in stdio),
    }
    scale = {"problems": len(chosen), "backends": backends, "wall_s": LIMITS["wall_s"]}
    finish("agreement", call, {"scale": scale, "aims": aims, "agreement": found}, claims)


if __name__ == "__main__":
    main()
