"""What a program of every language does in a sandbox: one test each, run for the languages of a tier.

``programs/<language>.yaml`` has the programs; imported by the file of each tier. A language that cannot be used
here fails its tests and says why: install its tool chain with ``scripts/toolchains.sh``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path

import pytest
import pytest_asyncio
import yaml

from sandbox.base import Execution, Program, Sandbox, Status
from sandbox.base import run as run_once
from sandbox.conformance.bench import brief
from sandbox.limits import Limits
from sandbox.local import LocalSandbox

_PROGRAMS = Path(__file__).parent / "programs"
LIMITS = Limits(wall_s=10.0, cpu_s=10.0, memory_bytes=192 * 2**20, output_bytes=8 * 2**20)
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.toolchain]


@cache
def programs(language: str) -> dict[str, str]:
    """The programs of a language by name."""
    found: dict[str, str] = yaml.safe_load((_PROGRAMS / f"{language}.yaml").read_text(encoding="utf-8"))
    return found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    local = LocalSandbox(workers=1)
    yield local
    await local.close()


async def run(
    sandbox: Sandbox, language: str, name: str, *arguments: str, stdin: bytes = b"", limits: Limits = LIMITS
) -> Execution:
    program = Program(language, programs(language)[name], arguments=arguments)
    return await run_once(sandbox, program, limits, stdin)


async def test_it_says_hello(sandbox: Sandbox, language: str) -> None:
    execution = await run(sandbox, language, "hello")
    assert (execution.status, execution.stdout, execution.stderr) == (Status.FINISHED, b"hello\n", b"")


async def test_it_sums_what_it_reads(sandbox: Sandbox, language: str) -> None:
    numbers = range(-50, 2_000)
    execution = await run(sandbox, language, "sum", stdin="\n".join(map(str, numbers)).encode() + b"\n")
    assert (execution.status, execution.stdout) == (Status.FINISHED, f"{sum(numbers)}\n".encode()), brief(execution)


async def test_it_gets_its_arguments(sandbox: Sandbox, language: str) -> None:
    execution = await run(sandbox, language, "arguments", "a b$c", "second")
    assert (execution.status, execution.stdout) == (Status.FINISHED, b"a b$c 2\n"), brief(execution)


async def test_its_exit_code_is_told(sandbox: Sandbox, language: str) -> None:
    execution = await run(sandbox, language, "fail")
    assert (execution.status, execution.exit_code, execution.stderr) == (Status.NONZERO_EXIT, 3, b"bye\n")


async def test_a_crash_is_no_success(sandbox: Sandbox, language: str) -> None:
    execution = await run(sandbox, language, "crash")
    assert execution.status in (Status.NONZERO_EXIT, Status.SIGNALLED), brief(execution)


async def test_what_is_no_program_is_told_with_the_compilers_words(sandbox: Sandbox, language: str) -> None:
    execution = await run(sandbox, language, "broken")
    assert execution.status in (Status.COMPILE_ERROR, Status.NONZERO_EXIT), brief(execution)
    assert execution.stderr or execution.stdout


async def test_a_program_that_hangs_reaches_its_time_limit(sandbox: Sandbox, language: str) -> None:
    execution = await run(sandbox, language, "hang", limits=Limits(wall_s=1.0))
    assert execution.status is Status.TIME_LIMIT, brief(execution)


async def test_a_program_that_takes_all_memory_is_ended(sandbox: Sandbox, language: str) -> None:
    execution = await run(sandbox, language, "hog")
    ended = (Status.MEMORY_LIMIT, Status.NONZERO_EXIT, Status.SIGNALLED)
    assert execution.status in ended, brief(execution)
    assert execution.usage.peak_memory_bytes < 450 * 2**20


async def test_megabytes_of_output_come_through(sandbox: Sandbox, language: str) -> None:
    execution = await run(sandbox, language, "flood")
    assert execution.status is Status.FINISHED, brief(execution)
    assert execution.stdout.decode().split() == [f"{n:09}" for n in range(400_000)]
