"""The same tests once more, as a user without any privilege."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

NOBODY = 65534
HERE = Path(__file__).parent
ROOT = HERE.parents[2]
REPEATED = [
    f"{HERE}/test_{name}.py" for name in ("statuses", "apart", "pairs", "limits", "isolation", "leftovers", "python")
]


def interpreter() -> str | None:
    """A Python of this version that everyone may run."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for path in (Path(getattr(sys, "_base_executable", sys.executable)).resolve(), Path("/usr/bin", version)):
        if path.exists() and all(folder.stat().st_mode & 0o001 for folder in path.parents):
            return str(path)
    return None


@pytest.mark.skipif(os.geteuid() != 0, reason="these tests run without privilege already")
def test_without_privilege() -> None:
    python = interpreter()
    if python is None or not all(folder.stat().st_mode & 0o005 == 0o005 for folder in (ROOT, *ROOT.parents)):
        pytest.skip("neither this interpreter nor this checkout can be read by others")
    scratch = Path("/tmp", f"trueward-nobody-{os.getpid()}")
    scratch.mkdir()
    os.chown(scratch, NOBODY, NOBODY)
    packages = [path for path in sys.path if path and Path(path).is_dir()]
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={scratch}/t", *REPEATED],
        cwd=ROOT,
        env={
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join(path for path in packages if path.startswith(str(ROOT))),
        },
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
    )
    subprocess.run(["rm", "-rf", str(scratch)], check=True)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
