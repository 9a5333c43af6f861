from __future__ import annotations

import asyncio
from collections.abc import Iterator

import httpx2
import pytest

from tests.databases import BOTH, empty, postgres_url
from tests.live import serving


@pytest.fixture(scope="module", params=BOTH)
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[httpx2.Client, str]]:
    """A connection to a service, and the URL of its database, which tests fill as another server would."""
    folder = tmp_path_factory.mktemp("audited")
    settings, url, name = {}, f"sqlite:///{folder / 'trueward.db'}", None
    if request.param == "postgresql":
        name = request.getfixturevalue("migrated_postgres")
        url = postgres_url(name)
        settings = {"database_url": url}
    with serving(folder, **settings) as live, httpx2.Client(base_url=live.url, timeout=60.0, trust_env=False) as http:
        yield http, url
    if name is not None:
        asyncio.run(empty(name))
