"""Keys on both databases: how they are found, end, are changed and rotated; and what is on record of it."""

from __future__ import annotations

import hashlib
import hmac
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import insert

from app.keys import key_text
from app.keys.acts import Acts
from app.keys.repository import KeysRepository
from app.keys.service import Keys
from app.kit.db import Database
from app.kit.paging import PageRange
from app.projects.service import Projects
from app.projects.visibility import EVERYTHING, Sight
from app.tables import Key
from trueward.errors import Conflict, NotFound, Unauthorized
from trueward.wire import key as wire
from trueward.wire.key import KeyChange, KeyRequest, NewKey, Rotation
from trueward.wire.project import ProjectChange, ProjectRequest

SECRET = b"a secret of this test"


@pytest.fixture
def keys(db: Database) -> Keys:
    return Keys(KeysRepository(db), SECRET)


async def made(keys: Keys, **given: Any) -> NewKey:
    return await keys.create(KeyRequest.model_validate({"name": "trainer", "scopes": ["score"], **given}), "boss")


async def test_a_key_is_found_by_its_prefix_and_only_whole(keys: Keys, db: Database) -> None:
    key = await made(keys)
    principal = await keys.principal(key.key)
    assert principal is not None
    assert (principal.owner, principal.scopes, principal.project) == (key.id, frozenset({"score"}), None)
    other = await made(keys)
    # the right check and prefix, another secret
    assert await Keys(KeysRepository(db), b"another").principal(other.key) is None
    assert await keys.principal(key.key[:-1]) is None


async def test_a_key_of_before_works_on(keys: Keys, db: Database) -> None:
    text = "tw_" + "aB3-_x9Z" * 4
    digest = hmac.new(SECRET, text.encode(), hashlib.sha256).hexdigest()
    row = {"id": "old", "name": "old", "digest": digest, "scopes": ["view"], "created_at": datetime.now(UTC)}
    async with db.write() as connection:
        await connection.execute(insert(Key).values(**row))
    principal = await keys.principal(text)
    assert principal is not None
    assert principal.owner == "old"
    rotated = await keys.rotate("old", Rotation(grace_s=0))
    assert rotated.prefix is not None
    assert await keys.principal(text) is None


