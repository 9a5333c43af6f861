"""Weights move while questions are asked: nobody is dropped, and every answer is of the version that it names."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from judges.engine.process import EngineProcess
from judges.questions import Answer, Classify
from tests.judges.engine.plain import REPLIES, Plain, differ, entry, ids_of, told
from tests.judges.engine.swapping import LAYER, TOLERANCE, adapter_of, cut, pair, retold
from tests.judges.tiny import Tiny
from trueward.wire.model import ModelEntry, Weights, WeightsRequest

WITHIN_S = 120.0


@pytest.fixture
async def process() -> AsyncIterator[EngineProcess]:
    process = EngineProcess("cpu", memory_bytes=2**30, batch_tokens=512, queue_tokens=10**6, hang_s=60)
    yield process
    await process.close()


class Versions:
    """A model's weights through time: each version's source, and what a plain model of it says of the replies."""

    def __init__(self, tiny: Tiny, tmp_path: Path) -> None:
        old, new = tiny.classifier("llama"), tiny.classifier("llama", seed=1)
        self.entry: ModelEntry = entry("reward", old)
        a, b = pair(64, 128)
        norm, up = "model.norm.weight", f"{LAYER}.weight"
        some = {norm: torch.linspace(0.5, 1.5, 64)}
        save_file(some, tmp_path / "some.safetensors")
        adapter_of(tmp_path / "adapter", {LAYER: (a, b)})
        third = retold(new, tmp_path, some, "third")
        fourth = retold(third, tmp_path, {up: load_file(third / "model.safetensors")[up] + 4 * b @ a}, "fourth")
        plain = (old, new, third, fourth)
        self.requests = (
            WeightsRequest(path=str(new)),
            WeightsRequest(path=str(tmp_path / "some.safetensors")),
            WeightsRequest(path=str(tmp_path / "adapter"), adapter=True),
        )
        shutil.copy(self.requests[1].path, tmp_path / "cut.safetensors")
        cut(tmp_path / "cut.safetensors", 300)
        self.broken = WeightsRequest(path=str(tmp_path / "cut.safetensors"))
        self.said = [self._said(path) for path in plain]

    def _said(self, path: Path) -> dict[str, torch.Tensor]:
        plain = Plain("reward", path)
        return {reply: plain.logits(ids_of(path, told(reply))) for reply in REPLIES}

    def off(self, reply: str, answer: Answer) -> float:
        """How far an answer is from what the version that it names says."""
        return differ(answer.rows, self.said[answer.weights][reply])


@pytest.fixture
def versions(tiny: Tiny, tmp_path: Path) -> Versions:
    return Versions(tiny, tmp_path)


async def ask(process: EngineProcess, versions: Versions, reply: str, least: int = 0) -> Answer:
    deadline = asyncio.get_running_loop().time() + WITHIN_S
    return await process.ask(versions.entry, Classify(told(reply)), deadline=deadline, flow="f", least_weights=least)


def test_the_versions_differ(versions: Versions) -> None:
    for before, after in zip(versions.said[:-1], versions.said[1:], strict=True):
        assert min(abs(before[reply] - after[reply]).item() for reply in REPLIES) > 100 * TOLERANCE


async def test_nobody_is_dropped_and_every_answer_is_of_the_version_that_it_names(
    process: EngineProcess, versions: Versions
) -> None:
    answers: list[tuple[str, Answer]] = []
    swapped: list[Weights] = []

    async def asking(reply: str) -> None:
        while len(swapped) < len(versions.requests):
            answers.append((reply, await ask(process, versions, reply)))
        answers.append((reply, await ask(process, versions, reply)))

    async def swapping() -> None:
        with pytest.raises(ValueError, match="cannot be read"):
            await process.swap(versions.entry, versions.broken)
        for request in versions.requests:
            least = len(swapped) + 1
            ahead = asyncio.create_task(ask(process, versions, "No", least))
            await asyncio.sleep(0.3)
            assert not ahead.done()
            swapped.append(await process.swap(versions.entry, request))
            assert (await ahead).weights == least
            answers.append(("No", await ahead))

    await process.load(versions.entry)
    async with asyncio.TaskGroup() as tasks:
        for reply in REPLIES * 4:
            tasks.create_task(asking(reply))
        tasks.create_task(swapping())
    assert {answer.weights for _, answer in answers} == {0, 1, 2, 3}
    assert max(versions.off(reply, answer) for reply, answer in answers) < TOLERANCE
    assert [(weights.version, weights.rests_on) for weights in swapped] == [(1, []), (2, [1]), (3, [1, 2])]
    assert process.counters()["in_flight"] == 0


async def test_after_kill_9_the_weights_are_those_that_it_had(process: EngineProcess, versions: Versions) -> None:
    for request in versions.requests:
        await process.swap(versions.entry, request)
    waiting = [asyncio.create_task(ask(process, versions, reply)) for reply in REPLIES * 20]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    answers = await asyncio.gather(*waiting)
    assert process.counters()["restarts"] == 1
    assert {answer.weights for answer in answers} == {3}
    off = [versions.off(reply, answer) for reply, answer in zip(REPLIES * 20, answers, strict=True)]
    assert max(off) < TOLERANCE
