"""The sandbox itself, for clients that grade by themselves: languages, and other servers' code protocols.

They are native paths: they go straight to the sandbox lane, under the same keys, back-pressure and metrics as
the one path, and nothing of them is recorded, for no reward is made here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from itertools import islice

from fastapi import APIRouter
from pydantic import JsonValue

from app.admission.demand import Demand
from app.http.operation import Operation
from app.http.route import BodyRoute
from app.keys.admission import Scorer, Viewer
from app.kit.problems import PROBLEMS
from app.kit.tokens import new_id
from app.path.path import Path
from app.protocols.sandboxes import open_instruct, sandbox_fusion
from app.protocols.sandboxes.schemas import LanguageList, LanguageView
from app.state import MetricsDep, PathDep, ProgramsDep
from app.telemetry.metrics import Metrics
from sandbox.base import SandboxFailure, Unsupported
from sandbox.languages import languages as known_languages
from trueward.errors import Unavailable
from trueward.wire.sample import Sample


class ProgramRoute(BodyRoute):
    """A program whose client has gone is ended."""

    strict = False
    goes_with_client = True


router = APIRouter(route_class=Operation, tags=["programs"], responses=PROBLEMS)
foreign = APIRouter(route_class=ProgramRoute, tags=["programs"], responses=PROBLEMS)

HELD_S = 600.0
"""Seconds that a program waits for room before its request is refused after all."""


@router.get("/v1/languages")
async def list_languages(programs: ProgramsDep, key: Viewer) -> LanguageList:
    """Every programming language, and for each that cannot be used here the reason."""
    reasons = await programs.sandbox.languages()
    views = [LanguageView.of(language, reasons.get(name, "")) for name, language in known_languages().items()]
    return LanguageList(sandbox=programs.sandbox.name, languages=views)


@foreign.post("/run_code")
async def run_code(
    body: sandbox_fusion.RunCode, path: PathDep, programs: ProgramsDep, metrics: MetricsDep, key: Scorer
) -> sandbox_fusion.RunCodeAnswer:
    """SandboxFusion's: runs a program. What fails on our side is ``SandboxError``."""
    program, limits = sandbox_fusion.parse(body)
    until = _hold_until()
    demand = Demand(new_id(), project=key.project)
    async with path.gate.enter(key.owner, key.project, 1, hold_until=until):
        try:
            async with asyncio.timeout_at(until):
                stdin = (body.stdin or "").encode(errors="replace")
                compiled, done = await programs.run(program, limits, stdin, demand)
        except TimeoutError:
            metrics.count_program("sandbox_fusion", "failed")
            return sandbox_fusion.report_failure(f"the program had no place to run for {HELD_S:g} s")
        except (SandboxFailure, Unsupported) as failure:
            metrics.count_program("sandbox_fusion", "failed")
            return sandbox_fusion.report_failure(str(failure)[:300])
    metrics.count_program("sandbox_fusion", done.status.value)
    return sandbox_fusion.render(compiled, done)


@foreign.post("/test_program")
async def test_program(
    body: open_instruct.TestProgram, path: PathDep, metrics: MetricsDep, key: Scorer
) -> open_instruct.TestResults:
    """open-instruct's: a Python program against assertions, 0 or 1 for each."""
    demand = Demand(new_id(), project=key.project)
    async with path.gate.enter(key.owner, key.project, 1, hold_until=_hold_until()):
        return await _tested(body, "assertions", open_instruct.assertions(body), path, metrics, demand)


@foreign.post("/test_program_stdio")
async def test_program_stdio(
    body: open_instruct.TestProgram, path: PathDep, metrics: MetricsDep, key: Scorer
) -> open_instruct.TestResults:
    """open-instruct's: a Python program against inputs and outputs, 0 or 1 for each."""
    demand = Demand(new_id(), project=key.project)
    async with path.gate.enter(key.owner, key.project, 1, hold_until=_hold_until()):
        return await _tested(body, "stdio", open_instruct.stdio(body), path, metrics, demand)


async def _tested(
    body: open_instruct.TestProgram,
    kind: str,
    tests: list[JsonValue],
    path: Path,
    metrics: Metrics,
    demand: Demand,
) -> open_instruct.TestResults:
    """Each different test once.

    Raises InvalidRequest for tests that cannot be run, and :class:`Unavailable` where the sandbox could not say.
    """
    from verifiers.code import CodeVerifier
    from verifiers.code.params import CodeParams

    texts = [json.dumps(test) for test in tests]
    different = dict(zip(texts, tests, strict=True))
    found: dict[str, tuple[int, float]] = {}
    for batch in split_batches(different, open_instruct.AT_ONCE):
        verifier = CodeVerifier(CodeParams.model_validate(open_instruct.params(body, len(batch))))
        sample = Sample(response=body.program, reference={kind: [different[text] for text in batch]})
        verdict = await path.judge_apart(verifier, sample, _hold_until(), demand)
        metrics.count_program("open_instruct", verdict.outcome.value)
        if open_instruct.refuses_tests(verdict):
            raise open_instruct.refusal("tests", f"{verdict.reason_code}: {verdict.reason}")
        if verdict.outcome.missing:
            raise Unavailable(f"the program could not be tested: {verdict.reason_code}: {verdict.reason}")
        found.update(zip(batch, open_instruct.outcomes(verdict, len(batch)), strict=True))
    passed = [found[text] for text in texts]
    return open_instruct.TestResults(results=[one for one, _ in passed], runtimes=[s for _, s in passed])


def _hold_until() -> float:
    """The loop's time until which a program may wait and run, for clients that take a refusal for a failure."""
    return asyncio.get_running_loop().time() + HELD_S


def split_batches(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    rest = iter(texts)
    while batch := list(islice(rest, size)):
        yield batch
