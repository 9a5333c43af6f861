"""Prints what the Dockerfile's pip needs: run-time and build dependencies of the server and the client.

Not covered: the extras that the image does without, and the two distributions themselves, which the image installs from
its own sources.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = "trueward"
# Hatchling asks for it when it makes an editable install, without declaring it.
EDITABLE_BUILDS = "editables"
# redis asks for it on Debian 12's Python 3.11.2, which is not the one that downloads.
OLDER_PYTHON = "async-timeout"
EXTRAS = ("redis",)
"""Those of the service that the image has."""


def requirements() -> list[str]:
    """The requirement lines of both pyproject files, sorted, each once."""
    found = {EDITABLE_BUILDS, OLDER_PYTHON}
    for pyproject in (ROOT / "pyproject.toml", ROOT / "client/pyproject.toml"):
        document = tomllib.loads(pyproject.read_text())
        found |= {*document["project"]["dependencies"], *document["build-system"]["requires"]}
        extras = document["project"].get("optional-dependencies", {})
        found.update(*(extras.get(extra, ()) for extra in EXTRAS))
    return sorted(found - {OURS})


if __name__ == "__main__":
    print("\n".join(requirements()))
