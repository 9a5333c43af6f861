"""The queue of one device: who is next, what goes together, and that nothing is lost, doubled or starved."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.base import ModelBusy
from judges.engine.item import Item
from judges.engine.schedule import Room, Schedule
from judges.questions import Classify, Generate


def schedule(batch_tokens: int = 100, queue_tokens: int = 10**9) -> Schedule:
    return Schedule(batch_tokens=batch_tokens, queue_tokens=queue_tokens)


def item(number: int, tokens: int = 10, flow: str = "a", model: str = "m", **more: object) -> Item:
    made = Item(number, model, Classify(""), flow, tokens)
    for name, value in more.items():
        setattr(made, name, value)
    return made


def numbers(items: list[Item]) -> list[int]:
    return [item.number for item in items]


def test_one_caller_is_served_in_order_of_arrival() -> None:
    queue = schedule(batch_tokens=30)
    for number in range(7):
        queue.add(item(number))
    assert [numbers(queue.take("m", packed=True)) for _ in range(3)] == [[0, 1, 2], [3, 4, 5], [6]]
    assert (len(queue), queue.tokens) == (0, 0)


def test_two_callers_share_each_batch() -> None:
    queue = schedule(batch_tokens=100)
    for number in range(20):
        queue.add(item(number, flow="a" if number < 10 else "b"))
    flows = Counter(taken.flow for taken in queue.take("m", packed=True))
    assert flows == {"a": 5, "b": 5}


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("group", [1, 16])
def test_a_lone_request_under_a_backlog_waits_for_two_batches_at_most(packed: bool, group: int) -> None:
    chance = random.Random(7)
    queue = schedule(batch_tokens=4096)
    backlog = [item(number, chance.randint(20, 600), prompt=number % (2000 // group)) for number in range(2000)]
    chance.shuffle(backlog)
    for waiting in backlog:
        queue.add(waiting)
    waits = []
    for lone in range(60):
        queue.take("m", packed=packed)
        queue.add(item(10_000 + lone, chance.randint(20, 600), flow=f"lone {lone}"))
        waits.append(1)
        while 10_000 + lone not in numbers(queue.take("m", packed=packed)):
            waits[-1] += 1
    assert max(waits) <= 2


def test_a_caller_who_asks_again_and_again_does_not_starve_another() -> None:
    queue = schedule(batch_tokens=100)
    for number in range(5):
        queue.add(item(number, 100, flow="steady"))
    queue.add(item(1000, 100, flow="eager"))
    served = []
    for again in range(1001, 1012):
        served += queue.take("m", packed=True)
        queue.add(item(again, 100, flow="eager"))
    assert [taken.number for taken in served if taken.flow == "steady"] == [0, 1, 2, 3, 4]


def test_ever_new_callers_do_not_starve_one_who_waits() -> None:
    queue = schedule(batch_tokens=100)
    for number in range(3):
        queue.add(item(number, 100, flow="old"))
    served: list[int] = []
    for fresh in range(1000, 1200):
        queue.add(item(fresh, 100, flow=f"new {fresh}"))
        queue.add(item(fresh + 1000, 100, flow=f"newer {fresh}"))
        served += numbers(queue.take("m", packed=True))
    assert {0, 1, 2} <= set(served)


def test_a_cancelled_backlog_is_not_held_against_its_caller() -> None:
    queue = schedule(batch_tokens=100)
    backlog = [item(number, 100, flow="a") for number in range(50)]
    for waiting in backlog:
        queue.add(waiting)
    for number in range(100, 105):
        queue.add(item(number, 100, flow="b"))
    assert all(queue.drop(waiting) for waiting in backlog)
    assert not queue.drop(backlog[0])
    queue.add(item(200, 100, flow="a"))
    assert 200 in [number for _ in range(2) for number in numbers(queue.take("m", packed=True))]


def test_those_of_the_same_prompt_ride_together() -> None:
    queue = schedule(batch_tokens=80)
    for number in range(24):
        queue.add(item(number, prompt=("p", number % 3)))
    assert [set(numbers(queue.take("m", packed=packed))) for packed in (True, False, True)] == [
        set(range(first, 24, 3)) for first in range(3)
    ]


def test_a_padded_batch_takes_neighbours_in_length() -> None:
    queue = schedule(batch_tokens=400)
    for number in range(12):
        queue.add(item(number, [100, 10, 90][number % 3]))
    assert [taken.estimate for taken in queue.take("m", packed=False)] == [100] * 4
    assert [taken.estimate for taken in queue.take("m", packed=False)] == [10, 10, 10, 10]
    assert [taken.estimate for taken in queue.take("m", packed=False)] == [90] * 4


def test_what_is_to_run_alone_does() -> None:
    queue = schedule()
    for number in range(4):
        queue.add(item(number, alone=number == 1))
    assert [numbers(queue.take("m", packed=True)) for _ in range(2)] == [[0, 2, 3], [1]]


def test_a_full_queue_refuses_and_an_empty_one_takes_anything() -> None:
    queue = schedule(queue_tokens=100)
    queue.add(item(0, 500))
    with pytest.raises(ModelBusy, match="500 tokens wait"):
        queue.add(item(1, 1))
    queue.take("m", packed=True)
    queue.add(item(2, 60))
    queue.add(item(3, 40))
    with pytest.raises(ModelBusy):
        queue.add(item(4, 1))


def test_the_model_in_memory_goes_first_until_patience_ends() -> None:
    queue = schedule()
    assert queue.choose(0, ()) is None
    queue.add(item(0, model="other"))
    queue.add(item(1, model="here"))
    assert queue.choose(10.0, ("here",), patience_s=5) == "here"
    assert queue.choose(14.9, ("here",), patience_s=5) == "here"
    assert queue.choose(15.0, ("here",), patience_s=5) == "other"
    assert queue.choose(16.0, ("other",), patience_s=5) == "other"
    queue.take("other", packed=True)
    assert queue.choose(16.1, ("other",), patience_s=5) == "here"


def test_a_fence_is_reached_when_all_before_it_are_taken_or_gone() -> None:
    queue = schedule(batch_tokens=20)
    before = [item(number) for number in range(4)]
    for waiting in before:
        queue.add(waiting)
    fence = queue.fence("m")
    queue.add(item(9, flow="b"))
    assert not queue.has_reached("m", fence)
    assert numbers(queue.take("m", packed=True)) == [0, 1]
    assert numbers(queue.take("m", packed=True)) == [2, 3]
    assert queue.has_reached("m", fence)
    assert numbers(queue.take("m", packed=True)) == [9]


def written(number: int, tokens: int = 10) -> Item:
    return item(number, tokens, question=Generate("", 1))


def test_what_is_written_goes_together_and_is_padded() -> None:
    queue = schedule(batch_tokens=100)
    for number, tokens in enumerate([30, 10, 30, 10, 30, 30]):
        queue.add(written(number, tokens) if number % 2 == 0 else item(number, tokens))
    assert numbers(queue.take("m", packed=True)) == [0, 2, 4]
    assert numbers(queue.take("m", packed=True)) == [1, 3, 5]


def test_between_two_tokens_the_first_that_is_read_is_next_but_none_from_behind_a_fence() -> None:
    queue = schedule(batch_tokens=100)
    for number in range(3):
        queue.add(written(number))
    assert queue.find_next_read("m") is None
    queue.add(item(3))
    queue.add(item(4, model="other", flow="b"))
    queue.fence("m")
    queue.add(item(5))
    other, mine = queue.find_next_read(["other", "m"]), queue.find_next_read(["m"])
    assert other is not None
    assert mine is not None
    assert (other.number, mine.number) == (4, 3)
    assert numbers(queue.take("m", packed=True, between=mine)) == [3]
    assert queue.find_next_read(["m"]) is None
    assert numbers(queue.take("m", packed=True)) == [0, 1, 2]
    last = queue.find_next_read(["m"])
    assert last is not None
    assert last.number == 5


def test_ever_new_callers_do_not_starve_one_who_waits_between_two_tokens() -> None:
    queue = schedule(batch_tokens=100)
    queue.add(written(0, 100))
    for number in range(1, 4):
        queue.add(item(number, 100, flow="old"))
    served: list[int] = []
    for fresh in range(1000, 1200):
        queue.add(item(fresh, 100, flow=f"new {fresh}"))
        queue.add(item(fresh + 1000, 100, flow=f"newer {fresh}"))
        served += numbers(queue.take("m", packed=True, between=queue.find_next_read("m")))
    assert {1, 2, 3} <= set(served)
    assert 0 not in served


@pytest.mark.parametrize(("packed", "cost"), [(True, 60), (False, 90)])
def test_a_padded_batch_costs_its_longest_text_times_their_number(packed: bool, cost: int) -> None:
    room = Room(90, packed)
    assert [room.admits(tokens) for tokens in (10, 20, 30)] == [True, True, True]
    assert room.cost == cost
    assert not room.admits(31)
    assert room.cost == cost


@dataclass
class Seen:
    """A queue that is worked on at random, and what became of each item."""

    queue: Schedule
    fates: Counter[int] = field(default_factory=Counter)
    waiting: dict[int, Item] = field(default_factory=dict)
    refused: int = 0
    now: float = 0.0

    def gone(self, items: list[Item]) -> None:
        for gone in items:
            self.fates[gone.number] += 1
            del self.waiting[gone.number]


STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("add"),
            st.sampled_from("ab"),
            st.sampled_from("xyz"),
            st.integers(1, 60),
            st.none() | st.integers(0, 2),
            st.sampled_from([1.0, 3.0, inf]),
            st.booleans(),
            st.sampled_from([Classify(""), Generate("", 1)]),
        ),
        st.tuples(st.just("take"), st.booleans(), st.integers(0, 3)),
        st.tuples(st.just("between"), st.booleans()),
        st.tuples(st.just("cancel"), st.integers(0, 30)),
        st.tuples(st.just("pass"), st.sampled_from([0.5, 2.0])),
        st.tuples(st.just("fence"), st.sampled_from("ab")),
        st.tuples(st.just("drain"), st.sampled_from("ab")),
    ),
    max_size=60,
)


@settings(max_examples=300, deadline=None)
@given(STEPS)
def test_whatever_happens_each_item_leaves_once_and_no_batch_is_too_large(steps: list[tuple[object, ...]]) -> None:
    seen = Seen(schedule(batch_tokens=64, queue_tokens=400))
    for number, step in enumerate(steps):
        _do(seen, number, step)
        assert len(seen.queue) == len(seen.waiting)
        assert seen.queue.tokens == sum(waiting.estimate for waiting in seen.waiting.values())
    while (model := seen.queue.choose(seen.now, "a", patience_s=1.0)) is not None:
        seen.gone(_batch(seen, model, packed=True))
        seen.now += 1.0
    assert seen.waiting == {}
    assert set(seen.fates.values()) <= {1}
    assert sum(seen.fates.values()) + seen.refused == sum(step[0] == "add" for step in steps)


def _do(seen: Seen, number: int, step: tuple[object, ...]) -> None:
    match step:
        case ("add", str(model), str(flow), int(tokens), prompt, float(patience), bool(alone), question):
            late = seen.now + patience
            made = item(number, tokens, flow, model, prompt=prompt, deadline=late, alone=alone, question=question)
            try:
                seen.queue.add(made)
                seen.waiting[number] = made
            except ModelBusy:
                assert seen.queue.tokens + tokens > 400
                seen.refused += 1
        case ("take", bool(packed), int(back)):
            chosen = seen.queue.choose(seen.now, "a")
            if chosen is not None:
                batch = _batch(seen, chosen, packed=packed)
                kept = max(1, len(batch) - back)
                seen.queue.put_back(batch[kept:])
                seen.gone(batch[:kept])
        case ("between", bool(packed)):
            first = seen.queue.find_next_read("ab")
            if first is not None:
                batch = _batch(seen, first.model, packed=packed, between=first)
                assert not any(taken.writes for taken in batch)
                seen.gone(batch)
        case ("cancel", int(which)):
            if which in seen.waiting:
                assert seen.queue.drop(seen.waiting[which])
                seen.gone([seen.waiting[which]])
        case ("pass", float(seconds)):
            seen.now += seconds
            expired = seen.queue.expire(seen.now)
            assert all(late.deadline <= seen.now for late in expired)
            seen.gone(expired)
            assert all(waiting.deadline > seen.now for waiting in seen.waiting.values())
        case ("fence", str(model)):
            seen.queue.fence(model)
        case ("drain", str(model)):
            seen.gone(seen.queue.drain(model))


def _batch(seen: Seen, model: str, *, packed: bool, between: Item | None = None) -> list[Item]:
    batch = seen.queue.take(model, packed=packed, between=between)
    lengths = [taken.tokens for taken in batch]
    assert len({taken.writes for taken in batch}) == 1
    assert (sum(lengths) if packed and not batch[0].writes else max(lengths) * len(lengths)) <= 64 or len(batch) == 1
    assert {taken.model for taken in batch} == {model}
    assert len({taken.fence for taken in batch}) == 1
    assert batch[0].fence == min(waiting.fence for waiting in seen.waiting.values() if waiting.model == model)
    assert len(batch) == 1 or not any(taken.alone for taken in batch)
    return batch
