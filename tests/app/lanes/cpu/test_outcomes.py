"""Promise 1 in the cpu lane: whose doing it was decides the outcome."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.lanes.cpu.limits import Limits
from app.lanes.cpu.pool import Pool
from tests.app.lanes.cpu.conftest import LIMITS, RESOLVER, WALL_LIMITS, Judge, judge_with
from tests.app.lanes.cpu.troublemaker import Poison, Trouble, Troublemaker, TroubleParams, Unpicklable
from trueward.authoring.verifier import params_hash
from trueward.wire.verdict import Outcome, Verdict


def said(verdict: Verdict) -> tuple[Outcome, float | None, str]:
    return verdict.outcome, verdict.score, verdict.reason_code


FINE = (Outcome.CORRECT, 1.0, "fine")
RESPONSE_DID_IT = (Outcome.INVALID, 0.0, "resource_limit")
REFERENCE_DID_IT = (Outcome.ABSTAINED, None, "reference_resource_limit")
VERIFIER_CRASHED = (Outcome.ERROR, None, "verifier_crashed")
WORKER_CRASHED = (Outcome.ERROR, None, "worker_crashed")


def number(verdict: Verdict, name: str) -> float:
    value = verdict.evidence[name]
    assert isinstance(value, float)
    return value


def runs(log: Path) -> int:
    return len(log.read_text().splitlines())


async def test_a_verdict_comes_back_whole(judge: Judge) -> None:
    verdict = await judge("nothing", "ünïcode \0")
    assert said(verdict) == FINE
    assert verdict.evidence["found"] == "ünïcode \0"
    assert verdict.producer is not None
    assert verdict.producer.name == "troublemaker"


async def test_work_is_timed_in_the_worker(judge: Judge) -> None:
    await judge("nothing")
    verdict = await judge("sleep", 0.2)
    assert 0.2 <= verdict.elapsed_s < 1.5


async def test_a_verifier_gets_its_parameters(pool: Pool) -> None:
    loop = asyncio.get_running_loop()
    for note in ("one", "two", "one"):
        verifier = Troublemaker(TroubleParams(note=note))
        verdict = await pool.judge(verifier, Trouble("nothing"), loop.time() + 60)
        assert verdict.evidence["note"] == note
        assert verdict.producer is not None
        assert verdict.producer.params == params_hash(verifier.params)


async def test_a_response_that_burns_its_cpu_seconds_is_invalid_at_once(judge: Judge, tmp_path: Path) -> None:
    log = tmp_path / "log"
    verdict = await judge("spin", log=str(log))
    assert said(verdict) == RESPONSE_DID_IT
    assert verdict.evidence["limit"] == "cpu_s"
    assert number(verdict, "cpu_s") >= LIMITS.cpu_s
    assert number(verdict, "wall_s") >= LIMITS.cpu_s
    assert runs(log) == 1


async def test_a_response_that_sleeps_is_invalid_once_a_second_run_confirms_it(impatient: Pool, tmp_path: Path) -> None:
    log = tmp_path / "log"
    verdict = await judge_with(impatient)("sleep", log=str(log))
    assert said(verdict) == RESPONSE_DID_IT
    assert verdict.evidence["limit"] == "wall_s"
    assert number(verdict, "wall_s") >= WALL_LIMITS.wall_s
    assert number(verdict, "cpu_s") < WALL_LIMITS.cpu_s
    first, second = log.read_text().splitlines()
    assert first != second


async def test_a_response_that_is_slow_only_once_keeps_its_verdict(impatient: Pool, tmp_path: Path) -> None:
    assert said(await judge_with(impatient)("sleep_once", str(tmp_path / "slept"))) == FINE


@pytest.mark.parametrize(("what", "limits", "limit"), [("spin", LIMITS, "cpu_s"), ("sleep", WALL_LIMITS, "wall_s")])
async def test_a_reference_that_hangs_abstains_at_once(what: str, limits: Limits, limit: str) -> None:
    pool = Pool(workers=1, limits=limits, resolver=RESOLVER)
    await pool.start()
    verdict = await judge_with(pool)(what, stage="prepare")
    await pool.stop()
    assert said(verdict) == REFERENCE_DID_IT
    assert verdict.evidence["limit"] == limit
    assert sum(pool.stats().restarts.values()) == 1


async def test_a_slow_reference_leaves_the_response_its_whole_allowance(judge: Judge) -> None:
    verdict = await judge("spin", 0.2, stage="prepare")
    assert said(verdict) == FINE


@pytest.mark.parametrize(("what", "argument"), [("eat", 1024**3), ("hoard", None)])
@pytest.mark.parametrize(("stage", "expected"), [("check", RESPONSE_DID_IT), ("prepare", REFERENCE_DID_IT)])
async def test_memory_exhausted_is_charged_to_its_side(
    roomy: Pool, what: str, argument: int | None, stage: str, expected: object
) -> None:
    judge = judge_with(roomy)
    verdict = await judge(what, argument, stage=stage)
    assert said(verdict) == expected
    assert verdict.evidence["limit"] == "memory_bytes"
    assert said(await judge("nothing")) == FINE
    assert roomy.stats().restarts["memory_limit"] == 1


async def test_memory_that_earlier_items_left_behind_is_not_charged_to_this_one(roomy: Pool) -> None:
    judge = judge_with(roomy)
    assert said(await judge("leak", 250 * 1024**2)) == FINE
    assert said(await judge("eat", 250 * 1024**2)) == FINE
    assert roomy.stats().restarts["memory_limit"] == 1


async def test_a_process_killed_while_it_held_most_of_its_memory_is_the_responses_doing(roomy: Pool) -> None:
    verdict = await judge_with(roomy)("eat_and_be_killed", 300 * 1024**2)
    assert said(verdict) == RESPONSE_DID_IT
    assert verdict.evidence["limit"] == "memory_bytes"


@pytest.mark.parametrize(("stage", "expected"), [("check", RESPONSE_DID_IT), ("prepare", REFERENCE_DID_IT)])
async def test_recursion_is_charged_to_its_side(judge: Judge, pool: Pool, stage: str, expected: object) -> None:
    verdict = await judge("recurse", stage=stage)
    assert said(verdict) == expected
    assert verdict.evidence["limit"] == "recursion"
    assert sum(pool.stats().restarts.values()) == 0


async def test_an_abstaining_verifier_keeps_its_code(judge: Judge) -> None:
    assert said(await judge("abstain", stage="prepare")) == (Outcome.ABSTAINED, None, "unreadable_reference")


@pytest.mark.parametrize("stage", ["prepare", "check"])
async def test_an_exception_is_our_error(judge: Judge, pool: Pool, stage: str) -> None:
    verdict = await judge("raise", "boom", stage=stage)
    assert said(verdict) == VERIFIER_CRASHED
    assert "KeyError" in verdict.reason
    assert sum(pool.stats().restarts.values()) == 0


@pytest.mark.parametrize("what", ["not_a_verdict", "surrogate", "oversized", "impossible"])
async def test_a_verdict_that_cannot_travel_is_our_error(judge: Judge, what: str) -> None:
    assert said(await judge(what)) == VERIFIER_CRASHED
    assert said(await judge("nothing")) == FINE


async def test_evidence_too_deep_to_travel_is_our_error(judge: Judge) -> None:
    assert said(await judge("deep", 100_000))[:2] == (Outcome.ERROR, None)


async def test_a_task_that_cannot_travel_is_our_error(judge: Judge) -> None:
    assert said(await judge("nothing", Unpicklable())) == VERIFIER_CRASHED
    assert said(await judge("nothing", Poison())) == VERIFIER_CRASHED


async def test_a_verifier_that_cannot_be_made_is_our_error(pool: Pool) -> None:
    verifier = Troublemaker(TroubleParams(note="unloadable"))
    verdict = await pool.judge(verifier, "task", asyncio.get_running_loop().time() + 60)
    assert said(verdict) == VERIFIER_CRASHED


@pytest.mark.parametrize(("what", "argument"), [("segfault", None), ("exit", 3), ("system_exit", 1)])
async def test_a_worker_that_dies_twice_under_an_item_is_our_error(
    judge: Judge, tmp_path: Path, what: str, argument: object
) -> None:
    log = tmp_path / "log"
    assert said(await judge(what, argument, log=str(log))) == WORKER_CRASHED
    assert runs(log) == 2


async def test_a_worker_that_dies_once_under_an_item_costs_nothing(judge: Judge, tmp_path: Path) -> None:
    assert said(await judge("die_once", str(tmp_path / "died"))) == FINE


async def test_a_process_left_behind_with_the_socket_does_not_hold_the_slot(judge: Judge) -> None:
    assert said(await judge("fork_a_holder")) == WORKER_CRASHED
