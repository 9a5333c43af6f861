"""Children of the tests are ended with each module: they are the server's verifiers, started by the client."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trueward.compat import workers


@pytest.fixture(autouse=True, scope="module")
def _children_are_ended() -> Iterator[None]:
    yield
    workers.close()
