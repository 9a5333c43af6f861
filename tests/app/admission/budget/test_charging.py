"""What the model lane charges to whom: what was asked, once, answered or not; never what is shared or kept."""

from __future__ import annotations

import asyncio

import pytest

from app.admission.admit import admit
from app.admission.budget.account import Account, AccountKey
from app.admission.budget.amount import Amount
from app.admission.budget.bound import Bounds
from app.admission.budget.charge import Purse
from app.admission.demand import Demand
from app.lanes.lanes import Lanes
from app.lanes.model_source import RegisteredModel
from app.lanes.models import ModelLane
from app.settings import Settings
from judges.base import BudgetSpent, ModelBusy, ModelFailure, TooLong
from judges.pointwise import JudgeOneVerifier, PointwiseParams
from judges.questions import Answer, Generate, Question
from rewards.budget import Budget
from tests.app.admission.budget.stored import Memory, Noted
from tests.app.admission.budget.writer import ANSWER, Writer
from tests.app.models.scripted import OneBackend
from tests.app.models.test_lane import Shelf, registered
from tests.judges.replies import JUDGE
from trueward.wire.model import ModelEntry
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

ONCE = Amount(140_000, 120, 1)
REMOTE = JUDGE
LOCAL = registered("judge").entry.model_copy(update={"kind": "causal", "price": JUDGE.price})
ASKED = Generate("p", 50)
MOST = Bounds().greatest(JUDGE, ASKED)


def lane_of(writer: Writer, entry: ModelEntry = REMOTE) -> ModelLane:
    shelf = Shelf("judge")
    was = shelf.models["judge"]
    shelf.models["judge"] = RegisteredModel(was.id, entry, 0, (), None, was.created_at)
    return ModelLane(shelf, OneBackend(writer), 1000)


def purse(run: str = "r", **budget: float) -> Purse:
    made = Budget.model_validate(budget) if budget else None
    return Purse(Account(AccountKey("sha256:r", run, ""), "judged", made, Memory(), Noted()), Bounds())


async def ask(lane: ModelLane, payer: Purse, question: Question = ASKED, *, within_s: float = 5.0) -> Answer:
    deadline = asyncio.get_running_loop().time() + within_s
    return await lane.answer("judge", question, Demand("f", {}, payer), deadline)


async def test_two_hundred_questions_at_once_spend_no_more_than_there_is() -> None:
    writer, payer = Writer(), purse(calls=37)
    lane = lane_of(writer)
    asks = [ask(lane, payer, Generate(f"p{number}", 50)) for number in range(200)]
    said = await asyncio.gather(*asks, return_exceptions=True)
    assert sum(isinstance(one, Answer) for one in said) == writer.count == 37
    assert sum(isinstance(one, BudgetSpent) for one in said) == 163
    assert payer.account.spent == ONCE * 37
    assert lane.failures["judge", "budget_spent"] == 163


async def test_of_a_cost_as_much_is_spent_as_has_room() -> None:
    """The last one is asked where there is still room for the most that it can cost."""
    writer, payer = Writer(), purse(cost=0.005)
    lane = lane_of(writer)
    asks = [ask(lane, payer, Generate(f"{number:>4}", 50)) for number in range(200)]
    said = await asyncio.gather(*asks, return_exceptions=True)
    most = Bounds().greatest(JUDGE, Generate("1234", 50)).cost
    assert 5_000_000 - most < payer.account.spent.cost <= 5_000_000
    assert writer.count == sum(isinstance(one, Answer) for one in said) == payer.account.spent.cost // 140_000


async def test_who_begins_a_question_pays_and_who_joins_or_comes_later_does_not() -> None:
    writer, first, second = Writer(), purse("a", calls=9), purse("b", calls=9)
    lane = lane_of(writer)
    await asyncio.gather(ask(lane, first), ask(lane, second), ask(lane, first))
    await ask(lane, second)
    assert (writer.count, first.account.spent, second.account.spent) == (1, ONCE, Amount())


async def test_where_the_one_who_began_cannot_pay_the_one_who_joined_asks() -> None:
    writer, poor, rich = Writer(), purse("a", tokens=1), purse("b", calls=9)
    lane = lane_of(writer)
    said = await asyncio.gather(ask(lane, poor), ask(lane, rich), return_exceptions=True)
    assert isinstance(said[0], BudgetSpent)
    assert said[1] == ANSWER
    assert rich.account.spent == ONCE


async def test_draws_are_each_paid() -> None:
    writer, payer = Writer(), purse(calls=9)
    lane = lane_of(writer)
    await asyncio.gather(*(ask(lane, payer, Generate("p", 50, temperature=1.0)) for _ in range(4)))
    assert payer.account.spent == ONCE * 4


