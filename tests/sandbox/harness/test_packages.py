"""pytest in the sandbox is the service's own: whatever interpreter there is, for the tests alone, in both backends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator

import pytest

from sandbox.base import Sandbox
from sandbox.docker import DockerSandbox
from sandbox.harness import candidate_program, command_program, read_results
from sandbox.harness.packages import packages
from sandbox.limits import Limits
from sandbox.local import LocalSandbox
from tests.sandbox.docker.engines import IMAGE

BARE = "/usr/bin/python3"
"""Debian's, which has no pytest of its own here."""
TESTS = b"""
import pytest, sys
from solution import double, path

def test_whose_it_is():
    assert pytest.__file__.startswith("/opt/trueward/pytest/")

@pytest.mark.parametrize("n", [1, 2])
def test_double(n):
    assert double(n) == 2 * n

def test_the_program_has_it_not():
    assert not [folder for folder in path() if "pytest" in folder]

def test_wrong():
    assert double(3) == 7
"""
SOLUTION = "import sys\ndef double(n): return 2 * n\ndef path(): return list(sys.path)\n"


def test_they_are_pure_python_and_complete() -> None:
    assert {"pytest", "_pytest", "pluggy"} < set(packages())
    files = [file for path in packages().values() for file in ([path] if path.is_file() else path.rglob("*"))]
    assert not [file for file in files if file.suffix in (".so", ".pyd")]
    parents = {str(path.parent) for path in packages().values()}
    code = f"import sys; sys.path += {sorted(parents)}; import pytest; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    foreign = {name.partition(".")[0] for name in ran.stdout.split()} - sys.stdlib_module_names - {"__main__"}
    assert foreign - {"__mp_main__"} <= {name.removesuffix(".py") for name in packages()}


@pytest.fixture(params=["base", "bare", pytest.param("docker", marks=pytest.mark.image)])
async def sandbox(request: pytest.FixtureRequest) -> AsyncIterator[Sandbox]:
    made: Sandbox
    if request.param == "docker":
        made = DockerSandbox(IMAGE, warm=1)
    else:
        made = LocalSandbox(python=BARE if request.param == "bare" else None)
    yield made
    await made.close()


async def test_pytest_runs_without_any_set_up(sandbox: Sandbox) -> None:
    tests = command_program("python", {"test_double.py": TESTS}, "pytest", 10.0)
    ended, _ = await sandbox.pair(tests, candidate_program("python", SOLUTION), Limits(wall_s=20.0))
    statuses = {result.name.partition("::")[2]: str(result.status) for result in read_results(ended)}
    assert statuses == {
        "test_whose_it_is": "passed",
        "test_double[1]": "passed",
        "test_double[2]": "passed",
        "test_the_program_has_it_not": "passed",
        "test_wrong": "failed",
    }
