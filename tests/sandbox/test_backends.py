"""The local sandbox passes the whole conformance suite: as root and as an unprivileged user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from sandbox.base import Execution, Program, Status
from sandbox.conformance import CHECKS, ConformanceFailure, check_sandbox, statuses
from sandbox.limits import Limits
from sandbox.local import LocalSandbox
from tests.sandbox.patience import grace_s

ROOT = Path(__file__).parents[2]
AT_ONCE = 6
COMPILED = [
    check.__name__ for check in (statuses.compile_errors, statuses.compiled_programs, statuses.hostile_compilations)
]
PARTS = pytest.mark.parametrize(
    "checks",
    [
        pytest.param([name for name in CHECKS if name not in COMPILED], id="python"),
        pytest.param(COMPILED, id="c", marks=pytest.mark.toolchain),
    ],
)


def sandbox() -> LocalSandbox:
    return LocalSandbox(workers=4 * AT_ONCE)


@PARTS
def test_the_local_sandbox_conforms(checks: Sequence[str]) -> None:
    report = check_sandbox(sandbox, only=checks, at_once=AT_ONCE, grace_s=grace_s(2.0))
    assert report.unsupported == {}


@pytest.fixture
def public_path() -> Iterator[Path]:
    """A folder that anybody may read. A checkout, an environment, and the folders of pytest may be closed to others."""
    with tempfile.TemporaryDirectory(prefix="trueward-public-", dir="/tmp") as folder:
        path = Path(folder)
        path.chmod(0o755)
        yield path


@PARTS
@pytest.mark.skipif(os.getuid() != 0, reason="whoever runs this is unprivileged already")
def test_the_local_sandbox_conforms_without_privileges(public_path: Path, checks: Sequence[str]) -> None:
    python = next(path for path in (Path("/usr/bin/python3"), Path(sys.executable).resolve()) if path.exists())
    packages = Path(sysconfig.get_path("purelib"))
    code = "import json, sys; from sandbox.conformance import check_sandbox; from sandbox.local import LocalSandbox\n"
    code += f"make = lambda: LocalSandbox(workers={4 * AT_ONCE})\n"
    code += f"print(check_sandbox(make, only=json.loads(sys.argv[1]), at_once={AT_ONCE}, grace_s={grace_s(2.0)}))"
    # only root can make device nodes: without it all programs have the host's
    checks = [name for name in checks if name != "shared_devices"]
    for source in (ROOT / "sandbox", *(packages / name for name in _needed(packages))):
        subprocess.run(["cp", "-r", source, public_path], check=True)
    done = subprocess.run(
        [python, "-c", code, json.dumps(checks)],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(public_path)},
        user=65534,
        group=65534,
        extra_groups=[],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"local: {len(checks)} checks" in done.stdout
    assert "unsupported" not in done.stdout


def _needed(packages: Path) -> list[str]:
    """What the sandbox imports from elsewhere."""
    names = ["pydantic", "pydantic_core", "annotated_types", "typing_inspection", "packaging", "yaml", "_yaml"]
    return [name for name in names if (packages / name).exists()] + ["typing_extensions.py"]


class _Swapped(LocalSandbox):
    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        one, two = await super().pair(first, second, limits)
        return two, one


class _BlamesTheStopped(LocalSandbox):
    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        one, two = await super().pair(first, second, limits)
        stopped = two.status is Status.STOPPED
        return one, Execution(Status.SIGNALLED, two.usage, signal=9) if stopped else two


class _ForgetsTheSecond(LocalSandbox):
    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        return await super().pair(first, Program("python", "pass"), limits)


@pytest.mark.parametrize(
    ("spoilt", "check", "told"),
    [
        (_Swapped, "second_ends", "it reads"),
        (_BlamesTheStopped, "first_ends", "expected stopped"),
        (_ForgetsTheSecond, "dialogue", "the one that asks"),
    ],
)
def test_a_fault_of_pairs_is_found(spoilt: type[LocalSandbox], check: str, told: str) -> None:
    with pytest.raises(ConformanceFailure, match=told):
        check_sandbox(spoilt, only=[check])
