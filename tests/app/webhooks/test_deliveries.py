"""Deliveries on both databases: signed, tried again under the same id, bounded, and never to a refused address."""

from __future__ import annotations

import asyncio
import inspect
import json
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpcore2
import pytest
from sqlalchemy import select
from standardwebhooks import Webhook, WebhookVerificationError

from app.kit.clock import now
from app.kit.db import Database
from app.kit.paging import PageRange
from app.kit.tls import tls_context
from app.tables import Delivery as DeliveryTable
from app.telemetry.metrics import Metrics
from app.webhooks.outbox import LEASE, Hook, announce, expect, forget
from app.webhooks.service import Deliveries
from tests.app.kit.test_tls import OPENSSL, made
from tests.app.webhooks.receiver import OK, answer, receiver
from trueward.errors import NotFound
from trueward.wire.base import Wire
from trueward.wire.webhook import Delivery

SECRET = "whsec_" + "c2Vj" * 8
OTHER = "whsec_" + "b3Ro" * 8
SOON = (0.01, 0.01)


class _Undone(Exception):
    pass


class Said(Wire):
    """What an event is about, for these tests."""

    id: str = "job"
    text: str = '"} <b>\n'


@asynccontextmanager
async def delivering(db: Database, waits_s: Sequence[float] = SOON, **how: Any) -> AsyncIterator[Deliveries]:
    async with Deliveries(db, how.pop("metrics", None) or Metrics(), waits_s=waits_s, **how) as deliveries:
        yield deliveries


def tries(metrics: Metrics) -> dict[str, float]:
    [family] = metrics.webhooks.collect()
    return {one.labels["state"]: one.value for one in family.samples if one.name.endswith("_total")}


async def post(db: Database, url: str, secret: str | None = SECRET, subject: str = "job") -> None:
    async with db.write() as connection:
        await expect(connection, Hook(url, secret), subject, None)
        await announce(connection, subject, "job.ended", Said(id=subject))


async def ended(deliveries: Deliveries, subject: str = "job") -> Delivery:
    async with asyncio.timeout(60):
        while True:
            [found] = (await deliveries.page(PageRange(), subject, None)).deliveries
            if found.ended_at is not None:
                return found
            await asyncio.sleep(0.02)


@pytest.mark.skipif(OPENSSL is None, reason="makes its certificate with the openssl command")
async def test_an_authority_that_the_environment_names_is_trusted(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = made(tmp_path / "own")
    async with receiver(OK, tls=tls_context(pair.certificate, pair.key)) as there:
        url = there.url.replace("http", "https")
        async with delivering(db) as deliveries:
            await post(db, url)
            assert (await ended(deliveries)).outcome == "failed: ConnectError"
        monkeypatch.setattr(httpcore2, "default_ssl_context", inspect.unwrap(httpcore2.default_ssl_context))
        monkeypatch.setenv("SSL_CERT_FILE", str(pair.certificate))
        async with delivering(db) as deliveries:
            await post(db, url, subject="trusted")
            assert (await ended(deliveries, "trusted")).outcome == "sent"


async def test_a_delivery_verifies_with_the_public_library_under_its_secret_alone(db: Database) -> None:
    async with receiver(OK) as there, delivering(db) as deliveries:
        await post(db, there.url)
        [got] = await there.got(1)
        found = await ended(deliveries)
    assert got.line == "POST /hook?token=t0ken HTTP/1.1"
    event = Webhook(SECRET).verify(got.body, got.headers)
    assert (event["type"], event["data"]) == ("job.ended", {"id": "job", "text": '"} <b>\n'})
    assert got.headers["webhook-id"] == found.id
    assert (found.state, found.outcome, found.attempts, found.signed) == ("delivered", "sent", 1, True)
    for secret, body in ((OTHER, got.body), (SECRET, got.body + b" ")):
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(body, got.headers)


async def test_the_standards_own_example_is_signed_as_it_says() -> None:
    """https://github.com/standard-webhooks/standard-webhooks, the test of its libraries."""
    at = datetime.fromtimestamp(1614265330, UTC)
    signed = Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").sign(
        "msg_p5jXN8AQM9LWM0D4loKWxJek", at, '{"test": 2432232314}'
    )
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


