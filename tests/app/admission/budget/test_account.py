"""An account is never overdrawn, and never refuses what has room: whoever asks at once, waits, leaves or is killed."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.admission.budget.account import Account, StoredAccount
from app.admission.budget.amount import NOTHING, Amount
from judges.base import BudgetSpent
from rewards.budget import Budget
from tests.app.admission.budget.stored import KEY, Memory, Noted, calls, opened


def soon(s: float = 5.0) -> float:
    return asyncio.get_running_loop().time() + s


async def asked(account: Account, most: Amount, spent: Amount) -> bool:
    """Whether there was room for a question."""
    try:
        await account.reserve(most, soon())
    except BudgetSpent:
        return False
    await asyncio.sleep(0)
    account.settle(most, spent)
    return True


async def test_of_two_hundred_at_once_as_many_pass_as_have_room() -> None:
    account = opened(store := Memory(), Budget(calls=37))
    passed = await asyncio.gather(*(asked(account, calls(1), calls(1)) for _ in range(200)))
    assert sum(passed) == 37
    assert account.spent == calls(37) == store.drawn
    assert account.share == 1.0


@pytest.mark.parametrize("budget", [Budget(tokens=370), Budget(cost=370e-9), Budget(tokens=10_000, cost=370e-9)])
async def test_what_is_given_back_makes_room_for_those_that_wait(budget: Budget) -> None:
    """Each reserves 100 and spends 10: only three fit at a time, and 28 in the end, when the rest is below 100."""
    account = opened(Memory(), budget)
    most, spent = Amount(100, 100, 1), Amount(10, 10, 1)
    passed = await asyncio.gather(*(asked(account, most, spent) for _ in range(200)))
    assert sum(passed) == 28
    assert account.spent == Amount(280, 280, 28)


async def test_what_can_never_fit_is_refused_at_once() -> None:
    account = opened(Memory(), Budget(tokens=100))
    await account.reserve(Amount(tokens=40), soon())
    with pytest.raises(BudgetSpent, match="no room for another question"):
        await account.reserve(Amount(tokens=101), soon())
    waiting = asyncio.ensure_future(account.reserve(Amount(tokens=70), soon()))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    account.settle(Amount(tokens=40), Amount(tokens=31))
    with pytest.raises(BudgetSpent):
        await waiting


async def test_who_waits_gives_up_at_the_deadline_and_leaves_no_trace() -> None:
    account = opened(Memory(), Budget(calls=1))
    await account.reserve(calls(1), soon())
    with pytest.raises(TimeoutError):
        await account.reserve(calls(1), soon(0.02))
    account.settle(calls(1), calls(0))
    await account.reserve(calls(1), soon(0.02))


async def test_who_goes_away_while_it_waits_leaves_its_place_to_the_next() -> None:
    account = opened(Memory(), Budget(calls=1))
    await account.reserve(calls(1), soon())
    waiting = [asyncio.ensure_future(account.reserve(calls(1), soon())) for _ in range(2)]
    await asyncio.sleep(0.01)
    waiting[0].cancel()
    account.settle(calls(1), calls(0))
    await waiting[1]
    assert waiting[0].cancelled()


async def test_who_goes_away_during_a_draw_loses_nothing_of_it() -> None:
    account = opened(store := Memory(), Budget(calls=1))
    going = asyncio.ensure_future(account.reserve(calls(1), soon()))
    while not store.swaps:
        await asyncio.sleep(0)
    going.cancel()
    await asyncio.gather(going, return_exceptions=True)
    await account.reserve(calls(1), soon())
    assert store.drawn == calls(1)


async def test_one_that_holds_what_others_wait_for_does_not_wait() -> None:
    account = opened(Memory(), Budget(calls=2))
    await account.reserve(calls(2), soon())
    waiting = asyncio.ensure_future(account.reserve(calls(1), soon()))
    await asyncio.sleep(0.01)
    with pytest.raises(BudgetSpent):
        await account.reserve_again(calls(1))
    account.settle(calls(2), calls(1))
    await waiting


async def test_without_a_budget_nothing_is_refused_or_waited_for_and_all_is_counted() -> None:
    account = opened(store := Memory(failing=OSError("down")), None)
    for _ in range(100):
        assert await asked(account, Amount(9, 9, 1), Amount(5, 3, 1))
    assert account.spent == Amount(500, 300, 100)
    store.failing = None
    await account.tidy()
    assert store.drawn == account.spent == Amount(500, 300, 100)


async def test_the_database_is_written_a_block_at_a_time() -> None:
    account = opened(store := Memory(), Budget(calls=10_000))
    for _ in range(1_000):
        assert await asked(account, calls(1), calls(1))
    assert store.swaps == 5
    assert (account.spent, store.drawn) == (calls(1_000), calls(1_000))


async def test_after_a_kill_no_question_is_forgotten_and_less_than_a_block_is_lost() -> None:
    store = Memory()
    killed = opened(store, Budget(calls=1_000))
    for _ in range(31):
        assert await asked(killed, calls(1), calls(1))
    await killed.reserve(calls(1), soon())
    after = opened(store, Budget(calls=1_000))
    await after.look()
    assert after.spent == calls(40)
    passed = [await asked(after, calls(1), calls(1)) for _ in range(1_000)]
    assert sum(passed) == 960


async def test_two_servers_share_one_budget() -> None:
    store = Memory()
    servers = [opened(store, Budget(calls=100)) for _ in range(2)]
    passed = await asyncio.gather(*(asked(servers[turn % 2], calls(1), calls(1)) for turn in range(300)))
    assert sum(passed) == 100
    assert store.drawn == calls(100)


async def test_what_one_server_does_not_use_another_may_have() -> None:
    store = Memory()
    first, second = (opened(store, Budget(calls=100)) for _ in range(2))
    assert await asked(first, calls(1), calls(1))
    assert store.drawn == calls(2)
    assert not await first.tidy()
    assert store.drawn == calls(2), "used a moment ago"
    assert await first.tidy()
    assert store.drawn == calls(1)
    assert sum([await asked(second, calls(1), calls(1)) for _ in range(120)]) == 99


async def test_two_servers_that_give_back_at_once_lose_nothing() -> None:
    store = Memory()
    servers = [opened(store, Budget(calls=1000)) for _ in range(2)]
    for server in servers:
        assert await asked(server, calls(1), calls(1))
    await asyncio.gather(*(server.tidy(idle=True) for server in servers))
    assert store.drawn == calls(2)
    assert sum([await asked(servers[turn % 2], calls(1), calls(1)) for turn in range(40)]) == 40
    await asyncio.gather(*(server.tidy(idle=True) for server in servers))
    assert store.drawn == calls(42)


async def test_what_was_given_back_is_not_spent_though_nobody_knows_whether_it_was() -> None:
    account = opened(store := Memory(), Budget(calls=100))
    assert await asked(account, calls(1), calls(1))
    store.loses = True
    with pytest.raises(OSError, match="lost"):
        await account.tidy(idle=True)
    assert store.drawn == calls(1)
    assert sum([await asked(account, calls(1), calls(1)) for _ in range(120)]) == 99


async def test_what_was_drawn_is_not_spent_where_nobody_knows_whether_it_was() -> None:
    account = opened(store := Memory(loses=True), Budget(calls=100))
    assert sum([await asked(account, calls(1), calls(1)) for _ in range(120)]) == 98
    assert store.drawn == calls(100)


async def test_while_the_database_is_down_a_question_waits_for_it() -> None:
    account = opened(store := Memory(failing=OSError("down")), Budget(calls=10))
    waiting = asyncio.ensure_future(account.reserve(calls(1), soon(10)))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    store.failing = None
    await waiting


async def test_a_bug_of_the_store_is_not_waited_for() -> None:
    account = opened(Memory(failing=KeyError("bug")), Budget(calls=10))
    with pytest.raises(KeyError):
        await account.reserve(calls(1), soon())


async def test_an_answer_that_costs_more_than_the_most_is_counted_whole_and_is_the_last() -> None:
    account = opened(store := Memory(), Budget(tokens=100))
    assert await asked(account, Amount(tokens=60), Amount(tokens=250))
    assert account.spent == Amount(tokens=250)
    assert not await asked(account, Amount(tokens=1), Amount(tokens=1))
    await account.tidy()
    assert store.drawn == Amount(tokens=250)
    assert account.share == 2.5


async def test_it_says_once_when_most_of_it_is_gone_and_once_when_all_is() -> None:
    noted = Noted()
    account = opened(Memory(), Budget(calls=10), noted)
    said = []
    for _ in range(13):
        await asked(account, calls(1), calls(1))
        said.append(tuple(noted.shares))
    assert said[6:] == [(), *[(0.8,)] * 3, *[(0.8, 1.0)] * 3]


@dataclass
class World:
    """Servers on one store; ``true`` is what was really spent."""

    budget: Budget
    limit: Amount
    store: Memory = field(default_factory=Memory)
    true: Amount = NOTHING

    def server(self) -> Account:
        return opened(self.store, self.budget)

    def hold(self) -> None:
        assert all(part <= most for part, most in zip(self.true, self.limit, strict=True))
        assert all(part <= most for part, most in zip(self.store.drawn, self.limit, strict=True))
        assert all(part <= drawn for part, drawn in zip(self.true, self.store.drawn, strict=True))


@settings(max_examples=120, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    servers=st.integers(1, 3),
    limit=st.builds(Amount, *(st.integers(1, 400) for _ in range(3))),
    largest=st.integers(1, 60),
    flaky=st.booleans(),
)
def test_what_is_spent_is_never_more_than_the_budget(
    seed: int, servers: int, limit: Amount, largest: int, flaky: bool
) -> None:
    """Questions of any size that are answered, lost, cancelled or refused, servers that are killed, lose the database
    and give back, in any order: at every moment the sum is within the budget, and in the database."""
    asyncio.run(_any_order(random.Random(seed), servers, limit, largest, flaky))


async def _any_order(draw: random.Random, servers: int, limit: Amount, largest: int, flaky: bool) -> None:
    budget = Budget(cost=limit.cost * 1e-9, tokens=limit.tokens, calls=limit.calls)
    world = World(budget, limit)
    alive = [world.server() for _ in range(servers)]

    async def question(account: Account) -> None:
        most = Amount(*(draw.randint(0, largest) for _ in range(3)))
        try:
            await account.reserve(most, soon(0.01))
        except (BudgetSpent, TimeoutError):
            return
        for _ in range(draw.randint(0, 4)):
            await asyncio.sleep(0)
        if account not in alive:
            return  # killed before its answer came
        spent = Amount(*(draw.randint(0, part) for part in most))
        world.true += spent
        account.settle(most, spent)
        world.hold()

    tasks: list[asyncio.Future[object]] = []
    for _ in range(120):
        account = draw.choice(alive)
        act = draw.random()
        if act < 0.7:
            tasks.append(asyncio.ensure_future(question(account)))
        elif act < 0.8:
            tasks.append(asyncio.ensure_future(account.tidy(idle=draw.random() < 0.5)))
        elif act < 0.85 and tasks:
            draw.choice(tasks).cancel()
        elif act < 0.9:
            alive[alive.index(account)] = world.server()
        elif act < 0.95 and flaky:
            world.store.failing = None if world.store.failing else OSError("down")
        elif flaky:
            world.store.loses = True
        await asyncio.sleep(0)
        world.hold()
    world.store.failing, world.store.loses = None, False
    await asyncio.gather(*tasks, return_exceptions=True)
    world.hold()
    for account in alive:
        await account.tidy(idle=True)
    world.hold()


def test_a_row_that_a_server_left_is_what_another_begins_with() -> None:
    store = Memory({KEY: StoredAccount(calls(9), 4)})
    assert asyncio.run(asked(opened(store, Budget(calls=10)), calls(1), calls(1)))
    assert not asyncio.run(asked(opened(store, Budget(calls=10)), calls(1), calls(1)))
