"""What is tried again, when, and that no try scores what an earlier one scored."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import stamina
import stamina.instrumentation

from tests.client.conftest import Ask
from tests.client.fake_service import FakeService, Fault
from trueward import Client
from trueward.client import outage
from trueward.client.call import retry_after_s
from trueward.client.deadline import Deadline
from trueward.errors import (
    ConnectionFailed,
    DeadlineExceeded,
    InternalError,
    InvalidRequest,
    Overloaded,
    Unavailable,
    UnexpectedAnswer,
)

SAMPLES = [{"response": str(index), "reference": str(index)} for index in range(25)]
BUSY = Fault.of(Overloaded("the queues are full", retry_after_s=0))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    "fault",
    [
        BUSY,
        Fault.of(Unavailable("the ledger is down")),
        Fault(429, "slow down", {"content-type": "text/plain"}),
        Fault(502, "<html>bad gateway</html>", {"content-type": "text/html"}),
        Fault(504, ""),
        Fault(cut=True),
    ],
    ids=["overloaded", "unavailable", "429", "502", "504", "cut"],
)
def test_a_passing_failure_is_tried_again(ask: Ask, service: FakeService, fault: Fault) -> None:
    service.faults = [fault, fault]
    verdicts = ask("verify", SAMPLES, verifier="exact")
    assert [verdict.score for verdict in verdicts] == [1.0] * 25
    assert len(service.received) == 3 + 2


@pytest.mark.usefixtures("at_once")
def test_tries_never_score_twice(ask: Ask, service: FakeService) -> None:
    """Each answer is cut after the scoring, several times over."""
    service.faults = [Fault(cut=True)] * 7
    ask("verify", SAMPLES, verifier="exact")
    assert set(service.scored.values()) == {1}
    assert len(service.scored) == 25


@pytest.mark.usefixtures("at_once")
def test_a_chunk_keeps_its_key_and_its_bytes_and_chunks_differ(ask: Ask, service: FakeService) -> None:
    service.faults = [Fault(cut=True)] * 4
    ask("verify", SAMPLES, verifier="exact", deadline_s=30)
    by_key: dict[str, set[bytes]] = {}
    for received in service.received:
        by_key.setdefault(received.headers["idempotency-key"], set()).add(received.raw)
    assert len(by_key) == 3
    assert all(len(bodies) == 1 for bodies in by_key.values())


@pytest.mark.usefixtures("at_once")
def test_two_calls_have_different_keys(ask: Ask, service: FakeService) -> None:
    ask("verify", SAMPLES[:1], verifier="exact")
    ask("verify", SAMPLES[:1], verifier="exact")
    assert service.scored["0"] == 2


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("error", [InternalError("a bug"), InvalidRequest("wrong")])
def test_a_lasting_failure_is_not_tried_again(ask: Ask, service: FakeService, error: Any) -> None:
    service.faults = [Fault.of(error)] * 5
    with pytest.raises(type(error)):
        ask("verify", SAMPLES[:3], verifier="exact")
    assert len(service.received) == 1


@pytest.mark.usefixtures("at_once")
def test_tries_end_after_their_number(url: str, service: FakeService) -> None:
    service.faults = [BUSY] * 50
    with Client(url, attempts=3) as client, pytest.raises(Overloaded, match="queues are full"):
        client.verify(SAMPLES[:1], verifier="exact")
    assert len(service.received) == 3


def test_retry_after_is_honoured(url: str, service: FakeService) -> None:
    service.faults = [Fault.of(Overloaded("full", retry_after_s=0.4))]
    with Client(url) as client:
        start = time.monotonic()
        client.verify(SAMPLES[:1], verifier="exact")
    assert time.monotonic() - start >= 0.4


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("3", 3.0), ("0.5", 0.5), ("-1", 0.0), ("9999", 60.0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0), ("soon", None)],
)
def test_retry_after_is_seconds_or_a_date(header: str, seconds: float | None) -> None:
    assert retry_after_s({"retry-after": header}) == seconds


def test_a_deadline_ends_the_tries(ask: Ask, service: FakeService) -> None:
    service.faults = [Fault.of(Unavailable("the ledger is down"))] * 10_000
    start = time.monotonic()
    with pytest.raises(DeadlineExceeded, match=r"within 0\.6 s.*the ledger is down"):
        ask("verify", SAMPLES, verifier="exact", deadline_s=0.6)
    assert 0.3 < time.monotonic() - start < 5


def test_a_deadline_ends_a_silent_service(ask: Ask, service: FakeService) -> None:
    service.latency_s["0"] = 30
    start = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        ask("verify", SAMPLES[:1], verifier="exact", deadline_s=0.4)
    assert time.monotonic() - start < 10


def test_a_wait_that_outlasts_the_deadline_is_not_begun(url: str, service: FakeService) -> None:
    service.faults = [Fault.of(Overloaded("full", retry_after_s=50))]
    start = time.monotonic()
    with Client(url) as client, pytest.raises(DeadlineExceeded):
        client.verify(SAMPLES[:1], verifier="exact", deadline_s=20)
    assert time.monotonic() - start < 10


def test_the_service_hears_of_a_deadline_below_ours(ask: Ask, service: FakeService) -> None:
    ask("verify", SAMPLES[:1], verifier="exact", deadline_s=10)
    ask("verify", SAMPLES[:1], verifier="exact")
    assert 8 < service.received[0].body["deadline_s"] < 10
    assert "deadline_s" not in service.received[1].body


@contextmanager
def nobody() -> Iterator[str]:
    """A URL at which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{free.getsockname()[1]}"


