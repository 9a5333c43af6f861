"""Requests begin a few in each round of the event loop, in their order, and none is forgotten."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from urllib.parse import urlsplit

import pytest

from app.admission.limits import BEGUN_AT_ONCE
from app.http.beginnings import Beginnings
from tests.app.http.test_server import get
from tests.live import Service, serving

CROWD = 300


async def begin(beginnings: Beginnings, number: int, begun: list[tuple[int, int]], rounds: list[int]) -> None:
    await beginnings.turn()
    begun.append((len(rounds), number))


async def test_at_most_so_many_begin_in_a_round_and_all_of_them_in_their_order() -> None:
    beginnings, begun, rounds = Beginnings(), list[tuple[int, int]](), list[int]()
    crowd = [asyncio.create_task(begin(beginnings, number, begun, rounds)) for number in range(20)]
    while not all(task.done() for task in crowd):
        rounds.append(len(begun))
        await asyncio.sleep(0)
        assert len(rounds) < 100
    assert [number for _, number in begun] == list(range(20))
    assert all(after - before <= BEGUN_AT_ONCE for before, after in pairwise(rounds))
    assert beginnings.begins_now()


async def test_who_leaves_while_it_waits_takes_nobodys_turn() -> None:
    beginnings, begun, rounds = Beginnings(), list[tuple[int, int]](), list[int]()
    crowd = [asyncio.create_task(begin(beginnings, number, begun, rounds)) for number in range(20)]
    await asyncio.sleep(0)
    left = (BEGUN_AT_ONCE, 7, 19)
    for number in left:
        crowd[number].cancel()
    await asyncio.gather(*crowd, return_exceptions=True)
    assert [number for _, number in begun] == [number for number in range(20) if number not in left]
    assert beginnings.begins_now()


async def test_requests_one_at_a_time_never_wait() -> None:
    beginnings = Beginnings()
    for _ in range(10):
        assert beginnings.begins_now()
        await asyncio.sleep(0)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("beginnings")) as running:
        yield running


def test_health_that_is_asked_last_is_told_before_a_crowd_that_came_first(service: Service) -> None:
    """All of them wait while the process stands still, so that what counts is the order and not the time."""
    port = urlsplit(service.url).port
    with ExitStack() as open_:
        os.kill(service.process.pid, signal.SIGSTOP)
        try:
            crowd = [open_.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(CROWD)]
            for one in crowd:
                one.sendall(get("/v1/verifiers/nobodys"))
            stranger = open_.enter_context(socket.create_connection(("127.0.0.1", port)))
            stranger.sendall(get("/health/live"))
        finally:
            os.kill(service.process.pid, signal.SIGCONT)
        stranger.settimeout(60)
        assert b" 200 " in stranger.recv(65536)
        answered, _, _ = select.select(crowd, [], [], 0)
        for one in crowd:
            one.settimeout(60)
            assert b" 404 " in one.recv(65536)
    assert len(answered) < CROWD / 2