async def test_without_a_secret_there_is_no_signature(db: Database) -> None:
    async with receiver(OK) as there, delivering(db) as deliveries:
        await post(db, there.url, None)
        [got] = await there.got(1)
        found = await ended(deliveries)
    assert "webhook-signature" not in got.headers
    assert got.headers["webhook-id"] == found.id
    assert not found.signed


async def test_a_receiver_that_recovers_gets_the_same_event_under_the_same_id(db: Database) -> None:
    async with receiver(answer("500 Oh"), OK) as there, delivering(db) as deliveries:
        await post(db, there.url)
        first, second = await there.got(2)
        found = await ended(deliveries)
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    assert (found.state, found.attempts) == ("delivered", 2)


async def test_a_failing_receiver_is_given_up_after_the_last_wait(db: Database) -> None:
    async with receiver(answer("500 Oh")) as there, delivering(db) as deliveries:
        await post(db, there.url)
        found = await ended(deliveries)
    assert len(there.posts) == found.attempts == len(SOON) + 1
    assert (found.state, found.outcome, found.next_attempt_at) == ("failed", "failed: status 500", None)


async def test_each_try_is_counted_by_the_state_that_it_left_the_delivery_in(db: Database) -> None:
    metrics = Metrics()
    assert tries(metrics) == {"delivered": 0, "pending": 0, "failed": 0}
    answers = {"well": OK, "ill": answer("500 Oh"), "gone": answer("410 Gone")}
    async with AsyncExitStack() as stack:
        deliveries = await stack.enter_async_context(delivering(db, metrics=metrics))
        for subject, said in answers.items():
            await post(db, (await stack.enter_async_context(receiver(said))).url, subject=subject)
        found = [await ended(deliveries, subject) for subject in answers]
    assert [one.state for one in found] == ["delivered", "failed", "failed"]
    assert tries(metrics) == {"delivered": 1, "pending": len(SOON), "failed": 2}


async def test_a_redirect_is_not_followed(db: Database) -> None:
    async with receiver(OK) as elsewhere:
        moved = answer("307 Temporary Redirect", f"Location: {elsewhere.url}\r\n")
        async with receiver(moved) as there, delivering(db) as deliveries:
            await post(db, there.url)
            found = await ended(deliveries)
    assert found.outcome == "failed: status 307"
    assert not elsewhere.posts


async def test_a_receiver_that_is_gone_is_not_tried_again(db: Database) -> None:
    async with receiver(answer("410 Gone")) as there, delivering(db) as deliveries:
        await post(db, there.url)
        found = await ended(deliveries)
    assert (found.state, found.attempts) == ("failed", 1)


