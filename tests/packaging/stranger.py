"""A machine that has nothing of ours: wheels in folders instead of an index, and no configuration of pip or uv."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
WHEELHOUSE = ROOT / "build/wheelhouse"
TOOLS = ROOT / ".venv-lock/bin"


def build_wheels(folder: Path) -> dict[str, Path]:
    """The three distributions, by name, as a release builds them."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", folder, ROOT, ROOT / "client", ROOT / "trainer"], check=True)
    return {wheel.name.partition("-")[0]: wheel for wheel in folder.glob("*.whl")}


@dataclass(frozen=True)
class Stranger:
    """A home folder, and where the wheels are."""

    home: Path
    wheels: Path

    @property
    def environment(self) -> dict[str, str]:
        """What its programs see: nobody's packages, caches or settings, and no index."""
        assert (WHEELHOUSE / "wheelhouse.stamp").exists(), "make wheelhouse"
        kept = {name: os.environ[name] for name in ("LANG", "OPENBLAS_CORETYPE") if name in os.environ}
        return {
            **kept,
            "HOME": str(self.home),
            "PATH": f"{Path(sys.executable).resolve().parent}:/usr/local/bin:/usr/bin:/bin",
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_FIND_LINKS": f"{self.wheels} {WHEELHOUSE}",
            "PIP_NO_INDEX": "1",
            "UV_FIND_LINKS": f"{self.wheels},{WHEELHOUSE}",
            "UV_NO_CONFIG": "1",
            "UV_NO_INDEX": "1",
            "UV_OFFLINE": "1",
            "UV_PYTHON": sys.executable,
            "UV_PYTHON_DOWNLOADS": "never",
        }

    def run(self, *command: str | Path, **more: str) -> str:
        """Standard output of a command that has to work, run at home."""
        ran = subprocess.run(
            command,
            cwd=self.home,
            env=self.environment | more,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        assert ran.returncode == 0, f"{command} ended with {ran.returncode}:\n{ran.stdout[-2000:]}{ran.stderr[-3000:]}"
        return ran.stdout