async def test_without_a_purse_nothing_is_bounded() -> None:
    lane = lane_of(Writer())
    await lane.answer("judge", ASKED, Demand(), asyncio.get_running_loop().time() + 5)


@pytest.mark.parametrize(
    ("steps", "said", "spent"),
    [
        ([], ANSWER, ONCE),
        (["send", "arrive"], ANSWER, ONCE),
        (["send", "refuse", "send", "refuse", "send", "arrive"], ANSWER, ONCE),
        (["send", "send", "arrive"], ANSWER, ONCE + MOST),
        (["send", "arrive", "send", "arrive"], ANSWER, ONCE + Amount(calls=1)),
        (["send", "arrive", "send", "send", "arrive"], ANSWER, ONCE + MOST + Amount(calls=1)),
        ([], ModelBusy("full"), Amount()),
        (["send", "refuse"], ModelBusy("full"), Amount()),
        (["send"], ModelFailure("lost"), MOST),
        (["send", "send"], ModelFailure("lost"), MOST * 2),
        (["send", "arrive"], ModelFailure("no JSON"), MOST),
        (["send", "refuse"], TooLong("prompt", 9, 8), Amount()),
    ],
)
async def test_a_question_to_another_server_costs_what_may_have_been_billed(
    steps: list[str], said: object, spent: Amount
) -> None:
    payer = purse(tokens=100_000)
    lane = lane_of(Writer(steps=steps, said=lambda: said))
    await asyncio.gather(ask(lane, payer), return_exceptions=True)
    assert payer.account.spent == spent


@pytest.mark.parametrize(("steps", "spent"), [(["wait"], Amount()), (["send", "wait"], MOST)])
async def test_who_gives_up_pays_for_what_had_left(steps: list[str], spent: Amount) -> None:
    payer = purse(tokens=100_000)
    lane = lane_of(Writer(steps=steps))
    with pytest.raises(TimeoutError):
        await ask(lane, payer, within_s=0.25)
    await asyncio.sleep(0)
    assert payer.account.spent == spent


async def test_a_further_try_is_made_only_where_there_is_room_for_it() -> None:
    writer, payer = Writer(steps=["send", "send", "arrive"]), purse(calls=1)
    with pytest.raises(BudgetSpent):
        await ask(lane_of(writer), payer)
    assert payer.account.spent == MOST


@pytest.mark.parametrize(
    ("steps", "said", "spent"),
    [
        ([], ANSWER, 1),
        ([], ModelBusy("full"), 0),
        ([], TooLong("prompt", 9, 8), 0),
        ([], RuntimeError("a bug"), 1),
        (["wait"], ANSWER, 1),
    ],
)
async def test_the_engine_is_charged_for_what_is_given_up_and_not_for_what_it_refuses(
    steps: list[str], said: object, spent: int
) -> None:
    payer = purse(tokens=100_000)
    lane = lane_of(Writer(steps=steps, said=lambda: said), LOCAL)
    await asyncio.gather(ask(lane, payer, within_s=0.25), return_exceptions=True)
    await asyncio.sleep(0)
    assert payer.account.spent.calls == spent


async def verdict_of(lanes: Lanes, payer: Purse, response: str = "5") -> Verdict:
    [item] = admit([Sample(prompt="2+3?", response=response, reference="5")], Settings())
    verifier = JudgeOneVerifier(PointwiseParams(preset="correctness"))
    found = lanes.judge(verifier, item, asyncio.get_running_loop().time() + 5, Demand("f", {}, payer))
    return found if isinstance(found, Verdict) else await found


async def test_replies_that_cannot_be_read_are_paid_and_so_are_the_questions_whose_doing_it_is() -> None:
    writer, payer = Writer(said=lambda: Answer(text="I think so.", tokens=100, written=20)), purse(calls=1000)
    lanes = Lanes(Settings())
    lanes.models = lane_of(writer)
    verdict = await verdict_of(lanes, payer)
    assert (verdict.outcome, verdict.reason_code) == (Outcome.ERROR, "judge_malformed")
    assert writer.count >= 6
    assert payer.account.spent == ONCE * writer.count


async def test_a_judge_whose_budget_is_spent_has_no_score() -> None:
    writer, payer = Writer(), purse(calls=2)
    lanes = Lanes(Settings())
    lanes.models = lane_of(writer)
    said = [await verdict_of(lanes, payer, f"It is {number}.") for number in range(4)]
    assert [(one.outcome, one.reason_code, one.score) for one in said[2:]] == [
        (Outcome.ERROR, "budget_spent", None)
    ] * 2
    assert [one.score for one in said[:2]] == [1.0, 1.0]
    assert writer.count == 2
