"""What follows a request: shadows are judged and recorded, and the run learns, without anybody waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from time import monotonic

import pytest
from sqlalchemy.exc import OperationalError

from app.path.follow_up import FollowUp, PricedRequest
from app.path.groups import OpenGroups
from app.path.ledger import LedgerUnavailable
from app.path.rows import Entry, RequestContext
from app.telemetry.metrics import Metrics
from rewards.learning import GroupOf
from rewards.price import Member, price
from rewards.recipe import Recipe
from rewards.state import State
from tests.app.path.bench import NO, YES, Bench, admitted, planned
from trueward.wire.sample import Split
from trueward.wire.verdict import Verdict

LEARNS: dict[str, object] = {
    "terms": [
        {
            "verifier": "math",
            "noise": {"false_positive": 0.0, "appeals": {"verifier": "exact", "share": 1.0, "rate": 1.0}},
        }
    ]
}


class Book:
    """A ledger and a memory in lists; ``down`` fails every write to both."""

    def __init__(self, *, down: bool = False) -> None:
        self.entries: list[Entry] = []
        self.noted: list[GroupOf] = []
        self.state = State()
        self.down = down

    async def write(
        self, entries: Sequence[Entry], context: RequestContext, deadline: float, recipe: Recipe | None
    ) -> None:
        if self.down:
            raise LedgerUnavailable("down", range(len(entries)))
        self.entries += entries

    async def learn(self, run: str, request: str | None, next_state: Callable[[State], State]) -> None:
        if self.down:
            raise OperationalError("", {}, OSError("gone"))
        self.state = next_state(self.state)

    def note(self, run: str, groups: Sequence[GroupOf]) -> None:
        self.noted += groups


def priced(
    recipe: Mapping[str, object], said: Sequence[Verdict], run: str | None = "r", split: Split = "train"
) -> PricedRequest:
    """A request whose samples have one verdict each, of ``math``."""
    plan, context = planned(**recipe), RequestContext(run=run, split=split)
    items = admitted(*(f"response {n}" for n in range(len(said))))
    records = [f"{n:026}" for n in range(len(said))]
    groups = OpenGroups(plan.recipe, ["g"] * len(said), context.conditions)
    for index, (item, verdict) in enumerate(zip(items, said, strict=True)):
        verdicts = {"math": verdict}
        reward = price(plan.recipe, item.sample, verdicts)
        reward.record = records[index]
        groups.close(groups.add(index, Member(item.sample, verdicts, reward)))
    return PricedRequest(plan, context, items, records, groups.list_whole_groups())


def follow_up(bench: Bench, book: Book) -> FollowUp:
    return FollowUp(bench.lanes, book, book, Metrics(), allowed_s=5.0)


async def test_nobody_waits_for_a_shadow_and_its_verdict_is_recorded() -> None:
    bench, book = Bench({"exact": NO}, slow=frozenset({"exact"})), Book()
    after = follow_up(bench, book)
    recipe = {"terms": ["math", {"verifier": "exact", "shadow": 1}]}
    start = monotonic()
    await after.take(priced(recipe, [YES, YES]))
    assert monotonic() - start < 1
    await asyncio.sleep(0.05)
    assert book.entries == []
    bench.go.set()
    await after.close()
    said = [verdict for entry in book.entries for verdict in entry.verdicts]
    assert [verdict.producer and verdict.producer.name for verdict in said] == ["exact", "exact"]
    assert len({verdict.record for verdict in said}) == 2


async def test_a_shadow_writes_nothing_that_cannot_be_stored() -> None:
    bench, book = Bench({"exact": Verdict.incorrect("no", reason="a\x00b", evidence={"x": "\ud800"})}), Book()
    after = follow_up(bench, book)
    await after.take(priced({"terms": ["math", {"verifier": "exact", "shadow": 1}]}, [YES]))
    await after.close()
    [verdict] = [verdict for entry in book.entries for verdict in entry.verdicts]
    assert (verdict.reason, verdict.evidence) == ("a\ufffdb", {"x": "\ufffd"})


async def test_a_run_learns_once_its_appeals_are_there() -> None:
    bench, book = Bench({"exact": YES}), Book()
    after = follow_up(bench, book)
    await after.take(priced(LEARNS, [YES, NO]))
    await after.close()
    assert bench.asked == ["exact"]
    assert (book.state.version, book.state.appeals["math"].false_negative) == (1, 0.5)


@pytest.mark.parametrize(("run", "split"), [(None, "train"), ("r", "eval")])
async def test_what_is_no_training_of_a_run_teaches_nothing(run: str | None, split: Split) -> None:
    book = Book()
    after = follow_up(Bench({"exact": YES}), book)
    await after.take(priced(LEARNS, [YES, NO], run=run, split=split))
    await after.close()
    assert (book.state, book.noted) == (State(), [])
    assert len(book.entries) == 1


async def test_without_shadows_the_run_has_learned_when_the_request_is_answered() -> None:
    book = Book()
    rule = {"rule": "std_filter", "collect_from": 0}
    await follow_up(Bench({}), book).take(priced({"group": {"rules": [rule]}}, [YES, NO]))
    assert set(book.state.averages) == {"std_filter"}
    assert [name for name, _, _ in book.noted] == ["g"]


@pytest.mark.parametrize("recipe", [LEARNS, {"group": {"rules": ["std_filter"]}}])
async def test_an_outage_costs_the_lesson_and_nobody_an_answer(recipe: dict[str, object]) -> None:
    book = Book(down=True)
    after = follow_up(Bench({"exact": YES}), book)
    await after.take(priced(recipe, [YES, NO]))
    await after.close()
    assert book.state == State()


async def test_a_bug_in_learning_takes_nobody_s_answer_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object) -> State:
        raise ArithmeticError("a bug of ours")

    monkeypatch.setattr("app.path.follow_up.learn", broken)
    book, metrics, recipe = Book(), Metrics(), {"group": {"rules": ["std_filter"]}}
    await FollowUp(Bench({"exact": YES}).lanes, book, book, metrics, allowed_s=5.0).take(priced(recipe, [YES, NO]))
    assert b"trueward_requests_not_learned_total 1.0" in metrics.render()
    assert book.state == State()


async def test_closing_waits_for_what_is_on_its_way() -> None:
    bench, book = Bench({"exact": YES}, slow=frozenset({"exact"})), Book()
    after = follow_up(bench, book)
    await after.take(priced(LEARNS, [NO]))
    asyncio.get_running_loop().call_later(0.1, bench.go.set)
    await after.close()
    assert (book.state.version, len(book.entries)) == (1, 1)
