"""The service that the benchmarks share."""

from __future__ import annotations

import pytest

from benchmarks.servers import Server


@pytest.fixture
def service(server: Server) -> str:
    return server.url
