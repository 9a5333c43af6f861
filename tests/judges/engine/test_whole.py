"""Real models through the process: it answers what a plain forward says, in any order.

While models are evicted, their weights swapped, and the process killed.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
from pathlib import Path

import pytest

from judges.base import TooLong
from judges.engine.process import EngineProcess
from judges.questions import Answer, Classify, Generate, Question, Spans
from judges.standalone import Standalone
from tests.judges.engine.plain import REPLIES, Plain, asked, differ, entry, ids_of, told
from tests.judges.tiny import Tiny
from trueward.wire.model import ModelEntry, WeightsRequest

TOLERANCE = 1e-4
TOO_LONG = Classify(told("long " * 5000))


def rewards(path: Path) -> dict[Question, float]:
    plain = Plain("reward", path)
    return {Classify(told(reply)): plain.logits(ids_of(path, told(reply))).item() for reply in REPLIES}


def bytes_of(path: Path) -> int:
    return sum(file.stat().st_size for file in path.glob("*.safetensors"))


async def test_answers_are_those_of_a_plain_forward_also_after_a_kill(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    scorer, writer = tiny.classifier("llama"), tiny.causal("qwen2")
    judge = entry("reward", scorer, name="judge")
    policy = entry("causal", writer, name="policy")
    budget = int(1.2 * max(bytes_of(scorer), bytes_of(writer)))
    process = EngineProcess("cpu", memory_bytes=budget, batch_tokens=256, queue_tokens=1 << 20, hang_s=120)
    deadline = asyncio.get_running_loop().time() + 120
    asks: list[tuple[ModelEntry, Question]] = [
        *((judge, Classify(told(reply))) for reply in REPLIES * 4),
        *((policy, Spans(asked(), reply, ((0, len(reply)),))) for reply in REPLIES * 4),
        (policy, Generate(asked(), 4)),
        (judge, TOO_LONG),
    ]
    random.Random(3).shuffle(asks)
    found = await asyncio.gather(
        *(process.ask(model, question, deadline=deadline, flow="a") for model, question in asks), return_exceptions=True
    )
    counters = process.counters()

    other = tiny.classifier("llama", seed=1)
    weights = await process.swap(judge, WeightsRequest(path=str(other), version=3))
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    swapped = [await process.ask(judge, question, deadline=deadline, flow="a") for question in rewards(other)]
    await process.close()

    wanted, plain, prompt = rewards(scorer), Plain("causal", writer), ids_of(writer, asked(), opened=True)
    for (_, question), answer in zip(asks, found, strict=True):
        if question == TOO_LONG:
            assert isinstance(answer, TooLong)
            continue
        assert isinstance(answer, Answer), answer
        if isinstance(question, Classify):
            assert differ(answer.rows, [(wanted[question],)]) < TOLERANCE
        elif isinstance(question, Spans):
            brute = plain.log_probabilities([*prompt, *answer.token_ids[0]], len(prompt))
            assert differ(answer.rows, [tuple(brute)]) < TOLERANCE
    assert weights.whole
    for reward, answer in zip(rewards(other).values(), swapped, strict=True):
        assert answer.weights == 3
        assert differ(answer.rows, [(reward,)]) < TOLERANCE
    assert (counters["restarts"], counters["evictions"]) == (0, 1)


async def test_a_notebook_gets_the_same_answers(tiny: Tiny) -> None:
    path = tiny.classifier("llama")
    with Standalone([entry("reward", path)]) as models:
        for question, reward in rewards(path).items():
            answer = await models.ask("tiny", question)
            assert answer.rows[0][0] == pytest.approx(reward, abs=TOLERANCE)
