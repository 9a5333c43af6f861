"""Which tests a process of the suite takes together: those of a file, and of these folders all of them.

What such a folder starts for a session (a service, a language model, a server of others) is started once then, not in
each process.
"""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler.loadfile import LoadFileScheduling  # type: ignore[import-untyped]

FOLDERS = ("tests/pages", "tests/real", "tests/security", "tests/trainers")


class LoadFolderScheduling(LoadFileScheduling):  # type: ignore[misc]  # it has no types
    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return next((folder for folder in FOLDERS if file.startswith(f"{folder}/")), file)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFolderScheduling | None:
    return LoadFolderScheduling(config, log) if config.getvalue("dist") == "loadfile" else None