async def test_what_no_key_can_be_is_refused_without_the_database(keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    key = (await made(keys)).key

    async def asked(*_: object) -> None:
        raise AssertionError("the database was asked")

    monkeypatch.setattr(KeysRepository, "digest_of", asked)
    monkeypatch.setattr(KeysRepository, "by_digest", asked)
    for text in (key[:-1], key.swapcase(), "tw_", "", "Bearer"):
        assert await keys.principal(text) is None


async def test_of_a_key_whose_secret_is_wrong_nothing_more_is_read(keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the time of the refusal would tell that there is a key with this prefix."""
    key = (await made(keys)).key
    assert await keys.principal(key) is not None
    guess = f"{key[:12]}{'0' * 33}"
    guess += f"_{key_text._check(guess)}"

    async def asked(*_: object) -> None:
        raise AssertionError("the key was read")

    monkeypatch.setattr(KeysRepository, "by_digest", asked)
    assert key_text.prefix_of(guess) == key_text.prefix_of(key)
    assert await keys.principal(guess) is None


async def test_an_expired_key_says_so_at_that_moment_though_it_was_just_used(
    keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = await made(keys, expires_in_s=60)
    assert await keys.principal(key.key) is not None
    later = datetime.now(UTC) + timedelta(seconds=61)
    monkeypatch.setattr(wire, "now", lambda: later)
    with pytest.raises(Unauthorized, match="expired"):
        await keys.principal(key.key)
    assert await keys.by_id(key.id) is None
    assert await keys.find_any(key.id) is not None


async def test_quotas_and_end_are_changed_and_taken_away(keys: Keys) -> None:
    key = await made(keys, samples_per_minute=10, expires_in_s=60)
    changed = await keys.change(key.id, KeyChange(cost_per_minute=5.0))
    assert (changed.samples_per_minute, changed.cost_per_minute) == (10, 5)
    assert changed.expires_at == key.expires_at
    changed = await keys.change(key.id, KeyChange.model_validate({"samples_per_minute": None, "expires_at": None}))
    assert (changed.samples_per_minute, changed.cost_per_minute, changed.expires_at) == (None, 5, None)
    with pytest.raises(NotFound):
        await keys.change("nothing", KeyChange(cost_per_minute=5.0))


async def test_a_rotated_key_has_the_rights_of_the_old_one_which_ends_after_the_grace(keys: Keys, db: Database) -> None:
    async with Projects(db) as projects:
        await projects.create(ProjectRequest(name="maths"), None)
    key = await made(keys, project="maths", scopes=["view", "score"], samples_per_minute=10, expires_in_s=7200)
    new = await keys.rotate(key.id, Rotation(grace_s=3600), "boss")
    rights = ("name", "project", "scopes", "samples_per_minute", "cost_per_minute")
    assert [getattr(new, name) for name in rights] == [getattr(key, name) for name in rights]
    assert new.expires_at is not None
    assert new.expires_at - new.created_at == pytest.approx(timedelta(seconds=7200), abs=timedelta(seconds=30))
    assert await keys.principal(key.key) is not None
    old = await keys.by_id(key.id)
    assert old is not None
    assert old.expires_at is not None
    assert old.expires_at < datetime.now(UTC) + timedelta(seconds=3601)
    await keys.rotate(new.id, Rotation(grace_s=0))
    assert await keys.principal(new.key) is None
    with pytest.raises(Conflict, match="revoked"):
        await keys.rotate(new.id, Rotation())


async def test_an_administrator_of_a_project_has_its_keys_alone(keys: Keys, db: Database) -> None:
    async with Projects(db) as projects:
        for name in ("maths", "code"):
            await projects.create(ProjectRequest(name=name), None)
    theirs = await made(keys, project="code")
    own = keys.visible_to(Sight("maths"))
    assert (await made(own)).project == "maths"
    assert {key.project for key in await own.list()} == {"maths"}
    for project in ("code", "default", "nothing"):
        with pytest.raises(NotFound):
            await made(own, project=project)
    with pytest.raises(NotFound):
        await own.revoke(theirs.id)
    assert await keys.principal(theirs.key) is not None


async def test_what_is_done_to_keys_and_projects_is_on_record_without_a_secret(keys: Keys, db: Database) -> None:
    async with Projects(db) as projects:
        await projects.create(ProjectRequest(name="maths", weight=2.0), "boss")
        await projects.change("maths", ProjectChange(retention_days=30), "boss")
        await projects.change("default", ProjectChange(weight=3.0), "boss")
        assert (projects.weight("maths"), projects.weight(None), projects.weight("unknown")) == (2, 3, 1)
        key = await made(keys)
        new = await keys.rotate(key.id, Rotation(), "boss")
        await keys.change(key.id, KeyChange(samples_per_minute=5.0), "boss")
        await keys.revoke(key.id, "boss")
        await keys.revoke(key.id, "boss")
        await projects.create(ProjectRequest(name="empty"), "boss")
        await projects.delete("empty", "boss")
    page = await Acts(db).page(None, PageRange(), EVERYTHING)
    assert [act.action for act in reversed(page.acts)] == [
        "project.create",
        "project.change",
        "project.create",
        "key.create",
        "key.rotate",
        "key.change",
        "key.revoke",
        "project.create",
        "project.delete",
    ]
    assert {act.actor for act in page.acts} == {"boss"}
    told = page.model_dump_json()
    assert key.key.split("_")[2] not in told
    assert new.key.split("_")[2] not in told
    first = await Acts(db).page("key.create", PageRange(limit=1), EVERYTHING)
    assert first.next is None
    assert first.acts[0].target == key.id
    two = await Acts(db).page(None, PageRange(limit=2), EVERYTHING)
    assert two.next == two.acts[-1].id


async def test_a_project_with_a_key_stays_and_names_are_taken_once(keys: Keys, db: Database) -> None:
    async with Projects(db) as projects:
        await projects.create(ProjectRequest(name="maths"), None)
        await made(keys, project="maths")
        with pytest.raises(Conflict, match="keys or runs"):
            await projects.delete("maths", None)
        for name in ("maths", "default"):
            with pytest.raises(Conflict):
                await projects.create(ProjectRequest(name=name), None)
        with pytest.raises(NotFound):
            await projects.delete("nothing", None)
        assert [one.name for one in (await projects.all(EVERYTHING)).projects] == ["default", "maths"]
        assert [one.name for one in (await projects.all(Sight("maths"))).projects] == ["maths"]
