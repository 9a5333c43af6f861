"""What travels between pool and worker."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.lanes.cpu import frames
from trueward.wire.verdict import Outcome, Verdict


@given(st.lists(st.integers(1, 40), max_size=60))
def test_verdicts_survive_any_cut_of_the_stream(cuts: list[int]) -> None:
    verdicts = [Verdict.correct("fine", "é" * count) for count in range(20)]
    sent = frames.READY + b"".join(frames.pack_verdict(7, index, verdict) for index, verdict in enumerate(verdicts))
    stream, received = frames.VerdictStream(), []
    for cut in [*cuts, len(sent)]:
        received += list(stream.feed(sent[:cut]))
        sent = sent[cut:]
    assert received[0] == (0, 0, b"")
    assert [(chunk, index) for chunk, index, _ in received[1:]] == [(7, index) for index in range(20)]
    assert [Verdict.model_validate_json(body) for _, _, body in received[1:]] == verdicts


def test_garbage_is_not_waited_for() -> None:
    with pytest.raises(frames.Garbled):
        list(frames.VerdictStream().feed(b"\xff" * 64))


def test_a_verdict_that_cannot_travel_becomes_an_error() -> None:
    for verdict in (Verdict.correct("fine", "\udfff"), Verdict.correct("fine", "x" * frames.MAX_VERDICT_BYTES)):
        [(_, _, body)] = frames.VerdictStream().feed(frames.pack_verdict(1, 0, verdict))
        assert Verdict.model_validate_json(body).outcome is Outcome.ERROR


def test_a_chunk_survives_the_socket() -> None:
    here, there = socket.socketpair()
    with here, there:
        item = frames.pack_item("math", "{}", ("lone \ud800", "\0"))
        here.sendall(frames.pack_chunk(3, [item, item]))
        number, items = frames.receive_chunk(there)
        assert number == 3
        assert [frames.unpack_item(one) for one in items] == [("math", "{}", ("lone \ud800", "\0"))] * 2
        here.close()
        with pytest.raises(EOFError):
            frames.receive_chunk(there)
