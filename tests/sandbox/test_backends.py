"""The local sandbox passes the whole conformance suite: as root and as an unprivileged user."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from sandbox.base import Execution, Limits, Program, Status
from sandbox.conformance import CHECKS, ConformanceFailure, check_sandbox
from sandbox.local import LocalSandbox

ROOT = Path(__file__).parents[2]


def test_the_local_sandbox_conforms() -> None:
    report = check_sandbox(LocalSandbox)
    assert report.unsupported == {}


@pytest.mark.skipif(os.getuid() != 0, reason="whoever runs this is unprivileged already")
def test_the_local_sandbox_conforms_without_privileges(tmp_path: Path) -> None:
    # Copied: a checkout, and the interpreter of its environment, may lie where only root may read.
    python = next(path for path in (Path("/usr/bin/python3"), Path(sys.executable).resolve()) if path.exists())
    packages = Path(sysconfig.get_path("purelib"))
    code = "from sandbox.conformance import check_sandbox; from sandbox.local import LocalSandbox\n"
    code += "print(check_sandbox(LocalSandbox))"
    tmp_path.chmod(0o755)
    for source in (ROOT / "sandbox", *(packages / name for name in _needed(packages))):
        subprocess.run(["cp", "-r", source, tmp_path], check=True)
    with _reachable(tmp_path):
        done = subprocess.run(
            [python, "-c", code],
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path)},
            user=65534,
            group=65534,
            extra_groups=[],
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"local: {len(CHECKS)} checks" in done.stdout


class _reachable:  # noqa: N801 - used like the function it stands for
    """Lets others pass through the folders of pytest for a while."""

    def __init__(self, path: Path) -> None:
        self._modes = {folder: folder.stat().st_mode for folder in path.parents if folder.stat().st_mode & 0o001 == 0}

    def __enter__(self) -> None:
        for folder, mode in self._modes.items():
            folder.chmod(mode | 0o001)

    def __exit__(self, *_: object) -> None:
        for folder, mode in self._modes.items():
            folder.chmod(mode)


def _needed(packages: Path) -> list[str]:
    """What the sandbox imports from elsewhere."""
    names = ["pydantic", "pydantic_core", "annotated_types", "typing_inspection", "yaml", "_yaml"]
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
