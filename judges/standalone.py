"""Models without a service, for notebooks: an engine in a thread of this process.

with Standalone([ModelEntry(name="rm", kind="reward", path="/models/rm")]) as models:
    verdicts = await verify(create("reward_model", {"model": "rm"}), samples, models)
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from itertools import count
from threading import Lock, Thread
from typing import Self

from judges.base import Models, ModelUnavailable, ModelVerifier, P, SandboxUnavailable, UnknownModel
from judges.engine.engine import Engine
from judges.engine.messages import Ask, Message, Outcome, Register, Reply
from judges.engine.work import DeviceLost, Loaded, Loader
from judges.failure_verdicts import judge_task
from judges.questions import Answer, Question
from sandbox.base import Execution, Program
from sandbox.limits import Limits
from trueward.authoring.verifier import Abstain, defect, report_crash
from trueward.wire.model import ModelEntry
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.grouped import GroupVerifier

_Reply = asyncio.Future[Outcome]


class Standalone:
    """The :class:`judges.base.Models` of these entries, on ``device`` (``auto``: the GPU where there is one).

    Loaded when they are first asked; ``memory_bytes`` for the weights of all, ``batch_tokens`` a batch.
    """

    def __init__(
        self,
        entries: Iterable[ModelEntry],
        *,
        device: str = "auto",
        memory_bytes: int = 1 << 62,
        batch_tokens: int = 16_384,
        loader: Loader | None = None,
    ) -> None:
        self._entries = {entry.name: entry for entry in entries}
        self._numbers = count(1)
        self._replies: dict[int, _Reply] = {}
        self._lock = Lock()
        self._ended = ""
        self._engine = Engine(
            loader or _load,
            self._hear,
            device=device,
            memory_bytes=memory_bytes,
            batch_tokens=batch_tokens,
            queue_tokens=1 << 62,
        )
        self._engine.submit([Register(entry) for entry in self._entries.values()])
        self._thread = Thread(target=self._run, name="models", daemon=True)
        self._thread.start()

    def entry(self, name: str) -> ModelEntry:
        if name not in self._entries:
            raise UnknownModel(f"there is no model {name[:100]!r}; known: {', '.join(self._entries)}")
        return self._entries[name]

    async def ask(self, name: str, question: Question) -> Answer:
        self.entry(name)
        reply: _Reply = asyncio.get_running_loop().create_future()
        with self._lock:
            if self._ended:
                raise ModelUnavailable(self._ended)
            number = next(self._numbers)
            self._replies[number] = reply
        self._engine.submit([Ask(number, name, question, "", float("inf"))])
        answer = await reply
        assert isinstance(answer, Answer)
        return answer

    def unreadable(self, name: str, question: Question, answer: Answer) -> None:
        return None

    async def run(self, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
        raise SandboxUnavailable("judges with tools need a running service: there is no sandbox here")

    def close(self) -> None:
        self._engine.stop()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        ended = "the engine failed; its thread told why"
        try:
            self._engine.run()
            ended = "these models were closed"
        except DeviceLost as lost:
            ended = f"the device is lost: {lost}; start anew"
        finally:
            with self._lock:
                self._ended = ended
            self._hear([Reply(number, ModelUnavailable(ended)) for number in list(self._replies)])

    def _hear(self, messages: Sequence[Message]) -> None:
        for message in messages:
            if isinstance(message, Reply):
                with self._lock:
                    reply = self._replies.pop(message.number)
                reply.get_loop().call_soon_threadsafe(_settle, reply, message.outcome)


def _load(entry: ModelEntry) -> Loaded:
    from judges.engine.load import load  # it needs torch

    return load(entry)


def _settle(reply: _Reply, outcome: Outcome) -> None:
    if reply.done():
        return
    if isinstance(outcome, Exception):
        reply.set_exception(outcome)
    else:
        reply.set_result(outcome)


async def verify(
    verifier: ModelVerifier[P] | GroupVerifier[P], samples: Sequence[Sample], models: Models
) -> list[Verdict]:
    """A verdict a sample, in order. Never raises for a sample; a failure of the model is a null score."""
    if isinstance(verifier, GroupVerifier):
        inner = verifier.inner
        assert isinstance(inner, ModelVerifier), "the others need no models: call their verify"

        async def ask(asked: Sequence[tuple[int, Sample]]) -> list[Verdict]:
            return await verify(inner, [sample for _, sample in asked], models)

        return await verifier.verify_all(samples, ask)
    return list(await asyncio.gather(*(_verdict(verifier, sample, models) for sample in samples)))


async def _verdict(verifier: ModelVerifier[P], sample: Sample, models: Models) -> Verdict:
    verdict = defect(sample, verifier.needs)
    try:
        if verdict is None:
            found = verifier.triage(sample)
            verdict = found if isinstance(found, Verdict) else await judge_task(verifier, found, models)
    except Abstain as refusal:
        verdict = Verdict.abstained(refusal.reason_code, refusal.reason)
    except Exception as failure:  # noqa: BLE001 - a bad sample never raises; our bug is a null score
        verdict = report_crash(failure)
    return verdict.model_copy(update={"producer": verifier.producer, "id": sample.id})
