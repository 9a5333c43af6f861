"""Checks that replicas share: judged once, kept where they may be, and worth nothing where they are forged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from app.replicas.checks import CheckKey, SharedChecks
from app.replicas.link import RedisLink
from app.replicas.seal import Seal
from tests.app.replicas.conftest import Linked
from trueward.authoring.verifier import Abstain, Task
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Producer, Verdict
from verifiers import registry
from verifiers.math.compare import Tolerance
from verifiers.registry import create

LONG_S = 60.0
CASES = Path(__file__).parents[2] / "cases"
CPU = [point.name for point in registry.BUILT_INS if registry.get(point.name).lane == "cpu"]
MADE_BY = Producer(name="says", version="1", params="sha256:0")


class Judge:
    """Says its verdicts one after the other, the last one again and again, and counts how often it was asked."""

    def __init__(self, *verdicts: Verdict, work_s: float = 0.0) -> None:
        self.asked = 0
        self._verdicts = [verdict.model_copy(update={"producer": MADE_BY}) for verdict in verdicts]
        self._work_s = work_s

    async def __call__(self) -> Verdict:
        self.asked += 1
        await asyncio.sleep(self._work_s)
        return self._verdicts[min(self.asked, len(self._verdicts)) - 1].model_copy()


def key(task: object) -> CheckKey:
    assert isinstance(task, (str, tuple, frozenset))
    return (MADE_BY.name, MADE_BY.version, MADE_BY.params, task)


def keeps(verdict: Verdict) -> bool:
    return not verdict.outcome.missing and verdict.reason_code != "resource_limit"


async def judged(
    checks: SharedChecks, task: object, judge: Callable[[], Awaitable[Verdict]], s: float = LONG_S
) -> Verdict:
    return await checks.judge_once(key(task), judge, keeps, asyncio.get_running_loop().time() + s)


async def two(linked: Linked) -> tuple[RedisLink, SharedChecks, SharedChecks]:
    one, other = await linked(), await linked()
    return one, SharedChecks(one), SharedChecks(other)


async def until_there(link: RedisLink, place: str | None) -> bytes:
    assert place is not None
    async with asyncio.timeout(10):
        while not (there := await link.ask("GET", place)) or there.startswith(b"?"):
            await asyncio.sleep(0.01)
    return bytes(there)


async def test_what_one_replica_judged_the_other_knows(linked: Linked) -> None:
    link, one, other = await two(linked)
    judge = Judge(Verdict.partial(0.25, "some", "é ≠ e", evidence={"tests": [1, None, "x"], "share": 0.1}))
    first = await judged(one, link.name, judge)
    again = await judged(other, link.name, judge)
    assert judge.asked == 1
    assert again == first.model_copy(update={"cached": True})
    assert (one.found["judged"], other.found["known"]) == (1, 1)


@pytest.mark.parametrize("verdict", [Verdict.correct("yes"), Verdict.invalid("no_answer"), Verdict.scored(0.5, "s")])
async def test_a_check_under_way_is_waited_for(linked: Linked, verdict: Verdict) -> None:
    link, one, other = await two(linked)
    judge = Judge(verdict, work_s=0.3)
    said = await asyncio.gather(*(judged(checks, f"{link.name}/{verdict}", judge) for checks in (one, other) * 3))
    assert judge.asked == 1
    assert [one.outcome for one in said] == [verdict.outcome] * 6


@pytest.mark.parametrize(
    "failure", [Verdict.timeout("deadline"), Verdict.error("e"), Verdict.invalid("resource_limit")]
)
async def test_what_is_not_kept_is_judged_again_by_who_waited(linked: Linked, failure: Verdict) -> None:
    link, one, other = await two(linked)
    judge = Judge(failure, Verdict.correct("yes"), work_s=0.1)
    first = asyncio.ensure_future(judged(one, f"{link.name}/{failure.reason_code}", judge))
    await asyncio.sleep(0.05)
    second = await judged(other, f"{link.name}/{failure.reason_code}", judge)
    assert ((await first).outcome, second.outcome, judge.asked) == (failure.outcome, Outcome.CORRECT, 2)


async def test_who_waits_ends_by_its_own_deadline(linked: Linked) -> None:
    link, one, other = await two(linked)
    slow = asyncio.ensure_future(judged(one, link.name, Judge(Verdict.correct("yes"), work_s=LONG_S)))
    await asyncio.sleep(0.05)
    late = await judged(other, link.name, Judge(Verdict.correct("yes")), 0.2)
    assert (late.outcome, late.score) == (Outcome.TIMEOUT, None)
    slow.cancel()


@pytest.mark.parametrize("how", ["dies", "is cancelled", "breaks"])
async def test_whoever_waits_does_it_when_the_one_at_work_is_lost(linked: Linked, how: str) -> None:
    link, one, other = await two(linked)

    async def breaks() -> Verdict:
        await asyncio.sleep(0.1)
        raise RuntimeError("a bug")

    at_work = asyncio.ensure_future(judged(one, link.name, breaks if how == "breaks" else Judge(work_s=LONG_S)))
    await asyncio.sleep(0.05)
    waiting = asyncio.ensure_future(judged(other, link.name, Judge(Verdict.correct("yes"))))
    if how == "is cancelled":
        at_work.cancel()
    if how == "dies":
        await link.__aexit__()
    assert (await waiting).outcome is Outcome.CORRECT
    at_work.cancel()
    await asyncio.gather(at_work, return_exceptions=True)


def forged(link: RedisLink, place: str, sealed: bytes) -> dict[str, bytes]:
    """What somebody may write who can write to Redis and does not know the secret."""
    mint = Verdict.correct("yes").model_copy(update={"producer": MADE_BY}).model_dump_json().encode()
    own = sealed[33:]
    return {
        "nothing": b"",
        "plain": mint,
        "of another secret": Seal(b"mine").close(place, mint),
        "of another place": link.seal.close(place + "x", mint),
        "changed": sealed[:33] + own.replace(b"incorrect", b"correct"),
        "cut": sealed[:-1],
        "no signature": b"=",
        "zeros": bytes(200),
    }


FORGERIES = ("nothing", "plain", "of another secret", "of another place", "changed", "cut", "no signature", "zeros")


@pytest.mark.parametrize("what", FORGERIES)
async def test_what_is_written_to_redis_without_the_secret_is_no_reward(linked: Linked, what: str) -> None:
    link, one, other = await two(linked)
    task = f"{link.name}/{what}"
    judge = Judge(Verdict.incorrect("no"))
    await judged(one, task, judge)
    place = one._place(key(task))
    sealed = await until_there(link, place)
    assert place is not None
    await link.ask("SET", place, forged(link, place, sealed)[what])
    said = await judged(other, task, judge)
    assert (said.outcome, said.score, judge.asked) == (Outcome.INCORRECT, 0.0, 2)
    assert other.found == {"refused": 1}
    assert await until_there(link, place) == link.seal.close(place, said.model_dump_json().encode())


@pytest.mark.parametrize(
    "text",
    [
        b"{}",
        b"no json",
        b'{"outcome": "correct", "score": 1.0, "reason_code": "yes"}',
        Verdict.correct("yes")
        .model_copy(update={"producer": Producer(name="x", version="1", params="p")})
        .model_dump_json()
        .encode(),
        Verdict.timeout("deadline").model_copy(update={"producer": MADE_BY}).model_dump_json().encode(),
    ],
    ids=["empty", "no json", "no producer", "of another verifier", "a missing score"],
)
async def test_what_a_replica_of_another_version_left_is_read_as_a_strangers(linked: Linked, text: bytes) -> None:
    link, one, _ = await two(linked)
    place = one._place(key(link.name + str(text)))
    assert place is not None
    await link.ask("SET", place, link.seal.close(place, text))
    judge = Judge(Verdict.incorrect("no"))
    assert (await judged(one, link.name + str(text), judge)).outcome is Outcome.INCORRECT
    assert one.found == {"refused": 1}


async def test_a_list_where_a_verdict_should_be_keeps_nobody(linked: Linked) -> None:
    link, one, _ = await two(linked)
    await link.ask("RPUSH", one._place(key(link.name)) or "", "a list")
    assert (await judged(one, link.name, Judge(Verdict.correct("yes")))).outcome is Outcome.CORRECT


async def test_a_task_that_has_no_plain_form_is_not_shared(linked: Linked) -> None:
    _, one, other = await two(linked)
    judge = Judge(Verdict.correct("yes"))
    for checks in (one, other):
        await judged(checks, frozenset({"a"}), judge)
    assert judge.asked == 2


async def test_text_that_no_store_takes_and_what_is_very_long_is_not_left(linked: Linked) -> None:
    link, one, other = await two(linked)
    for reason in ("\ud800", "x" * 100_000):
        judge = Judge(Verdict.incorrect("no", reason))
        for checks in (one, other):
            assert (await judged(checks, (link.name, len(reason)), judge)).reason == reason
        assert judge.asked == 2


async def test_without_redis_each_judges_by_itself(linked: Linked) -> None:
    link, one, _ = await two(linked)
    link.fail(OSError("gone"))
    judge = Judge(Verdict.correct("yes"))
    assert (await judged(one, link.name, judge)).outcome is Outcome.CORRECT
    assert one.found == {"alone": 1}


def test_tasks_of_the_same_form_and_other_values_have_other_places() -> None:
    tolerance = partial(Tolerance, Fraction(0))
    tasks = [
        "a",
        ("a",),
        ("1",),
        (1,),
        (True,),
        (1.0,),
        ("a", tolerance(Fraction(1, 10))),
        ("a", tolerance(Fraction(1, 5))),
        ("a", tolerance(Fraction(1, 5), rounding=True)),
    ]
    checks = SharedChecks(RedisLink("redis://127.0.0.1:1", b""))
    places = [checks._place(key(task)) for task in tasks]
    assert None not in places
    assert len(set(places)) == len(tasks)


def tasks_of(name: str) -> Iterator[Task]:
    """What the verifier's cases give its worker processes to do."""
    for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        verifier = create(name, case.get("params", {}))
        with suppress(Abstain):
            found = verifier.triage(Sample.model_validate(case["sample"]))
            if not isinstance(found, Verdict):
                yield found


def test_every_verifier_of_the_worker_processes_has_tasks_that_are_shared() -> None:
    checks = SharedChecks(RedisLink("redis://127.0.0.1:1", b""))
    tasks = {name: list(tasks_of(name)) for name in CPU}
    assert sum(map(len, tasks.values())) > 100
    assert [name for name, found in tasks.items() if any(checks._place(key(task)) is None for task in found)] == []
