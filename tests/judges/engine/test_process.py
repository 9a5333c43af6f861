"""An engine in a process of its own: it is killed, hangs, loses its device and is replaced, and no question is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from math import inf
from pathlib import Path

import psutil
import pytest

from judges.base import ModelBusy, ModelFailure, ModelUnavailable, TooLong, WeightsBehind
from judges.engine.process import EngineProcess
from judges.questions import Answer, Classify, Generate
from tests.judges.engine import fakes
from trueward.wire.model import ModelEntry, WeightsRequest

ROOT = Path(__file__).parents[3]
WITHIN_S = 60.0

MakeProcess = Callable[..., EngineProcess]


@pytest.fixture
async def process_of() -> AsyncIterator[MakeProcess]:
    processes: list[EngineProcess] = []

    def make(hang_s: float = 60.0, queue_tokens: int = 10_000, loader: str = "load") -> EngineProcess:
        processes.append(
            EngineProcess(
                "cpu",
                memory_bytes=100,
                batch_tokens=40,
                queue_tokens=queue_tokens,
                hang_s=hang_s,
                loader=f"tests.judges.engine.fakes:{loader}",
            )
        )
        return processes[-1]

    yield make
    for process in processes:
        await process.close()


@pytest.fixture
def process(process_of: MakeProcess) -> EngineProcess:
    return process_of()


def asked(
    process: EngineProcess,
    text: str,
    entry: ModelEntry | None = None,
    *,
    within_s: float = WITHIN_S,
    least: int = 0,
    flow: str = "f",
) -> Coroutine[None, None, Answer]:
    deadline = asyncio.get_running_loop().time() + within_s
    return process.ask(entry or fakes.entry(), Classify(text), deadline=deadline, flow=flow, least_weights=least)


async def outcomes(*asks: Coroutine[None, None, Answer]) -> list[Answer | BaseException]:
    return list(await asyncio.gather(*asks, return_exceptions=True))


def lengths(found: list[Answer | BaseException]) -> list[float]:
    assert all(isinstance(answer, Answer) for answer in found), found
    return [answer.rows[0][0] for answer in found if isinstance(answer, Answer)]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)


async def test_questions_of_one_turn_travel_together_and_each_gets_its_answer(process: EngineProcess) -> None:
    assert process.alive
    assert process.pid is None
    texts = ["x" * count for count in range(1, 40)]
    assert lengths(await outcomes(*(asked(process, text) for text in texts))) == list(map(float, range(1, 40)))
    assert process.counters()["in_flight"] == 0
    await until(lambda: process.counters()["answered"] == 39)
    assert (await process.status())["m"].state == "ready"


async def test_failures_arrive_as_what_they_are(process: EngineProcess) -> None:
    long, error, good, broken = await outcomes(
        asked(process, "too long"),
        asked(process, "an error"),
        asked(process, "good"),
        asked(process, "x", fakes.entry("broken", broken=1)),
    )
    assert isinstance(long, TooLong)
    assert (long.part, long.limit) == ("response", 8)
    assert type(error) is ModelFailure
    assert isinstance(good, Answer)
    assert isinstance(broken, ModelUnavailable)
    await until(lambda: process.counters()["failed"] == 3)
    assert (await process.status())["broken"].detail == "there is no such directory"


async def test_a_loader_that_cannot_be_imported_is_told(process_of: MakeProcess) -> None:
    with pytest.raises(ModelUnavailable, match="AttributeError"):
        await process_of(loader="nothing").load(fakes.entry())


async def test_a_deadline_ends_the_wait(process: EngineProcess) -> None:
    slow = fakes.entry(delay=0.3)
    await process.load(slow)
    first = asyncio.create_task(asked(process, "x" * 40, slow))
    with pytest.raises(TimeoutError):
        await asked(process, "y" * 40, slow, within_s=0.1)
    assert lengths([await first]) == [40.0]
    assert lengths([await process.ask(slow, Classify("z"), deadline=inf, flow="f")]) == [1.0]


async def test_who_goes_away_is_not_answered(process: EngineProcess, tmp_path: Path) -> None:
    log = tmp_path / "log"
    slow = fakes.entry(delay=0.2, log=log)
    await process.load(slow)
    tasks = [asyncio.create_task(asked(process, f"{count:040}", slow)) for count in range(5)]
    await asyncio.sleep(0.1)
    for task in tasks[1:]:
        task.cancel()
    assert lengths([await tasks[0]]) == [40.0]
    assert lengths(await outcomes(asked(process, "last", slow))) == [4.0]
    assert log.read_text().count("batch m 0") == 1
    await until(lambda: process.counters()["cancelled"] == 4)


async def test_a_full_queue_is_told_at_once_and_passes(process_of: MakeProcess) -> None:
    process = process_of(queue_tokens=100)
    slow = fakes.entry(delay=0.05)
    found = await outcomes(*(asked(process, "x" * 40, slow) for _ in range(40)))
    busy = [failure for failure in found if isinstance(failure, ModelBusy)]
    assert 0 < len(busy) < 40
    lengths([answer for answer in found if answer not in busy])
    assert lengths(await outcomes(asked(process, "again", slow))) == [5.0]


async def test_a_process_that_is_killed_costs_no_answer(process: EngineProcess) -> None:
    slow = fakes.entry(delay=0.02)
    await process.load(slow)
    work = [asyncio.create_task(asked(process, "x" * 40, slow)) for _ in range(30)]
    await asyncio.sleep(0.2)
    first = process.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    assert lengths(list(await asyncio.gather(*work))) == [40.0] * 30
    assert process.pid != first
    assert process.counters()["restarts"] == 1


async def test_a_text_that_ends_the_process_fails_alone(process: EngineProcess) -> None:
    found = await outcomes(*(asked(process, text) for text in ("one", "kill", "three", "four")))
    assert isinstance(found[1], ModelUnavailable)
    assert "died twice" in str(found[1])
    assert lengths([found[0], *found[2:]]) == [3.0, 5.0, 4.0]
    assert process.counters()["restarts"] == 2


async def test_a_lost_device_is_replaced_like_a_dead_process(process: EngineProcess) -> None:
    found = await outcomes(asked(process, "good"), asked(process, "lost"))
    assert isinstance(found[1], ModelUnavailable)
    assert lengths(found[:1]) == [4.0]


async def test_a_batch_that_hangs_is_ended_and_only_its_culprit_fails(process_of: MakeProcess) -> None:
    process = process_of(hang_s=0.4)
    found = await outcomes(*(asked(process, text) for text in ("one", "hang", "three")))
    assert isinstance(found[1], ModelUnavailable)
    assert lengths([found[0], found[2]]) == [3.0, 5.0]
    assert process.counters()["restarts"] == 2


async def test_what_writes_for_long_does_not_hang_but_what_hangs_at_a_token_does(process_of: MakeProcess) -> None:
    process, late = process_of(hang_s=0.4), asyncio.get_running_loop().time() + WITHIN_S
    slow = fakes.entry(token=0.05)
    whole = await process.ask(slow, Generate("x" * 20, 30), deadline=late, flow="f")
    assert whole.text == "x" * 20
    assert process.counters()["restarts"] == 0
    asks = [Generate(text, 30) for text in ("one", "hang", "three")]
    found = await outcomes(*(process.ask(slow, question, deadline=late, flow="f") for question in asks))
    assert isinstance(found[1], ModelUnavailable)
    assert [answer.text for answer in found if isinstance(answer, Answer)] == ["eno", "eerht"]
    assert process.counters()["restarts"] == 2


async def test_a_long_load_is_not_a_hang(process_of: MakeProcess) -> None:
    process = process_of(hang_s=0.3)
    assert lengths([await asked(process, "x", fakes.entry(load=0.8))]) == [1.0]
    assert process.counters()["restarts"] == 0


async def test_a_model_whose_load_ends_the_process_fails_and_others_go_on(process: EngineProcess) -> None:
    found = await outcomes(asked(process, "x", fakes.entry("deadly", dies=1)), asked(process, "good"))
    assert isinstance(found[0], ModelUnavailable)
    assert lengths(found[1:]) == [4.0]


async def test_a_process_that_always_dies_is_not_started_for_every_question(process: EngineProcess) -> None:
    deadly = fakes.entry("deadly", dies=1)
    for _ in range(3):
        with pytest.raises(ModelUnavailable):
            await process.load(deadly)
    assert process.counters()["restarts"] == 2
    assert lengths([await asked(process, "good")]) == [4.0]


async def test_a_process_that_cannot_start_fails_what_waits_and_pauses(
    process: EngineProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(ModelUnavailable, match="and so did the next"):
        await process.load(fakes.entry())
    assert process.counters()["restarts"] == 2
    assert not process.alive
    with pytest.raises(ModelUnavailable, match="tried again in"):
        await process.load(fakes.entry())
    assert process.counters()["restarts"] == 2


async def test_a_process_that_is_killed_while_idle_is_started_when_it_is_needed(process: EngineProcess) -> None:
    for _ in range(3):
        assert lengths([await asked(process, "x")]) == [1.0]
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        await until(lambda: process.pid is None)
    assert process.alive


async def test_weights_are_there_again_after_a_restart(process: EngineProcess, tmp_path: Path) -> None:
    model = fakes.entry(log=tmp_path / "log")
    for path, version in (("part", 2), ("whole", 3), ("part", None)):
        weights = await process.swap(model, WeightsRequest(path=path, version=version))
    assert weights.version == 4
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    await until(lambda: process.pid is None)
    assert (await process.status())["m"].weights == 4
    answer = await asked(process, "x", model, least=4)
    assert answer.weights == 4
    assert (tmp_path / "log").read_text().split("load m")[-1].startswith("\nswap m whole 3\nswap m part 4\nbatch")


async def test_a_swap_that_a_death_interrupts_is_done_by_the_next_process(process: EngineProcess) -> None:
    slow = fakes.entry(delay=0.4)
    await process.load(slow)
    running = asyncio.create_task(asked(process, "x", slow))
    await asyncio.sleep(0.1)
    swap = asyncio.create_task(process.swap(slow, WeightsRequest(path="whole")))
    await asyncio.sleep(0.1)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    assert (await swap).version == 1
    assert (await running).weights in (0, 1)
    assert (await asked(process, "x", slow)).weights == 1


async def test_weights_that_do_not_come_in_time_are_told(process: EngineProcess) -> None:
    with pytest.raises(ValueError, match="truncated"):
        await process.swap(fakes.entry(), WeightsRequest(path="truncated"))
    with pytest.raises(WeightsBehind, match="version 0, not 1"):
        await asked(process, "x", least=1, within_s=0.2)
    waiting = asyncio.create_task(asked(process, "x", least=1))
    await process.swap(fakes.entry(), WeightsRequest(path="whole"))
    assert (await waiting).weights == 1


async def test_a_model_that_is_dropped_forgets_its_weights(process: EngineProcess) -> None:
    await process.swap(fakes.entry(), WeightsRequest(path="whole"))
    await process.drop("m")
    assert (await asked(process, "x")).weights == 0
    await process.swap(fakes.entry(), WeightsRequest(path="whole"))
    assert (await asked(process, "x", fakes.entry(delay=0))).weights == 0


async def test_closing_ends_the_process_and_fails_what_waits(process: EngineProcess) -> None:
    slow = fakes.entry(delay=5)
    waiting = asyncio.create_task(asked(process, "x", slow))
    await until(lambda: process.pid is not None)
    child = psutil.Process(process.pid)
    await process.close()
    with pytest.raises(ModelUnavailable, match="stops"):
        await waiting
    assert not child.is_running()
    assert not process.alive
    with pytest.raises(ModelUnavailable):
        await asked(process, "x")


async def test_the_process_ignores_an_interrupt(process: EngineProcess) -> None:
    await process.load(fakes.entry())
    assert process.pid is not None
    os.kill(process.pid, signal.SIGINT)
    assert lengths([await asked(process, "x")]) == [1.0]
    assert process.counters()["restarts"] == 0


def test_the_process_dies_with_a_server_that_is_killed(tmp_path: Path) -> None:
    imports = tmp_path / "imports"
    with subprocess.Popen(
        [sys.executable, "-m", "tests.judges.engine.doomed_server", imports],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        child = psutil.Process(int(server.stdout.readline()))
        assert child.is_running()
        server.kill()
        child.wait(10)
    assert imports.read_text() == "imported\n"