@pytest.mark.usefixtures("at_once")
def test_nobody_listening_is_a_failed_connection() -> None:
    running = pytest.raises(ConnectionFailed, match="Is the service running")
    with nobody() as url, Client(url, attempts=3) as client, running:
        client.verify(SAMPLES[:1], verifier="exact")


def test_who_waits_is_told_where_why_and_how_long_still(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once in a while, however many tries and calls there are; and stamina's own line, which says nothing, is not."""
    monkeypatch.setattr(outage, "_said", {})
    caplog.set_level("WARNING", outage.log.name)  # a command that ran in this process says such things itself
    with nobody() as url, Client(url) as client:
        for _ in range(2):
            with pytest.raises(DeadlineExceeded):
                client.verify(SAMPLES[:1], verifier="exact", deadline_s=0.5)
    [said] = caplog.messages
    assert url in said
    assert "refused" in said
    assert re.search(r"Trying again for up to \d s\.$", said)


@pytest.mark.usefixtures("at_once")
def test_that_it_is_tried_again_is_said_only_where_it_is(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "_said", {})
    monkeypatch.setattr(outage, "EVERY_S", 0.0)
    caplog.set_level("WARNING", outage.log.name)
    for tries in (1, 3):
        with nobody() as url, Client(url, attempts=tries) as client, pytest.raises(ConnectionFailed):
            client.verify(SAMPLES[:1], verifier="exact")
        assert len([line for line in caplog.messages if url in line]) == tries - 1


def test_stamina_s_line_is_left_out_where_no_structlog_is(caplog: pytest.LogCaptureFixture) -> None:
    """It goes to the logger ``stamina`` then."""
    stamina.instrumentation.set_on_retry_hooks([stamina.instrumentation.LoggingOnRetryHook])
    try:
        with nobody() as url, Client(url, attempts=3) as client, pytest.raises(ConnectionFailed):
            client.verify(SAMPLES[:1], verifier="exact")
        assert "stamina" not in {record.name for record in caplog.records}
        for attempt in stamina.retry_context(on=ValueError, attempts=2, wait_initial=0.0, wait_max=0.0):
            with attempt:
                if attempt.num == 1:
                    raise ValueError("somebody else's")
        assert "stamina" in {record.name for record in caplog.records}
    finally:
        stamina.instrumentation.set_on_retry_hooks(None)


def test_stamina_s_line_is_left_out_where_structlog_writes_it(capsys: pytest.CaptureFixture[str]) -> None:
    """For our tries alone: those of others are told as ever."""
    pytest.importorskip("structlog")
    stamina.instrumentation.set_on_retry_hooks(None)
    outage._leave_out_of_structlog.cache_clear()
    try:
        with nobody() as url, Client(url, attempts=3) as client, pytest.raises(ConnectionFailed):
            client.verify(SAMPLES[:1], verifier="exact")
        assert "retry_scheduled" not in "".join(capsys.readouterr())
        for attempt in stamina.retry_context(
            on=ValueError, attempts=2, wait_initial=0.0, wait_max=0.0, wait_jitter=0.0
        ):
            with attempt:
                if attempt.num == 1:
                    raise ValueError("somebody else's")
        assert "retry_scheduled" in "".join(capsys.readouterr())
    finally:
        stamina.instrumentation.set_on_retry_hooks(None)
        outage._leave_out_of_structlog.cache_clear()


@pytest.mark.usefixtures("at_once")
def test_one_failed_chunk_stops_the_others(url: str, service: FakeService) -> None:
    service.faults = [Fault.of(InvalidRequest("wrong"))] + [BUSY] * 10_000
    with Client(url, chunk_samples=1, attempts=10_000) as client:
        with pytest.raises(InvalidRequest):
            client.verify(SAMPLES, verifier="exact")
        time.sleep(0.3)  # for tries that are under way
        settled = len(service.received)
        time.sleep(0.3)
        assert len(service.received) == settled


def test_closing_waits_for_what_a_failed_call_left_under_way(url: str, service: FakeService) -> None:
    service.faults = [Fault(hang_s=0.5), Fault.of(InvalidRequest("wrong"))]
    with Client(url, chunk_samples=1, concurrency=2) as client, pytest.raises(InvalidRequest):
        client.verify(SAMPLES[:2], verifier="exact")
    assert sum(service.scored.values()) == 1
    assert service.in_flight == 0


def test_waits_near_the_deadline_do_not_outlast_it() -> None:
    from trueward.client.call import RetryableFailure

    deadline = Deadline(1.0, "http://x")
    wait_s = deadline.backoff()(RetryableFailure(ConnectionFailed("no")))
    assert wait_s is not True
    assert 0 < wait_s < 1


def test_stamina_can_be_switched_off(url: str, service: FakeService) -> None:
    service.faults = [BUSY]
    stamina.set_active(False)
    try:
        with Client(url) as client, pytest.raises(Overloaded):
            client.verify(SAMPLES[:1], verifier="exact")
    finally:
        stamina.set_active(True)


@pytest.mark.usefixtures("at_once")
def test_a_protocol_that_is_not_http_is_said_to_be(service: FakeService) -> None:
    """A listener that answers with something else entirely."""
    import threading

    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            for _ in range(2):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(b"220 mail ready\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with Client(url, attempts=2) as client, pytest.raises((ConnectionFailed, UnexpectedAnswer)):
            client.verify(SAMPLES[:1], verifier="exact")
        thread.join()
