"""An engine in a thread: what becomes of each question, whatever goes wrong with its neighbours."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path

import pytest

from judges.base import (
    ModelBusy,
    ModelFailure,
    ModelUnavailable,
    NotFinite,
    TooLong,
    UnknownModel,
    WeightsBehind,
)
from judges.engine.messages import Cancel, Drop, Load, Outcome, Register, Swap
from judges.engine.work import DeviceLost
from judges.questions import Answer, Generate, Question
from tests.judges.engine import fakes
from tests.judges.engine.desk import Desk
from trueward.wire.model import Weights, WeightsRequest

MakeDesk = Callable[..., Desk]


@pytest.fixture
def desk_of() -> Iterator[MakeDesk]:
    desks: list[Desk] = []

    def make(batch_tokens: int = 100, queue_tokens: int = 10_000, memory_bytes: int = 100) -> Desk:
        desks.append(Desk(batch_tokens, queue_tokens, memory_bytes))
        return desks[-1]

    yield make
    for desk in desks:
        desk.engine.stop()
        desk.thread.join(20)
        assert not desk.thread.is_alive()


@pytest.fixture
def desk(desk_of: MakeDesk) -> Desk:
    desk = desk_of()
    desk.register(fakes.entry())
    return desk


def length(outcome: Outcome) -> float:
    assert isinstance(outcome, Answer), repr(outcome)
    return outcome.rows[0][0]


def batches(log: Path) -> list[list[str]]:
    lines = log.read_text().splitlines()
    return [line.split(" ", 2)[2].split("|") for line in lines if line.startswith("batch")]


def test_each_question_gets_its_own_answer(desk: Desk) -> None:
    texts = ["x" * count for count in range(1, 60)]
    assert [length(answer) for answer in desk.answers(*texts)] == [float(len(text)) for text in texts]
    counters = desk.counters()
    assert counters["answered"] == 59
    assert counters["batch_tokens"] == counters["computed_tokens"] == sum(map(len, texts))
    assert 18 <= counters["batches"] <= 59


def test_no_batch_costs_more_than_the_budget_but_a_long_text_alone(desk_of: MakeDesk, tmp_path: Path) -> None:
    for padded in (False, True):
        log, desk = tmp_path / f"{padded}.log", desk_of(batch_tokens=40)
        desk.register(fakes.entry(log=log, padded=1) if padded else fakes.entry(log=log))
        desk.answers(*("x" * (1 + count % 23) for count in range(50)), "y" * 95)
        found = [list(map(len, batch)) for batch in batches(log)]
        assert [95] in found
        for lengths in found:
            cost = max(lengths) * len(lengths) if padded else sum(lengths)
            assert cost <= 40 or len(lengths) == 1
    counters = desk.counters()
    assert counters["computed_tokens"] > counters["batch_tokens"]


def test_what_cannot_be_encoded_fails_alone(desk: Desk) -> None:
    before, long, broken, after = desk.answers("before", "too long", "bad template", "after")
    assert (length(before), length(after)) == (6.0, 5.0)
    assert isinstance(long, TooLong)
    assert long.part == "response"
    assert isinstance(broken, ModelFailure)
    assert "KeyError" in str(broken)


def test_a_number_that_is_none_fails_alone(desk: Desk) -> None:
    good, nan, infinite, last = desk.answers("good", "nan", "inf", "last!")
    assert (length(good), length(last)) == (4.0, 5.0)
    assert isinstance(nan, NotFinite)
    assert isinstance(infinite, NotFinite)


def test_a_batch_that_fails_is_run_again_one_by_one(desk: Desk) -> None:
    outcomes = desk.answers("one", "an error", "three")
    assert [length(outcomes[0]), length(outcomes[2])] == [3.0, 5.0]
    assert isinstance(outcomes[1], ModelFailure)
    assert "IndexError" in str(outcomes[1])


def test_a_batch_that_does_not_fit_is_halved_until_it_does(desk_of: MakeDesk, tmp_path: Path) -> None:
    log, desk = tmp_path / "log", desk_of(batch_tokens=200)
    desk.register(fakes.entry(memory=12, log=log))
    outcomes = desk.answers(*("x" * count for count in (5, 6, 4, 13, 3, 6, 2)))
    assert isinstance(outcomes[3], ModelUnavailable)
    assert "13 tokens" in str(outcomes[3])
    assert [length(found) for found in outcomes if isinstance(found, Answer)] == [5.0, 6.0, 4.0, 3.0, 6.0, 2.0]
    assert desk.counters()["memory_splits"] >= 3


def test_after_memory_ran_out_batches_are_smaller_and_grow_again(desk_of: MakeDesk, tmp_path: Path) -> None:
    log, desk = tmp_path / "log", desk_of(batch_tokens=80)
    desk.register(fakes.entry(memory=50, log=log))
    assert [length(answer) for answer in desk.answers(*("x" * 10 for _ in range(400)))] == [10.0] * 400
    assert 2 <= desk.counters()["memory_splits"] <= 25
    sizes = {len(batch) for batch in batches(log)[-40:]}
    assert {4, 5} <= sizes


def test_whatever_is_asked_and_cancelled_each_question_is_answered_once_or_cancelled(desk_of: MakeDesk) -> None:
    chance = random.Random(11)
    desk = desk_of(batch_tokens=60, queue_tokens=400, memory_bytes=10)
    desk.register(
        fakes.entry("m", memory=45), fakes.entry("n", bytes=8, padded=1), fakes.entry("broken", broken=1, bytes=9)
    )
    texts: list[str | Question] = ["x" * 7, "y" * 30, "nan", "an error", "too long", "z" * 55, "bad template"]
    texts += [Generate(text, 9) for text in ("x" * 3, "y" * 20, "an error", "too long")]
    numbers, cancelled, swaps = [], set(), []
    for _ in range(300):
        numbers += desk.ask(
            *chance.choices(texts, k=chance.randint(1, 4)),
            model=chance.choice(["m", "m", "n", "broken"]),
            within_s=chance.choice([0.0, 0.01, inf]),
            least=chance.choice([0, 0, 0, 1]),
            flow=chance.choice("abc"),
        )
        if chance.random() < 0.2:
            cancelled.add(chance.choice(numbers))
            desk.engine.submit([Cancel(number) for number in cancelled])
        if chance.random() < 0.1:
            swaps.append(desk.swap(chance.choice(["whole", "part", "truncated"]), model=chance.choice("mn")))
        time.sleep(0.001)
    swaps += [desk.swap("whole", model=model) for model in "mn"]
    desk.engine.submit([Drop("broken")])
    desk.replied(*swaps, *(number for number in numbers if number not in cancelled))
    assert all(len(found) == 1 for found in desk.replies.values())
    for outcome in (found[0] for number, found in desk.replies.items() if number not in swaps):
        assert isinstance(outcome, Answer | ModelFailure | TooLong | TimeoutError)
    counters = desk.counters()
    assert counters["queue_items"] == counters["queue_tokens"] == 0


def test_a_text_that_does_not_fit_beside_other_models_fits_without_them(desk_of: MakeDesk) -> None:
    desk = desk_of()
    desk.register(fakes.entry("m", memory=8), fakes.entry("n"))
    desk.answers("x", model="n")
    assert isinstance(desk.answers("far too much")[0], ModelUnavailable)
    assert desk.counters()["evictions"] == 1


def test_a_cancelled_question_is_not_run(desk_of: MakeDesk, tmp_path: Path) -> None:
    log, desk = tmp_path / "log", desk_of(batch_tokens=8)
    desk.register(fakes.entry(delay=0.05, log=log))
    numbers = desk.ask(*(f"number{count}" for count in range(8)))
    desk.engine.submit([Cancel(number) for number in numbers[4:]])
    desk.replied(*numbers[:4])
    assert length(desk.answers("last")[0]) == 4.0
    assert set(desk.replies).isdisjoint(numbers[4:])
    assert not any(f"number{count}" in batch for batch in batches(log) for count in range(4, 8))
    assert desk.counters()["cancelled"] == 4
    assert desk.counters()["queue_tokens"] == 0


def test_what_is_late_is_not_run(desk_of: MakeDesk, tmp_path: Path) -> None:
    log, desk = tmp_path / "log", desk_of(batch_tokens=8)
    desk.register(fakes.entry(delay=0.1, log=log))
    early = desk.ask("x" * 8, "y" * 8)
    late = desk.ask("late", within_s=0.01)
    assert all(isinstance(found, Answer) for found in desk.replied(*early))
    assert isinstance(desk.replied(*late)[0], TimeoutError)
    assert desk.counters()["expired"] == 1
    assert "late" not in log.read_text()


def test_a_full_queue_refuses_at_once(desk_of: MakeDesk) -> None:
    desk = desk_of(batch_tokens=10, queue_tokens=20)
    desk.register(fakes.entry(delay=0.05))
    outcomes = desk.answers(*("x" * 10 for _ in range(40)))
    busy = [found for found in outcomes if isinstance(found, ModelBusy)]
    assert 0 < len(busy) < 40
    assert all(length(found) == 10.0 for found in outcomes if found not in busy)
    assert desk.counters()["refused"] == len(busy)
    assert length(desk.answers("again")[0]) == 5.0


def test_a_lone_question_under_a_backlog_is_answered_within_three_batches(desk_of: MakeDesk, tmp_path: Path) -> None:
    log, desk = tmp_path / "log", desk_of(batch_tokens=50)
    desk.register(fakes.entry(delay=0.02, log=log))
    backlog = desk.ask(*("x" * 10 for _ in range(400)), flow="backlog")
    desk.replied(backlog[0])
    for lone in range(10):
        before = len(batches(log))
        desk.answers(f"lone {lone}", flow=f"lone {lone}")
        (served,) = [index for index, batch in enumerate(batches(log)) if f"lone {lone}" in batch]
        assert served - before <= 3
    assert len(desk.replies) < 400
    desk.replied(*backlog)


def test_weights_come_between_two_batches_in_order(desk_of: MakeDesk) -> None:
    desk = desk_of(batch_tokens=10)
    desk.register(fakes.entry(delay=0.005))
    before = desk.ask(*("x" * 10 for _ in range(10)))
    first = desk.swap("whole")
    between = desk.ask(*("x" * 10 for _ in range(10)), flow="other")
    second = desk.swap("whole", 7)
    after = desk.ask(*("x" * 10 for _ in range(10)))
    for numbers, version in ((before, 0), (between, 1), (after, 7)):
        found = desk.replied(*numbers)
        assert [answer.weights for answer in found if isinstance(answer, Answer)] == [version] * 10
    swapped = desk.replied(first, second)
    assert [weights.version for weights in swapped if isinstance(weights, Weights)] == [1, 7]
    assert desk.counters()["swaps"] == 2


def test_weights_that_are_wrong_change_nothing(desk: Desk) -> None:
    desk.replied(desk.swap("whole", 3))
    (old,) = desk.replied(desk.swap("whole", 3))
    (truncated,) = desk.replied(desk.swap("truncated"))
    assert isinstance(old, ValueError)
    assert "version 3 already" in str(old)
    assert isinstance(truncated, ValueError)
    (answer,) = desk.answers("x")
    assert isinstance(answer, Answer)
    assert answer.weights == 3


def test_a_swap_that_breaks_in_the_middle_leaves_no_mixture(desk: Desk) -> None:
    desk.replied(desk.swap("part", 2))
    (strange,) = desk.replied(desk.swap("strange"))
    assert isinstance(strange, ModelUnavailable)
    (answer,) = desk.answers("x")
    assert isinstance(answer, Answer)
    assert answer.weights == 2
    assert desk.counters()["loads"] == 2


def test_what_demands_newer_weights_waits_for_them(desk: Desk) -> None:
    waiting = desk.ask("x", least=2)
    late = desk.ask("y", least=2, within_s=0.05)
    assert length(desk.answers("now")[0]) == 3.0
    desk.replied(desk.swap("whole", 1))
    (behind,) = desk.replied(*late)
    assert isinstance(behind, WeightsBehind)
    assert "version 1, not 2" in str(behind)
    assert not set(waiting) & set(desk.replies)
    desk.replied(desk.swap("whole", 2))
    (answer,) = desk.replied(*waiting)
    assert isinstance(answer, Answer)
    assert answer.weights == 2


def test_models_take_turns_in_memory_and_keep_their_weights(desk_of: MakeDesk, tmp_path: Path) -> None:
    log, desk = tmp_path / "log", desk_of(memory_bytes=10)
    desk.register(*(fakes.entry(name, bytes=6, log=log) for name in "ab"))
    desk.replied(desk.swap("whole", 4, model="a"), desk.swap("part", 5, model="a"))
    for _ in range(2):
        numbers = [*desk.ask("x", model="a"), *desk.ask("y", model="b")]
        one, other = desk.replied(*numbers)
        assert isinstance(one, Answer)
        assert isinstance(other, Answer)
        assert (one.weights, other.weights) == (5, 0)
        assert desk.counters()["memory_bytes"] <= 10
    assert desk.counters()["evictions"] >= 2
    assert "swap a whole 4\nswap a part 5\n" in log.read_text().split("load a")[2]


def test_a_model_that_cannot_be_loaded_fails_its_own_questions_and_is_not_tried_at_once(
    desk_of: MakeDesk, tmp_path: Path
) -> None:
    log, desk = tmp_path / "log", desk_of()
    desk.register(fakes.entry("broken", broken=1, log=log), fakes.entry("whole"))
    for _ in range(3):
        broken, whole = desk.replied(*desk.ask("x", model="broken"), *desk.ask("y", model="whole"))
        assert isinstance(broken, ModelUnavailable)
        assert "no such directory" in str(broken)
        assert length(whole) == 1.0
    assert log.read_text().count("load") == 1
    status = desk.engine.beat().statuses
    assert (status["broken"].state, status["broken"].detail) == ("failed", "there is no such directory")
    assert status["whole"].state == "ready"


def test_a_model_can_be_loaded_before_it_is_asked(desk: Desk) -> None:
    desk.register(fakes.entry("broken", broken=1))
    desk.engine.submit([Load(100, "m"), Load(101, "broken"), Load(102, "unknown")])
    ready, broken, unknown = desk.replied(100, 101, 102)
    assert ready is None
    assert isinstance(broken, ModelUnavailable)
    assert isinstance(unknown, UnknownModel)


@pytest.mark.parametrize("change", [Drop("m"), Register(fakes.entry("m", delay=0.0))])
def test_what_waits_for_a_model_that_is_dropped_or_changed_fails(desk_of: MakeDesk, change: Drop | Register) -> None:
    desk = desk_of(batch_tokens=10)
    desk.register(fakes.entry(delay=0.05))
    numbers = desk.ask(*("x" * 10 for _ in range(10)))
    desk.engine.submit([Swap(200, "m", WeightsRequest(path="whole")), change])
    outcomes = desk.replied(*numbers, 200)
    assert all(isinstance(found, Answer | ModelUnavailable) for found in outcomes)
    assert "changed or taken away" in str(outcomes[-1])
    (then,) = desk.answers("x")
    assert isinstance(then, UnknownModel if isinstance(change, Drop) else Answer)


def test_a_lost_device_ends_the_engine(desk: Desk) -> None:
    (lost,) = desk.ask("lost")
    desk.thread.join(20)
    assert isinstance(desk.lost, DeviceLost)
    assert lost not in desk.replies


def test_a_beat_tells_how_long_a_batch_takes(desk_of: MakeDesk) -> None:
    desk = desk_of()
    desk.register(fakes.entry(delay=0.3))
    desk.ask("x")
    deadline = time.monotonic() + 20
    while not 0.1 < desk.engine.beat().batch_s < 20:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    desk.replied(1)
