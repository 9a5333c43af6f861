"""Texts that are written together in an engine: who leaves, who fails, who is answered between two tokens."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from judges.base import ModelFailure, ModelUnavailable
from judges.engine.messages import Cancel, Drop, Message, Outcome, Running
from judges.engine.work import DeviceLost
from judges.questions import Answer, Generate
from tests.judges.engine import fakes
from tests.judges.engine.desk import Desk
from trueward.wire.model import Weights

MakeDesk = Callable[..., Desk]


@pytest.fixture
def desk_of() -> Iterator[MakeDesk]:
    desks: list[Desk] = []

    def make(batch_tokens: int = 10_000, memory_bytes: int = 100) -> Desk:
        desks.append(Desk(batch_tokens, 10**6, memory_bytes))
        return desks[-1]

    yield make
    for desk in desks:
        desk.engine.stop()
        desk.thread.join(20)
        assert not desk.thread.is_alive()


def say(length: int, most: int = 500, mark: str = "x") -> Generate:
    """A question whose answer has so many tokens."""
    return Generate(mark * length, most)


def said(outcome: Outcome) -> str:
    assert isinstance(outcome, Answer), repr(outcome)
    return outcome.text


def tokens(log: Path) -> list[list[str]]:
    """What was being written at each token."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [line.split(" ", 2)[2].split("|") for line in lines if line.startswith("token")]


def lines(log: Path, *kinds: str) -> list[str]:
    return [line.split()[0] for line in log.read_text().splitlines() if line.split()[0] in kinds]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_texts_are_written_together_and_answered_as_each_is_whole(desk_of: MakeDesk, tmp_path: Path) -> None:
    log, desk = tmp_path / "log", desk_of()
    desk.register(fakes.entry(log=log, token=0.01))
    first = desk.ask("read")
    long, short = desk.ask(say(30), Generate("ab", 9))
    assert said(desk.replied(short)[0]) == "ba"
    assert long not in desk.replies
    assert said(desk.replied(long)[0]) == "x" * 30
    desk.replied(*first)
    assert [len(texts) for texts in tokens(log)] == [2] * 2 + [1] * 28
    counters = desk.counters()
    assert counters["batches"] == 2
    assert counters["batch_tokens"] == 4 + 30 + 2 + 30 + 2
    assert counters["computed_tokens"] == 4 + 2 * 30 + 30 + 2


def test_a_batch_has_room_for_the_prompts_and_what_may_be_said(desk_of: MakeDesk, tmp_path: Path) -> None:
    log, desk = tmp_path / "log", desk_of(batch_tokens=100)
    desk.register(fakes.entry(log=log, load=0.1))
    found = desk.answers(*(say(5, most=20) for _ in range(9)), say(5, most=200))
    assert [said(outcome) for outcome in found] == ["xxxxx"] * 10
    assert max(map(len, tokens(log))) == 4
    assert sum(map(len, tokens(log))) == 50


def test_what_is_read_is_never_in_a_batch_with_what_is_written(desk_of: MakeDesk, tmp_path: Path) -> None:
    log, desk = tmp_path / "log", desk_of()
    desk.register(fakes.entry(log=log, load=0.1))
    asks = [say(6) if n % 3 == 0 else "read" for n in range(30)]
    found = desk.answers(*asks)
    assert all(isinstance(outcome, Answer) for outcome in found)
    assert all(text == "x" * 6 for texts in tokens(log) for text in texts)
    assert not any("x" in line for line in log.read_text().splitlines() if line.startswith("batch"))


def test_who_is_late_or_cancelled_leaves_at_the_next_token(desk_of: MakeDesk, tmp_path: Path) -> None:
    log, desk = tmp_path / "log", desk_of()
    desk.register(fakes.entry(log=log, token=0.01, load=0.2))
    late = desk.ask(say(400, mark="l"), within_s=0.7)
    cancelled, staying = desk.ask(say(400, mark="c"), say(150, mark="s"))
    until(lambda: len(tokens(log)) > 3)
    desk.engine.submit([Cancel(cancelled)])
    assert isinstance(desk.replied(*late)[0], TimeoutError)
    assert said(desk.replied(staying)[0]) == "s" * 150
    letters = ["".join(sorted(text[0] for text in texts)) for texts in tokens(log)]
    assert letters == sorted(letters, key=len, reverse=True)
    assert {letters[0], letters[-1]} == {"cls", "s"}
    assert cancelled not in desk.replies
    assert (desk.counters()["expired"], desk.counters()["cancelled"]) == (1, 1)


def test_when_nobody_waits_nothing_more_is_written(desk_of: MakeDesk, tmp_path: Path) -> None:
    log, desk = tmp_path / "log", desk_of()
    desk.register(fakes.entry(log=log, token=0.01))
    numbers = desk.ask(say(400), say(300))
    until(lambda: len(tokens(log)) > 3)
    desk.engine.submit([Cancel(number) for number in numbers])
    assert said(desk.answers(Generate("next", 9))[0]) == "txen"
    assert len(tokens(log)) < 200


def test_short_questions_are_answered_between_two_tokens_in_about_half_of_the_time(
    desk_of: MakeDesk, tmp_path: Path
) -> None:
    log, desk = tmp_path / "log", desk_of(batch_tokens=1200)
    desk.register(fakes.entry(log=log, token=0.004, delay=0.004))
    (writing,) = desk.ask(say(100))
    until(lambda: len(tokens(log)) > 2)
    desk.ask(*("r" * 1200 for _ in range(300)), flow="reading")
    desk.replied(*desk.ask("lone", flow="lone"))
    assert writing not in desk.replies
    desk.replied(writing)
    kinds = lines(log, "batch", "token")
    last = len(kinds) - kinds[::-1].index("token")
    between = kinds[:last].count("batch")
    assert 5 < between < 100
    assert "batch batch" not in " ".join(kinds[:last])


