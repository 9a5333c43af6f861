"""The files that a container gets, with no engine."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from pathlib import Path

from sandbox.docker.harness import archive


def test_the_runner_starts_from_its_archive_alone(tmp_path: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(archive())) as packed:
        packed.extractall(tmp_path, filter="data")
    start = "import sys; sys.path.insert(0, sys.argv[1]); import runner.main, runner.process"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", start, str(tmp_path / "docker")], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
