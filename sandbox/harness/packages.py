"""pytest for the tests' process: the service's own, so that every backend has it, in the same version, without set-up.

Its packages are pure Python. A backend shows them, read-only, in ``/opt/trueward/pytest``; only the process of tests
that a command runs has that folder on its path (:mod:`.python.trueward_harness.run_pytest`). No secret is in them: a
candidate that looks there finds what it could download. Where pytest is not installed there is nothing to show, and
tests that ask for it say so.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

FOLDER = "pytest"
"""Its name beside the languages' folders."""


@cache
def packages() -> dict[str, Path]:
    """Where each top-level module or package lies on this machine, by its file name."""
    found: dict[str, Path] = {}
    for installed in _needed("pytest"):
        for file in installed.files or ():
            top = file.parts[0]
            if top != ".." and not top.endswith((".dist-info", "__pycache__")):
                found[top] = Path(str(installed.locate_file(top))).resolve()
    return found


def _needed(name: str) -> list[Distribution]:
    """A distribution and what it requires, each once; what is not installed is for another system or Python."""
    pending, found = [name], dict[str, Distribution]()
    while pending:
        name = pending.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue
        wanted = map(Requirement, found[name].requires or ())
        pending += [one.name for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]
    return list(found.values())