def test_another_model_in_memory_is_asked_between_two_tokens_and_none_is_loaded(
    desk_of: MakeDesk, tmp_path: Path
) -> None:
    log, desk = tmp_path / "log", desk_of(memory_bytes=10)
    names = {"m": 4, "n": 4, "large": 9}
    desk.register(*(fakes.entry(name, log=log, token=0.01, bytes=size) for name, size in names.items()))
    desk.answers("x", model="n")
    (writing,) = desk.ask(say(60))
    until(lambda: len(tokens(log)) > 2)
    (waiting,) = desk.ask("y", model="large")
    desk.answers("z", model="n")
    assert not {writing, waiting} & set(desk.replies)
    desk.replied(writing, waiting)
    assert lines(log, "load", "token")[-2:] == ["token", "load"]


def test_weights_wait_for_what_is_written_and_what_was_asked_later_waits_for_them(desk_of: MakeDesk) -> None:
    desk = desk_of()
    desk.register(fakes.entry(token=0.005), fakes.entry("other"))
    desk.answers("x", model="other")
    (writing,) = desk.ask(say(200))
    (before,) = desk.ask("before")
    swap = desk.swap("whole")
    (after,) = desk.ask("after")
    (written,) = desk.ask(say(3))
    elsewhere = desk.swap("whole", model="other")
    desk.replied(before, elsewhere)
    assert not {writing, swap, after, written} & set(desk.replies)
    found = desk.replied(writing, before, after, written)
    assert [answer.weights for answer in found if isinstance(answer, Answer)] == [0, 0, 1, 1]
    (weights,) = desk.replied(swap)
    assert isinstance(weights, Weights)


def test_a_batch_that_does_not_fit_is_written_again_in_smaller_ones(desk_of: MakeDesk, tmp_path: Path) -> None:
    log, desk = tmp_path / "log", desk_of()
    desk.register(fakes.entry(memory=30, log=log, load=0.1))
    found = desk.answers(say(3), *(say(8, most=9) for _ in range(11)), say(2))
    assert [said(outcome) for outcome in found] == ["x" * n for n in (3, *[8] * 11, 2)]
    assert desk.counters()["memory_splits"] >= 1
    alone = desk.answers(say(40))[0]
    assert isinstance(alone, ModelUnavailable)
    assert "540 tokens alone" in str(alone)
    assert desk.counters()["queue_tokens"] == 0


def test_a_text_that_does_not_fit_beside_other_models_is_written_without_them(desk_of: MakeDesk) -> None:
    desk = desk_of()
    desk.register(fakes.entry("m", memory=8), fakes.entry("n"))
    desk.answers("x", model="n")
    assert isinstance(desk.answers(say(12))[0], ModelUnavailable)
    assert desk.counters()["evictions"] == 1
    assert said(desk.answers(say(8))[0]) == "x" * 8


def test_what_fails_fails_alone(desk_of: MakeDesk, tmp_path: Path) -> None:
    log, desk = tmp_path / "log", desk_of()
    desk.register(fakes.entry(log=log, load=0.1))
    one, broken, long, other = desk.answers(say(5), Generate("an error", 9), Generate("too long", 9), say(7))
    assert (said(one), said(other)) == ("x" * 5, "x" * 7)
    assert isinstance(broken, ModelFailure)
    assert "IndexError" in str(broken)
    assert not isinstance(long, Answer)


@pytest.mark.parametrize("change", [True, False])
def test_a_model_that_is_dropped_or_changed_writes_no_more(desk_of: MakeDesk, tmp_path: Path, change: bool) -> None:
    log, desk = tmp_path / "log", desk_of()
    desk.register(fakes.entry(log=log, token=0.01))
    numbers = desk.ask(say(300), say(300))
    until(lambda: len(tokens(log)) > 2)
    if change:
        desk.register(fakes.entry(log=log))
    else:
        desk.engine.submit([Drop("m")])
    assert all(isinstance(outcome, ModelUnavailable) for outcome in desk.replied(*numbers))
    assert isinstance(desk.answers(say(3))[0], Answer) == change
    assert len(tokens(log)) < 100


def test_a_lost_device_ends_the_engine(desk_of: MakeDesk) -> None:
    desk = desk_of()
    desk.register(fakes.entry())
    (lost,) = desk.ask(Generate("lost", 9))
    desk.thread.join(20)
    assert isinstance(desk.lost, DeviceLost)
    assert lost not in desk.replies


def test_a_beat_counts_from_the_last_token_and_who_hosts_it_knows_what_is_running(desk_of: MakeDesk) -> None:
    desk, told = desk_of(), list[Message]()
    hear = desk.engine._tell

    def overheard(messages: Sequence[Message]) -> None:
        told.extend(messages)
        hear(messages)

    desk.engine._tell = overheard
    desk.register(fakes.entry(token=0.02))
    numbers = desk.ask(say(50), say(40))
    longest = 0.0
    while not set(numbers) <= set(desk.replies):
        longest = max(longest, desk.engine.beat().batch_s)
        time.sleep(0.002)
    assert 0 < longest < desk.counters()["busy_s"] / 2
    desk.answers("then")
    running = [message.numbers for message in told if isinstance(message, Running) and message.numbers]
    assert set(running[0]) <= set(numbers)
    assert len(running) == len(set(running))
    assert desk.counters()["busy_s"] > 0.02 * 50
    assert desk.engine.beat().batch_s == 0.0
