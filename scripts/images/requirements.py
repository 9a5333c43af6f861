"""Prints what the Dockerfile's pip needs: run-time and build dependencies of the server and the client.

Not covered: extras, and the two distributions themselves, which the image installs from its own sources.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = "trueward"
# Hatchling asks for it when it makes an editable install, without declaring it.
EDITABLE_BUILDS = "editables"


def requirements() -> list[str]:
    """The requirement lines of both pyproject files, sorted, each once."""
    found = {EDITABLE_BUILDS}
    for pyproject in (ROOT / "pyproject.toml", ROOT / "client/pyproject.toml"):
        document = tomllib.loads(pyproject.read_text())
        found |= {*document["project"]["dependencies"], *document["build-system"]["requires"]}
    return sorted(found - {OURS})


if __name__ == "__main__":
    print("\n".join(requirements()))
