"""The connection of the plug-ins: one client a process and a loop, pickles, forks, runs, refusals."""

from __future__ import annotations

import ast
import asyncio
import importlib
import inspect
import multiprocessing
import pickle
import pkgutil
import sys
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

import trueward.trainers
from tests.client.fake_service import FakeService, Fault, Served
from trueward.errors import DeadlineExceeded, Unavailable, UnknownRecipe
from trueward.trainers.connection import Connection, Fields, Live

RIGHT: Fields = {"response": "a", "reference": "a"}


def test_both_forms_ask_the_same(url: str, service: FakeService) -> None:
    connection = Connection(url, "math", "test", run="r1")

    async def awaited() -> float | None:
        rewards = await connection.await_rewards([RIGHT], step=3, split="eval")
        await connection.aclose()
        return rewards[0].reward

    assert connection.rewards([RIGHT], step=3, split="eval")[0].reward == 1.0
    assert asyncio.run(awaited()) == 1.0
    connection.close()
    bodies = [{**received.body, "deadline_s": 0} for received in service.received]
    assert bodies[0] == bodies[1]
    assert (bodies[0]["run"], bodies[0]["step"], bodies[0]["split"]) == ("r1", 3, "eval")


def test_every_plug_in_may_be_told_the_url_by_the_environment() -> None:
    """As every page of a trainer says: ``TRUEWARD_URL`` stands in for the first argument."""
    asking: dict[str, Mapping[str, inspect.Parameter]] = {}
    for module in pkgutil.iter_modules(trueward.trainers.__path__, "trueward.trainers."):
        for name, found in vars(importlib.import_module(module.name)).items():
            if inspect.isfunction(found) and found.__module__ == module.name:
                asking |= {f"{module.name}.{name}": inspect.signature(found).parameters}
    defaults = {name: given["url"].default for name, given in asking.items() if {"url", "recipe"} <= given.keys()}
    assert len(defaults) > 20
    assert {name for name, default in defaults.items() if default is not None} == set()


def test_each_event_loop_has_its_own_connections(url: str) -> None:
    connection = Connection(url, "math", "test")

    async def once() -> float | None:
        first, second = await asyncio.gather(connection.await_rewards([RIGHT]), connection.await_rewards([RIGHT]))
        assert connection.awaiting() is connection.awaiting()
        await connection.aclose()
        return (first[0].reward or 0) + (second[0].reward or 0)

    assert [asyncio.run(once()) for _ in range(3)] == [2.0] * 3


def test_threads_share_one_client(url: str) -> None:
    connection = Connection(url, "math", "test")
    with ThreadPoolExecutor(8) as pool:
        clients = set(pool.map(lambda _: id(connection.blocking()), range(32)))
    connection.close()
    assert len(clients) == 1


def test_a_copy_finds_what_its_process_has_open(url: str) -> None:
    connection = Connection(url, "math", "test")
    connection.rewards([RIGHT])
    copies = [pickle.loads(pickle.dumps(connection)) for _ in range(3)]
    assert {copy.run for copy in copies} == {connection.run}
    assert all(copy.live is connection.live and copy.blocking() is connection.blocking() for copy in copies)
    other = Connection(url, "math", "test", run="another")
    assert other.live is not connection.live
    connection.close()


def _in_child(connection: Connection, parents: int) -> float | None:
    assert id(connection.blocking()) != parents
    return connection.rewards([RIGHT])[0].reward


def test_it_survives_a_new_process(url: str) -> None:
    connection = Connection(url, "math", "test")
    connection.rewards([RIGHT])
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_in_child, (connection, 0)) == 1.0
    connection.close()


def test_what_a_fork_inherits_is_not_used(url: str) -> None:
    connection = Connection(url, "math", "test")
    connection.rewards([RIGHT])
    with multiprocessing.get_context("fork").Pool(1, initializer=_remember, initargs=(connection,)) as pool:
        assert pool.apply(_of_the_fork) == (False, 1.0)
    assert connection.rewards([RIGHT])[0].reward == 1.0
    connection.close()


_inherited: list[tuple[Connection, Live]] = []


def _remember(connection: Connection) -> None:
    """In the child, which has the parent's objects as they were."""
    _inherited.append((connection, connection.live))


def _of_the_fork() -> tuple[bool, float | None]:
    connection, live = _inherited[0]
    return live.client is not None, connection.rewards([RIGHT])[0].reward


def test_an_outage_is_waited_for_and_then_raised(url: str, service: FakeService) -> None:
    connection = Connection(url, "math", "test", deadline_s=0.5)
    service.faults = [Fault.of(Unavailable("down"))]
    assert connection.rewards([RIGHT])[0].reward == 1.0
    service.faults = [Fault.of(Unavailable("down"))] * 10_000
    with pytest.raises(DeadlineExceeded, match="down"):
        connection.rewards([RIGHT])
    connection.close()


