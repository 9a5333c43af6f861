"""The plug-ins of ``tests/plugin_package``, really installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent / "plugin_package"


def install(target: Path, package: Path = PACKAGE) -> Path:
    """The folder ``target`` with the package in it, installed by pip from its own project file."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--no-index", "--target", str(target), str(package)], check=True)
    return target
