"""An answer's head leaves with its body, at the latest in the next round of the event loop, and never twice or late."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.http.joined_writes import JoinedWrites

HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


class Sent(asyncio.Transport):
    """Notes each write, and what it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self.told: list[str] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.writes.append(bytes(data))

    def close(self) -> None:
        self.told.append("close")

    def abort(self) -> None:
        self.told.append("abort")

    def get_write_buffer_size(self) -> int:
        return 0


def within(act: Callable[[JoinedWrites, Sent], None]) -> Sent:
    """What was sent once the loop has gone round."""

    async def run() -> Sent:
        sent = Sent()
        act(JoinedWrites(sent, asyncio.get_running_loop()), sent)
        await asyncio.sleep(0)
        return sent

    return asyncio.run(run())


def test_a_head_goes_with_its_body() -> None:
    def answer(joined: JoinedWrites, sent: Sent) -> None:
        joined.write(HEAD)
        assert (sent.writes, joined.get_write_buffer_size()) == ([], len(HEAD))
        joined.write(b"body")
        assert (sent.writes, joined.get_write_buffer_size()) == ([HEAD + b"body"], 0)

    assert within(answer).writes == [HEAD + b"body"]


def test_a_head_without_a_body_goes_by_itself() -> None:
    def answer(joined: JoinedWrites, _: Sent) -> None:
        joined.write(HEAD)

    assert within(answer).writes == [HEAD]


@pytest.mark.parametrize(("end", "writes"), [("close", [HEAD]), ("abort", [])])
def test_what_is_closed_says_its_last_word_first_and_what_is_aborted_does_not(end: str, writes: list[bytes]) -> None:
    def answer(joined: JoinedWrites, _: Sent) -> None:
        joined.write(HEAD)
        getattr(joined, end)()

    sent = within(answer)
    assert (sent.writes, sent.told) == (writes, [end])


@given(st.lists(st.sampled_from([HEAD, b"", b"body", b"HTTP/1.1 chunk", b"HTTP"])))
def test_whatever_is_written_arrives_once_and_in_its_order(writes: list[bytes]) -> None:
    def write(joined: JoinedWrites, _: Sent) -> None:
        for data in writes:
            joined.write(data)

    assert b"".join(within(write).writes) == b"".join(writes)
