"""The version of this release: ``python scripts/release.py`` prints it, with a tag it ends with 1 where they differ.

The three distributions, the chart, the manifests and CITATION.cff state it; the suite holds them to each other.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
PREFIX = "trueward-v"


def version() -> str:
    """That of the server's distribution."""
    stated: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return stated


def main(arguments: Sequence[str]) -> int:
    if arguments and arguments[0] != f"{PREFIX}{version()}":
        print(f"the tag {arguments[0]} is not that of this version, {PREFIX}{version()}", file=sys.stderr)
        return 1
    print(version())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
