"""Accounts on both databases: what a server leaves, gives back or overdraws, and what is shown and told of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from pydantic import JsonValue

from app.admission.budget.account import AccountKey
from app.admission.budget.accounts import Accounts
from app.admission.budget.amount import Amount
from app.admission.budget.charge import Purse
from app.admission.budget.repository import BudgetsRepository
from app.kit.db import Database
from judges.base import BudgetSpent
from judges.questions import Answer, Generate
from rewards.budget import Budget
from rewards.recipe import Recipe, parse_recipe
from tests.app.admission.budget.stored import KEY
from tests.app.outage import outage
from tests.judges.replies import JUDGE
from trueward.wire.run import Allowance, Spending

QUESTION = Generate("p", 8)


@dataclass
class Marks:
    """What runs were marked with."""

    made: list[tuple[str, str, dict[str, JsonValue]]] = field(default_factory=list)

    async def mark(self, name: str, kind: str, detail: dict[str, JsonValue]) -> None:
        self.made.append((name, kind, detail))


def recipe(**budget: float) -> Recipe:
    return parse_recipe({"terms": "judge", "name": "judged", **({"budget": budget} if budget else {})})


def accounts(db: Database, marks: Marks | None = None) -> Accounts:
    return Accounts(BudgetsRepository(db), marks or Marks(), tidy_s=60.0)


async def ask(purse: Purse | None, answer: Answer | None = None) -> bool:
    """Whether it was asked."""
    assert purse is not None

    async def answered() -> Answer:
        await asyncio.sleep(0)
        return answer or Answer(text="yes", tokens=10, written=3)

    try:
        await purse.pay(JUDGE, QUESTION, asyncio.get_running_loop().time() + 10, answered)
    except BudgetSpent:
        return False
    return True


async def test_as_many_pass_as_have_room_and_a_stop_leaves_what_was_spent(db: Database) -> None:
    async with accounts(db) as server:
        asked = await asyncio.gather(*(ask(server.purse(recipe(calls=37), "r", "a")) for _ in range(200)))
    assert sum(asked) == 37
    async with accounts(db) as server:
        assert not await ask(server.purse(recipe(calls=37), "r", "b"))
        shown = await server.of_run("r", recipe(calls=37).hash)
    assert shown == (Spending(cost=37 * 16e-6, tokens=37 * 13, calls=37), Allowance(calls=37))


async def test_two_servers_on_one_database_spend_one_budget(db: Database) -> None:
    async with accounts(db) as first, accounts(db) as second:
        purses = [server.purse(recipe(calls=30), "r", None) for server in (first, second)]
        asked = await asyncio.gather(*(ask(purses[turn % 2]) for turn in range(80)))
    assert sum(asked) == 30
    found = await BudgetsRepository(db).read(AccountKey(recipe(calls=30).hash, "r", ""))
    assert found is not None
    assert found.amount.calls == 30


async def test_a_killed_server_has_spent_what_it_had_drawn(db: Database) -> None:
    killed = accounts(db)
    for _ in range(31):
        assert await ask(killed.purse(recipe(calls=1000), "r", None))
    async with accounts(db) as after:
        shown = await after.of_run("r", recipe(calls=1000).hash)
        assert shown is not None
        assert shown[0].calls == 40
        purse = after.purse(recipe(calls=1000), "r", None)
        assert sum([await ask(purse) for _ in range(1000)]) == 960


async def test_runs_recipes_and_owners_have_accounts_of_their_own(db: Database) -> None:
    one, other = recipe(calls=1), recipe(calls=1, tokens=1_000_000)
    async with accounts(db) as server:
        for made, run, owner, room in (
            (one, "r", "a", True),
            (one, "r", "b", False),
            (one, "s", "a", True),
            (other, "r", "a", True),
            (one, None, "a", True),
            (one, None, "a", False),
            (one, None, "b", True),
            (one, None, None, True),
            (one, None, None, False),
        ):
            assert await ask(server.purse(made, run, owner)) is room, (made.budget, run, owner)


async def test_what_nothing_bounds_is_counted_for_a_run_alone(db: Database) -> None:
    async with accounts(db) as server:
        assert server.purse(recipe(), None, "a") is None
        assert await ask(server.purse(recipe(), "r", "a"))
        assert await server.of_run("r", recipe().hash) == (Spending(cost=16e-6, tokens=13, calls=1), None)
        assert await server.of_run("s", recipe().hash) is None
    async with accounts(db) as server:
        assert await server.of_run("r", recipe().hash) == (Spending(cost=16e-6, tokens=13, calls=1), None)


async def test_what_is_short_is_told_once_and_what_is_gone_too(db: Database) -> None:
    marks = Marks()
    async with accounts(db, marks) as server:
        purse = server.purse(recipe(calls=10), "r", None)
        assert sum([await ask(purse) for _ in range(15)]) == 10
        assert server.shares() == {"judged": 1.0}
    assert [(name, kind, said["percent"]) for name, kind, said in marks.made] == [
        ("r", "budget", 80),
        ("r", "budget", 100),
    ]
    assert server.shares() == {"judged": 1.0}


async def test_a_server_that_bills_more_than_the_most_is_paid_told_of_and_believed_from_then_on(db: Database) -> None:
    """It reasons in secret: 5,000 tokens written where 8 were asked for. The budget is overdrawn by that one answer."""
    costly = Answer(text="yes", tokens=10, written=5_000)
    async with accounts(db) as server:
        purse = server.purse(recipe(tokens=4_000), "r", None)
        assert await ask(purse, costly)
        assert not await ask(purse, costly)
        other = server.purse(recipe(tokens=5_100), "s", None)
        assert not await ask(other, costly), "of this model that is known now"
    async with accounts(db) as server:
        shown = await server.of_run("r", recipe(tokens=4_000).hash)
        assert shown is not None
        assert shown[0].tokens == 5_010


async def test_a_server_that_tells_no_usage_is_charged_the_most(db: Database) -> None:
    async with accounts(db) as server:
        purse = server.purse(recipe(tokens=2_000), "r", None)
        asked = [await ask(purse, Answer(text="yes")) for _ in range(5)]
        assert asked == [True, True, True, False, False]
        assert purse is not None
        assert purse.account.spent == Amount(cost=3 * (513 + 16) * 1000, tokens=3 * (513 + 8), calls=3)


async def test_absurd_usage_is_stored_as_much_as_fits(db: Database) -> None:
    async with accounts(db) as server:
        assert await ask(server.purse(recipe(cost=1), "r", None), Answer(text="x", tokens=10**40, written=10**40))
    async with accounts(db) as server:
        assert not await ask(server.purse(recipe(cost=1), "r", None))


async def test_while_the_database_is_down_questions_wait_and_without_a_budget_they_do_not(db: Database) -> None:
    async with accounts(db) as server:
        async with outage(db):
            assert await ask(server.purse(recipe(), "r", None))
            waiting = asyncio.ensure_future(ask(server.purse(recipe(calls=1), "r", None)))
            await asyncio.sleep(0.05)
            assert not waiting.done()
        assert await waiting


async def test_a_write_over_a_revision_that_is_gone_is_refused(db: Database) -> None:
    repository = BudgetsRepository(db)
    assert await repository.swap(KEY, Budget(cost=0.1), None, Amount(1, 2, 3))
    assert not await repository.swap(KEY, None, None, Amount(1, 2, 3))
    first = await repository.read(KEY)
    assert first is not None
    assert (first.amount, first.revision, first.budget) == (Amount(1, 2, 3), 1, Budget(cost=0.1))
    assert await repository.swap(KEY, Budget(cost=0.1), first, Amount(2, 2, 3))
    assert not await repository.swap(KEY, Budget(cost=0.1), first, Amount(9, 9, 9))


async def test_what_nobody_uses_is_given_back_in_time(db: Database) -> None:
    async with Accounts(BudgetsRepository(db), Marks(), tidy_s=0.01) as server:
        purse = server.purse(recipe(calls=1000), "r", None)
        assert await ask(purse)
        key = AccountKey(recipe(calls=1000).hash, "r", "")
        for _ in range(500):
            found = await BudgetsRepository(db).read(key)
            if found is not None and found.amount.calls == 1:
                return
            await asyncio.sleep(0.01)
        pytest.fail("it still has its block")
