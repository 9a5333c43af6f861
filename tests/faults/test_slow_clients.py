"""Hundreds of connections that trickle, stop half-way or never read, beside clients that are answered as before."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from tests.faults.footprint import assert_no_growth, footprint
from tests.faults.ledger import check
from tests.faults.load import Load
from tests.live import serving

CONNECTIONS = 500
READ_S = "10"
HEAD = b"POST /v1/verify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
SAMPLES = [{"id": str(index), "response": "x" * 2000, "reference": "y"} for index in range(1000)]
BODY = json.dumps({"verifier": "exact", "samples": SAMPLES}).encode()
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
MANNERS = {
    "a byte a second": (HEAD[:1], HEAD[1:]),
    "stops in its head": (HEAD[:30], b""),
    "stops in its body": (WHOLE[:5000], b""),
    "never reads": (WHOLE, b""),
}
"""What each sends at once, and what it goes on to send byte by byte."""


@contextmanager
def crowd(url: str, count: int) -> Iterator[None]:
    """So many connections, of each manner alike, until the end of the block."""
    address = (urlsplit(url).hostname or "", urlsplit(url).port or 0)
    over = threading.Event()
    with ExitStack() as ending:
        trickling: list[tuple[socket.socket, bytes]] = []
        for number in range(count):
            at_once, rest = list(MANNERS.values())[number % len(MANNERS)]
            connection = ending.enter_context(socket.create_connection(address, timeout=60.0))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            if len(at_once) < 10_000 or number < 4 * len(MANNERS):
                with suppress(OSError):  # the service has had enough of it
                    connection.sendall(at_once)
            if rest:
                trickling.append((connection, rest))
        trickle = threading.Thread(target=_trickle, args=(trickling, over))
        trickle.start()
        ending.callback(trickle.join)
        ending.callback(over.set)
        yield


def _trickle(connections: list[tuple[socket.socket, bytes]], over: threading.Event) -> None:
    sent = 0
    while not over.wait(1.0):
        for connection, rest in connections:
            try:
                connection.send(rest[sent : sent + 1])
            except OSError:
                continue
        sent += 1


def wait_for_descriptors(pid: int, count: int) -> None:
    """Returns when the service has more than these."""
    deadline = time.monotonic() + 60.0
    while footprint(pid).descriptors <= count:
        assert time.monotonic() < deadline, footprint(pid)
        time.sleep(0.02)


def test_slow_clients_cost_the_others_nothing(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    with serving(tmp_path, read_s=READ_S) as service, Load(service.url, job=300) as load:
        load.recovered()
        before = footprint(service.process.pid)
        record_property("answered beforehand_s", round(load.recovered(), 1))
        with crowd(service.url, CONNECTIONS):
            wait_for_descriptors(service.process.pid, before.descriptors + CONNECTIONS // 4)
            record_property("answered beside them_s", round(load.recovered(), 1))
            assert_no_growth(service.process.pid, before)  # it ended them, they did not
        record_property("answered afterwards_s", round(load.recovered(), 1))
        load.end()
        record_property("report", str(check(load, f"sqlite:///{tmp_path / 'trueward.db'}")))
        assert_no_growth(service.process.pid, before)
