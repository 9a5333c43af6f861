"""The token of a session: what it names, and when it ends."""

from __future__ import annotations

import pytest

from app.keys.repository import KeysRepository
from app.keys.service import Keys
from app.kit.db import Database
from app.pages.session import Sessions
from trueward.wire.key import KeyRequest


@pytest.fixture
def keys(db: Database) -> Keys:
    return Keys(KeysRepository(db), b"the server's secret")


async def test_a_session_names_its_key_until_it_ends(keys: Keys) -> None:
    made = await keys.create(KeyRequest(name="somebody", scopes=["view"]))
    found = await Sessions(b"secret", keys, 60.0).key(Sessions(b"secret", keys, 60.0).begin(made.id))
    assert found is not None
    assert (found.id, found.scopes) == (made.id, ["view"])
    assert await Sessions(b"secret", keys, 60.0).key(Sessions(b"secret", keys, -1.0).begin(made.id)) is None


async def test_a_session_of_another_secret_is_none(keys: Keys) -> None:
    made = await keys.create(KeyRequest(name="somebody", scopes=["view"]))
    assert await Sessions(b"secret", keys, 60.0).key(Sessions(b"other", keys, 60.0).begin(made.id)) is None


async def test_a_session_ends_with_its_key(keys: Keys) -> None:
    made = await keys.create(KeyRequest(name="somebody", scopes=["view"]))
    sessions = Sessions(b"secret", keys, 60.0)
    token = sessions.begin(made.id)
    assert await sessions.key(token) is not None
    await keys.revoke(made.id)
    assert await sessions.key(token) is None
    assert await sessions.key(sessions.begin("unknown")) is None
