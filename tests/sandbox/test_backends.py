"""The local sandbox passes the whole conformance suite: as root and as an unprivileged user."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.base import Execution, Limits, Program, Status
from sandbox.conformance import CHECKS, ConformanceFailure, check_sandbox
from sandbox.local import LocalSandbox

ROOT = Path(__file__).parents[2]


def test_the_local_sandbox_conforms() -> None:
    report = check_sandbox(LocalSandbox)
    assert report.unsupported == {}


@pytest.fixture
def public_path() -> Iterator[Path]:
    """A folder that anybody may read. A checkout, an environment, and the folders of pytest may be closed to others."""
    with tempfile.TemporaryDirectory(prefix="trueward-public-", dir="/tmp") as folder:
        path = Path(folder)
        path.chmod(0o755)
        yield path


@pytest.mark.skipif(os.getuid() != 0, reason="whoever runs this is unprivileged already")
def test_the_local_sandbox_conforms_without_privileges(public_path: Path) -> None:
    python = next(path for path in (Path("/usr/bin/python3"), Path(sys.executable).resolve()) if path.exists())
    packages = Path(sysconfig.get_path("purelib"))
    code = "from sandbox.conformance import check_sandbox; from sandbox.local import LocalSandbox\n"
    code += "print(check_sandbox(LocalSandbox))"
    for source in (ROOT / "sandbox", *(packages / name for name in _needed(packages))):
        subprocess.run(["cp", "-r", source, public_path], check=True)
    done = subprocess.run(
        [python, "-c", code],
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
    assert f"local: {len(CHECKS)} checks" in done.stdout


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
