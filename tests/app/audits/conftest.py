from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from tests.services import ON_BOTH, Keyless


@pytest.fixture(scope="module", params=ON_BOTH)
def service(request: pytest.FixtureRequest) -> Iterator[tuple[httpx2.Client, str]]:
    """A connection to a service, and the URL of its database, which tests fill as another server would."""
    live: Keyless = request.getfixturevalue(request.param)
    with httpx2.Client(base_url=live.url, timeout=60.0, trust_env=False) as http:
        yield http, live.database_url