def test_why_rewards_are_missing_is_told_at_once_and_then_seldom(url: str, caplog: pytest.LogCaptureFixture) -> None:
    connection = Connection(url, "math", "test", run="r1")
    assert connection.rewards([RIGHT, {"response": "a"}])[1].reward is None
    for _ in range(9):
        connection.rewards([{"response": "a"}])
    connection.close()
    once, tenfold = (message for message in caplog.messages if "could not be judged" in message)
    assert once.startswith("trueward: run r1, responses that could not be judged so far: 1, for no_reference: ")
    assert tenfold.startswith("trueward: run r1, responses that could not be judged so far: 10, for ")


def test_a_refusal_is_raised_at_once(url: str, service: FakeService) -> None:
    connection = Connection(url, "nope", "test")
    with pytest.raises(UnknownRecipe):
        connection.rewards([RIGHT])
    connection.close()
    assert len(service.received) == 1


@pytest.mark.parametrize("run", [None, ""])
def test_a_run_without_a_name_is_told_in_the_trainers_log(
    run: str | None, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    connection = Connection(url, "math", "trl", run=run)
    assert caplog.messages == [f"trueward: no run was named, so its rewards are recorded as run {connection.run}"]
    caplog.clear()
    Connection(url, "math", "trl", run="r1")
    assert caplog.messages == []


def test_runs_are_named_for_their_trainer(url: str) -> None:
    assert Connection(url, "math", "verl").run.startswith("verl-")
    assert Connection(url, {"name": "mine"}, "verl").name == "trueward_mine"


def _logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the plug-ins told."""
    return [record.getMessage() for record in caplog.records if record.name == "trueward.trainers"]


async def test_a_call_that_blocks_an_event_loop_is_told_once_and_waits_for_no_other(
    url: str, service: FakeService, caplog: pytest.LogCaptureFixture
) -> None:
    connection = Connection(url, "math", "skyrl", group_size=8, run="r1")
    one: Fields = {"prompt": "1+1?", "response": "2", "reference": "2"}
    await asyncio.to_thread(connection.rewards, [one], apart=True)
    assert _logged(caplog) == []
    for _ in range(2):
        connection.rewards([one], apart=True)
    [words] = _logged(caplog)
    assert "event loop" in words
    assert "run r1" in words
    gathers = [asked.body["gather"] for asked in service.received]
    assert gathers == [{"at_once": 64, "size": 8}, {"at_once": 1, "size": 8}, {"at_once": 1, "size": 8}]


async def test_in_a_notebook_nothing_is_told(
    url: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    Connection(url, "math", "trl", run="r1").rewards([{"response": "2", "reference": "2"}])
    assert _logged(caplog) == []


def _slime(url: str) -> Coroutine[None, None, object]:
    from trueward.trainers.slime import custom_rm

    named = {"prompt": "1+1?", "response": "2", "label": "2", "response_length": 1, "status": "completed"}
    given = SimpleNamespace(**named, metadata={}, group_index=None, remove_sample=False)
    return custom_rm(url, recipe="math", run="r1")(None, given)


def _prime(url: str) -> Coroutine[None, None, object]:
    from trueward.trainers.prime import reward

    task = SimpleNamespace(prompt_text="1+1?", answer="2")
    trace = SimpleNamespace(last_reply="2", record_metrics=lambda values: None)
    return reward(url, recipe="math", run="r1")(task, trace)


def _trl(url: str) -> Coroutine[None, None, object]:
    from trueward.trainers.trl import async_reward_function

    return async_reward_function(url, recipe="math", run="r1")(["1+1?"], ["2"], reference=["2"])


def _verl(url: str) -> Coroutine[None, None, object]:
    from trueward.trainers.verl import async_score

    return async_score(url, recipe="math", run="r1")("maths", "2", "2")


class Gathering(FakeService):
    """Answers when so many requests are there."""

    async def scoring(self, request: Request, score: Any) -> Response:
        if not hasattr(self, "barrier"):
            self.barrier = asyncio.Barrier(8)
        async with asyncio.timeout(60):
            await self.barrier.wait()
        return await super().scoring(request, score)


@pytest.mark.parametrize("ask", [_slime, _prime, _trl, _verl])
async def test_calls_that_await_are_under_way_at_once(
    ask: Callable[[str], Coroutine[None, None, object]], caplog: pytest.LogCaptureFixture
) -> None:
    with Served(Gathering()) as url:
        await asyncio.gather(*(ask(url) for _ in range(8)))
    assert _logged(caplog) == []


BLOCKING = ("rewards", "blocking", "result", "sleep", "acquire", "read_text", "urlopen")


@pytest.mark.parametrize(
    "path", sorted(Path(trueward.trainers.__file__).parent.glob("*.py")), ids=lambda path: path.stem
)
def test_nothing_that_awaits_blocks_the_trainers_event_loop(path: Path) -> None:
    """By the source: what is called within an ``async def``, and not awaited."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    awaited = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Await)}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)]
    calls = [node for function in functions for node in ast.walk(function) if isinstance(node, ast.Call)]
    named = [(call, call.func) for call in calls if isinstance(call.func, ast.Attribute) and id(call) not in awaited]
    wrong = [
        ast.unparse(call)
        for call, func in named
        if func.attr in BLOCKING and not ast.unparse(func.value).endswith((".means", "done"))
    ]
    assert wrong == []
