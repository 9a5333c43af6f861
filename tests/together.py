"""Which tests a process of the suite takes together: those of a file, and of these folders all of them.

What such a folder starts for a session (a service, a language model, a server of others) is started once then, not in
each process.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from xdist.scheduler.loadfile import LoadFileScheduling  # type: ignore[import-untyped]

FOLDERS = ("tests/pages", "tests/real", "tests/security", "tests/trainers")


def group(nodeid: str) -> str:
    file = nodeid.partition("::")[0]
    return next((folder for folder in FOLDERS if file.startswith(f"{folder}/")), file)


def groups(nodeids: Iterable[str]) -> list[list[int]]:
    """The places of the tests of each group, in the order in which the groups begin."""
    places: dict[str, list[int]] = {}
    for place, nodeid in enumerate(nodeids):
        places.setdefault(group(nodeid), []).append(place)
    return list(places.values())


class LoadFolderScheduling(LoadFileScheduling):  # type: ignore[misc]  # it has no types
    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFolderScheduling | None:
    return LoadFolderScheduling(config, log) if config.getvalue("dist") == "loadfile" else None