async def test_nobody_listening_is_told_without_the_url(db: Database) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        async with delivering(db, ()) as deliveries:
            await post(db, f"http://127.0.0.1:{taken.getsockname()[1]}/t0ken")
            found = await ended(deliveries)
    assert (found.outcome or "").startswith("failed: ")
    assert "t0ken" not in found.model_dump_json()


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What ``hooks.example.com`` stands for, at each look-up the next; the last one again and again."""
    stands_for: list[list[str]] = []
    known = asyncio.BaseEventLoop.getaddrinfo

    async def resolve(self: Any, host: str, port: int, **rest: Any) -> list[Any]:
        if host != "hooks.example.com":
            return await known(self, host, port, **rest)
        found = stands_for.pop(0) if len(stands_for) > 1 else stands_for[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", resolve)
    return stands_for


@pytest.mark.parametrize("stands_for", [["169.254.169.254"], ["127.0.0.1", "169.254.169.254"]])
async def test_a_name_with_a_refused_address_is_not_called(
    db: Database, names: list[list[str]], stands_for: list[str]
) -> None:
    names.append(stands_for)
    async with receiver(OK) as there, delivering(db) as deliveries:
        await post(db, f"http://hooks.example.com:{there.port}/")
        found = await ended(deliveries)
    assert (found.outcome or "").startswith("refused: 169.254.169.254 is a link-local")
    assert (found.attempts, there.posts) == (1, [])


async def test_a_name_that_changes_between_two_tries_is_looked_at_again(db: Database, names: list[list[str]]) -> None:
    names += [["127.0.0.1"], ["169.254.169.254"]]
    async with receiver(answer("500 Oh")) as there, delivering(db) as deliveries:
        await post(db, f"http://hooks.example.com:{there.port}/")
        found = await ended(deliveries)
    assert (found.outcome or "").startswith("refused: 169.254.169.254")
    assert [got.headers["host"] for got in there.posts] == [f"hooks.example.com:{there.port}"]


async def test_where_keys_are_asked_for_the_services_own_machine_is_not_called(db: Database) -> None:
    async with receiver(OK) as there, delivering(db, loopback=False) as deliveries:
        await post(db, there.url.replace("127.0.0.1", "localhost"))
        found = await ended(deliveries)
    assert (found.outcome or "").startswith("refused: ")
    assert not there.posts


async def test_once_it_ended_neither_secret_nor_path_is_kept(db: Database) -> None:
    async with receiver(OK) as there, delivering(db) as deliveries:
        await post(db, there.url)
        await ended(deliveries)
    async with db.read() as connection:
        row = (await connection.execute(select(DeliveryTable.__table__))).one()
    assert row.secret is None
    assert "t0ken" not in row.url


async def test_a_hanging_host_does_not_keep_the_others(db: Database) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(1000)
        for number in range(80):
            await post(db, f"http://localhost:{silent.getsockname()[1]}/", subject=f"h{number}")
        async with receiver(OK) as there, delivering(db) as deliveries:
            await post(db, there.url)
            assert (await ended(deliveries)).state == "delivered"
            tried = [one.attempts for one in (await deliveries.page(PageRange(), None, "pending")).deliveries]
    assert sum(tried) == 5


async def test_a_try_that_was_broken_off_is_made_anew(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(1)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        async with delivering(db) as deliveries:
            await post(db, url)
            async with asyncio.timeout(30):
                while not (await deliveries.page(PageRange(), "job", None)).deliveries[0].attempts:
                    await asyncio.sleep(0.01)
    async with delivering(db, ()) as deliveries:
        [left] = (await deliveries.page(PageRange(), "job", None)).deliveries
        assert (left.state, left.attempts, left.outcome) == ("pending", 1, None)
        monkeypatch.setattr("app.webhooks.outbox.now", lambda: now() + LEASE)
        monkeypatch.setattr("app.webhooks.service.now", lambda: now() + LEASE)
        assert (await ended(deliveries)).attempts == 2


async def test_nothing_is_posted_of_what_has_not_happened(db: Database) -> None:
    async with receiver(OK) as there, delivering(db) as deliveries:
        async with db.write() as connection:
            await expect(connection, Hook(there.url, SECRET), "waits", None)
            await expect(connection, Hook(there.url, SECRET), "forgotten", None)
            await forget(connection, ["forgotten"])
        await post(db, there.url)
        await ended(deliveries)
        left = (await deliveries.page(PageRange(), None, "waiting")).deliveries
    assert [(one.subject, one.event) for one in left] == [("waits", None)]
    assert [json.loads(got.body)["data"]["id"] for got in there.posts] == ["job"]


async def test_a_transaction_that_is_undone_posts_nothing(db: Database) -> None:
    async with receiver(OK) as there, delivering(db) as deliveries:
        with suppress(_Undone):
            async with db.write() as connection:
                await expect(connection, Hook(there.url, SECRET), "undone", None)
                await announce(connection, "undone", "job.ended", Said())
                raise _Undone
        await post(db, there.url)
        await ended(deliveries)
    assert len(there.posts) == 1


async def test_what_there_is_not_is_not_found(db: Database) -> None:
    with pytest.raises(NotFound):
        await Deliveries(db, Metrics()).show("none")
