from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import httpx2
import pytest

from tests.databases import BOTH, lent
from tests.live import serving


@pytest.fixture(scope="module", params=BOTH)
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[httpx2.Client, str]]:
    """A connection to a service, and the URL of its database, which tests fill as another server would."""
    folder = tmp_path_factory.mktemp("audited")
    with ExitStack() as stack:
        settings, url = {}, f"sqlite:///{folder / 'trueward.db'}"
        if request.param == "postgresql":
            url = stack.enter_context(lent(request.getfixturevalue("migrated_postgres")))
            settings = {"database_url": url}
        live = stack.enter_context(serving(folder, **settings))
        yield stack.enter_context(httpx2.Client(base_url=live.url, timeout=60.0, trust_env=False)), url
