"""A worker's mark, read by another process."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator

import pytest

from app.lanes.cpu.progress import Progress, Stage


@pytest.fixture
def both() -> Iterator[tuple[Progress, Progress]]:
    here, there = socket.socketpair()
    with here, there:
        sent, received = Progress.send(here), Progress.receive(there)
        yield sent, received
        sent.close()
        received.close()


def test_a_mark_is_seen_from_the_other_side(both: tuple[Progress, Progress]) -> None:
    pool, worker = both
    assert pool.read() is None
    before = time.monotonic()
    worker.write(5, 2, Stage.PREPARE)
    mark = pool.read()
    assert mark is not None
    assert (mark.chunk, mark.item, mark.stage) == (5, 2, Stage.PREPARE)
    assert before <= mark.wall_s <= time.monotonic()
    assert 0 < mark.cpu_s <= time.process_time()


def test_each_stage_is_another_mark(both: tuple[Progress, Progress]) -> None:
    pool, worker = both
    marks = []
    for item in (0, 0, 1, 2):
        worker.write(1, item, Stage.CHECK)
        mark = pool.read()
        assert mark is not None
        assert mark == pool.read()
        marks.append(mark)
    assert [mark.item for mark in marks] == [0, 0, 1, 2]
    assert len(set(marks)) == len(marks)


def test_a_write_that_was_cut_short_is_not_read(both: tuple[Progress, Progress]) -> None:
    pool, worker = both
    worker.write(1, 0, Stage.CHECK)
    struct.pack_into("=Q", worker._memory, 0, 3)
    assert pool.read() is None


def test_a_chunk_is_revoked_for_the_other_side(both: tuple[Progress, Progress]) -> None:
    pool, worker = both
    assert not worker.is_revoked(1)
    pool.revoke(1)
    assert worker.is_revoked(1)
    assert not worker.is_revoked(2)
