"""What the lanes do once for several: equal work under way, verdicts that were given before, other servers' work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from app.admission.demand import NONE
from app.lanes.lanes import CheckKey
from judges.base import BudgetSpent
from tests.app.path.lines import Asked, Checked, Drawn, Inline, Lined, Ran, turns
from trueward.authoring.verifier import SampleVerifier
from trueward.wire.verdict import Outcome, Verdict

YES, NO = Verdict.correct("yes"), Verdict.incorrect("no")
SPENT = Verdict.error(BudgetSpent.code)
LATE = Verdict.timeout("deadline")


async def together(lined: Lined, verifier: SampleVerifier, times: int) -> list[Verdict]:
    """The verdicts of so many who ask for the same one after the other, before anything is said."""
    waiting = []
    for _ in range(times):
        waiting.append(asyncio.create_task(lined.judged(verifier)))
        await turns()
    for line in (lined.cpu, lined.sandbox, lined.model):
        line.go.set()
    return list(await asyncio.gather(*waiting))


# work under way


@pytest.mark.parametrize(
    "said",
    [YES, NO, Verdict.invalid("time_limit"), Verdict.abstained("no_unit"), Verdict.error("model_unavailable")],
    ids=lambda said: said.reason_code,
)
async def test_whatever_the_work_says_is_said_to_all_who_joined(said: Verdict) -> None:
    lined = Lined.made(said, held=True)
    verdicts = await together(lined, Checked(), 3)
    assert {(one.outcome, one.reason_code) for one in verdicts} == {(said.outcome, said.reason_code)}
    assert [one.cached for one in verdicts] == [False, True, True]
    assert len(lined.cpu.asked) == 1


@pytest.mark.parametrize("lost", [SPENT, LATE], ids=lambda lost: lost.reason_code)
@pytest.mark.parametrize("verifier", [Asked(), Checked(), Ran()], ids=lambda verifier: verifier.name)
async def test_who_joined_what_ended_by_anothers_budget_or_deadline_asks_by_itself(
    lost: Verdict, verifier: SampleVerifier
) -> None:
    lined = Lined.made(lost, YES, held=True)
    first, joined = await together(lined, verifier, 2)
    assert (first.reason_code, first.cached) == (lost.reason_code, False)
    assert (joined.outcome, joined.cached) == (Outcome.CORRECT, False)
    assert sum(len(line.asked) for line in (lined.cpu, lined.sandbox, lined.model)) == 2


async def test_of_several_who_joined_in_vain_one_asks_and_the_others_join_again() -> None:
    lined = Lined.made(SPENT, LATE, YES, held=True)
    verdicts = await together(lined, Asked(), 5)
    assert [one.reason_code for one in verdicts] == ["budget_spent", "deadline", "yes", "yes", "yes"]
    assert [one.cached for one in verdicts] == [False, False, False, True, True]
    assert len(lined.model.asked) == 3


async def test_who_asks_anew_does_so_by_its_own_deadline() -> None:
    lined = Lined.made(SPENT, YES, held=True)
    loop = asyncio.get_running_loop()
    first = asyncio.create_task(lined.judged(Asked(), within_s=10.0))
    await turns()
    second = asyncio.create_task(lined.judged(Asked(), within_s=1000.0))
    await turns()
    lined.model.go.set()
    await asyncio.gather(first, second)
    left_s = [deadline - loop.time() for _, deadline in lined.model.asked]
    assert left_s[0] < 10.0
    assert left_s[1] > 100.0


async def test_who_joins_with_no_time_left_has_no_score_and_disturbs_nobody() -> None:
    lined = Lined.made(YES, held=True)
    first = asyncio.create_task(lined.judged(Checked()))
    await turns()
    late = await lined.judged(Checked(), within_s=-1.0)
    assert (late.outcome, late.score, late.reason_code) == (Outcome.TIMEOUT, None, "deadline")
    lined.cpu.go.set()
    assert (await first).outcome is Outcome.CORRECT
    assert len(lined.cpu.asked) == 1


async def test_verdicts_that_may_differ_are_never_shared_under_way() -> None:
    lined = Lined.made(YES, NO, held=True)
    assert [one.reason_code for one in await together(lined, Drawn(), 2)] == ["yes", "no"]


# what counts as the same


async def test_samples_that_differ_share_a_check_where_its_task_is_the_same() -> None:
    lined = Lined.made()
    first, second = await lined.judged(Checked(), prompt="p"), await lined.judged(Checked(), prompt="q")
    assert (first.cached, second.cached, len(lined.cpu.asked)) == (False, True, 1)
    await lined.judged(Checked(), "another", prompt="p")
    assert len(lined.cpu.asked) == 2


@pytest.mark.parametrize("verifier", [Ran(), Asked()], ids=lambda verifier: verifier.name)
async def test_programs_and_questions_are_shared_by_the_whole_sample(verifier: SampleVerifier) -> None:
    lined = Lined.made()
    first, other = await lined.judged(verifier, prompt="p"), await lined.judged(verifier, prompt="q")
    again = await lined.judged(verifier, prompt="p")
    assert (first.cached, other.cached, again.cached) == (False, False, True)
    assert len(lined.sandbox.asked + lined.model.asked) == 2


async def test_a_judge_is_asked_again_when_its_models_have_other_weights_and_nobody_else_is() -> None:
    lined = Lined.made()
    assert [(await lined.judged(Asked())).cached for _ in range(2)] == [False, True]
    await lined.judged(Checked())
    lined.model.weights = "rm@2"
    assert [(await lined.judged(Asked())).cached for _ in range(2)] == [False, True]
    assert (await lined.judged(Checked())).cached
    assert (lined.lanes.identity(Asked(), NONE), lined.lanes.identity(Checked(), NONE)) == ("rm@2", "")


async def test_what_is_kept_is_counted_by_what_it_is() -> None:
    lined = Lined.made()
    assert lined.lanes.count_cached() == {"verdicts": 0, "checks": 0, "groups": 0}
    await lined.judged(Inline())
    for response in "ab":
        await lined.judged(Checked(), response)
    lined.lanes.group_verdicts.put("g", [YES])
    assert lined.lanes.count_cached() == {"verdicts": 1, "checks": 2, "groups": 1}


# other servers


class Neighbour:
    """Another server that has judged the same, or has not (``None``); it notes what it was asked."""

    def __init__(self, known: Verdict | None) -> None:
        self._known = known
        self.asked: list[tuple[CheckKey, float]] = []
        self.would_keep: list[bool] = []

    async def judge_once(
        self,
        key: CheckKey,
        judge: Callable[[], Awaitable[Verdict]],
        keeps: Callable[[Verdict], bool],
        deadline: float,
    ) -> Verdict:
        self.asked.append((key, deadline))
        self.would_keep = [keeps(one) for one in (YES, LATE)]
        return await judge() if self._known is None else self._known.model_copy()


async def test_what_another_server_found_is_not_judged_here_and_is_kept() -> None:
    neighbour = Neighbour(NO)
    lined = Lined.made(YES, elsewhere=neighbour)
    assert [(await lined.judged(Checked())).reason_code for _ in range(2)] == ["no", "no"]
    assert (lined.cpu.asked, len(neighbour.asked), lined.lanes.count_cached()["checks"]) == ([], 1, 1)
    assert dict(lined.lanes.judged) == {}


async def test_what_no_server_has_found_is_judged_here() -> None:
    neighbour = Neighbour(None)
    lined = Lined.made(YES, elsewhere=neighbour)
    assert (await lined.judged(Checked(), "an answer")).reason_code == "yes"
    producer = Checked().producer
    [(key, deadline)] = neighbour.asked
    assert key == (producer.name, producer.version, producer.params, "an answer")
    assert lined.cpu.asked == [("an answer", deadline)]
    assert neighbour.would_keep == [True, False]


async def test_what_another_server_could_not_find_out_is_not_kept() -> None:
    neighbour = Neighbour(LATE)
    lined = Lined.made(elsewhere=neighbour)
    assert [(await lined.judged(Checked())).outcome for _ in range(2)] == [Outcome.TIMEOUT] * 2
    assert (len(neighbour.asked), lined.lanes.count_cached()["checks"]) == (2, 0)


async def test_those_who_join_here_ask_another_server_once() -> None:
    neighbour = Neighbour(None)
    lined = Lined.made(YES, elsewhere=neighbour, held=True)
    await together(lined, Checked(), 3)
    assert len(neighbour.asked) == 1
