"""What a replica of each lane does: the lane itself, as the service would run it, behind one method.

``answer`` takes one thing that is asked and gives its reply. It raises only for a bug; whoever called it sends the item
again, once, and then gives it up.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Protocol

from pydantic import JsonValue, TypeAdapter

from app.admission.demand import Demand
from app.lanes.cpu.limits import Limits
from app.lanes.cpu.pool import Pool
from app.lanes.engines import Engines
from app.lanes.model_source import NoModels, RegisteredModel
from app.lanes.models import ModelLane
from app.lanes.programs import Programs
from app.lanes.ray.messages import (
    AnswerMessage,
    Asked,
    AskMessage,
    CheckMessage,
    Executed,
    Reweigh,
    RunMessage,
    Stats,
    pack_failure,
    pack_reply,
    sum_counters,
    unpack,
)
from app.lanes.ray.shape import Lane, Layout, Shape
from app.lanes.sandboxes import count_sleeping_places, sandbox_of
from app.settings import Settings
from judges.backend import ModelStatus
from judges.base import ModelFailure, TooLong
from sandbox.base import SandboxFailure, Unsupported
from trueward.authoring.verifier import Verifier
from trueward.errors import InvalidParameters, UnknownVerifier
from trueward.wire.verdict import Verdict
from verifiers import registry

_VERIFIERS_KEPT = 256
_STATUSES = TypeAdapter(dict[str, ModelStatus])


class Host(Protocol):
    """One replica's lane. ``start`` returns when it can answer; after ``stop`` nothing that it started is left."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def answer(self, asked: Asked) -> bytes: ...

    async def stats(self) -> Stats: ...

    def diagnose(self) -> str:
        """Why this replica is of no use any more, or the empty string."""
        ...


def host_of(lane: Lane, arguments: Mapping[str, JsonValue]) -> Host:
    """``arguments`` as :func:`app.lanes.ray.shape.arguments` makes them."""
    settings = Settings.model_validate(arguments["settings"])
    shape: Shape = getattr(Layout.model_validate(arguments["layout"]), lane)
    kinds: dict[Lane, type[CpuHost | SandboxHost | ModelsHost]] = {
        "cpu": CpuHost,
        "sandbox": SandboxHost,
        "models": ModelsHost,
    }
    return kinds[lane](settings, shape)


class _Checks:
    """Verifiers by name and parameters, each made once."""

    def __init__(self) -> None:
        self._made = lru_cache(_VERIFIERS_KEPT)(self._make)

    def _make(self, name: str, params: str) -> Verifier:
        return registry.create(name, json.loads(params))

    def of(self, check: CheckMessage) -> Verifier | Verdict:
        """The verifier, or what is to be said where this replica has no such one: never another version's verdict."""
        try:
            verifier = self._made(check.verifier, check.params)
        except (UnknownVerifier, InvalidParameters) as refusal:
            return Verdict.error("lane_version", f"a replica does not know this verifier: {refusal.detail}"[:300])
        if verifier.version != check.version:
            told = f"{check.verifier} is of version {verifier.version} on a replica and {check.version} in the service"
            return Verdict.error("lane_version", f"{told}: deploy the lanes anew")
        return verifier


class CpuHost:
    def __init__(self, settings: Settings, shape: Shape) -> None:
        self._checks = _Checks()
        self._pool = Pool(
            workers=shape.workers,
            limits=Limits(settings.cpu_limit_s, settings.wall_limit_s, settings.worker_memory_bytes),
            recycle_after=settings.worker_recycle_after,
            capacity=settings.worker_capacity,
        )

    async def start(self) -> None:
        await self._pool.start()

    async def stop(self) -> None:
        await self._pool.stop()

    async def answer(self, asked: Asked) -> bytes:
        _, remaining_s, _, payload = asked
        deadline = asyncio.get_running_loop().time() + remaining_s
        check = unpack(payload)
        assert isinstance(check, CheckMessage)
        found = self._checks.of(check)
        if isinstance(found, Verdict):
            return pack_reply(found)
        demand = Demand(check.flow, project=check.project)
        return pack_reply(await self._pool.judge(found, check.task, deadline, demand))

    async def stats(self) -> Stats:
        return asdict(self._pool.stats())

    def diagnose(self) -> str:
        return "" if self._pool.stats().alive else "no worker process is alive"


class SandboxHost:
    def __init__(self, settings: Settings, shape: Shape) -> None:
        self._checks = _Checks()
        places = settings.model_copy(update={"sandbox_workers": shape.workers})
        self._programs = Programs(sandbox_of(places), shape.workers, asleep=count_sleeping_places(places))

    async def start(self) -> None:
        await self._programs.probe()

    async def stop(self) -> None:
        await self._programs.close()

    async def answer(self, asked: Asked) -> bytes:
        method, remaining_s, waited_s, payload = asked
        deadline = asyncio.get_running_loop().time() + remaining_s
        wanted = unpack(payload)
        if isinstance(wanted, CheckMessage):
            return pack_reply(await self._judge(wanted, deadline, waited_s))
        try:
            async with asyncio.timeout_at(deadline):
                if isinstance(wanted, RunMessage):
                    compiled, done = await self._programs.run(wanted.program, wanted.limits, wanted.stdin)
                    return pack_reply(Executed(compiled=compiled, done=done))
                said = await (self._programs.probe() if method == "probe" else self._programs.sandbox.languages())
        except (SandboxFailure, Unsupported, TimeoutError) as failure:
            return pack_failure(failure)
        return b"+" + json.dumps(said).encode()

    async def _judge(self, check: CheckMessage, deadline: float, waited_s: float) -> Verdict:
        found = self._checks.of(check)
        if isinstance(found, Verdict):
            return found
        demand = Demand(check.flow, project=check.project)
        return await self._programs.judge(found, check.task, deadline, demand, waited_s=waited_s)

    async def stats(self) -> Stats:
        lane = self._programs
        counted = {"running": lane.running, "waiting": lane.waiting, "failures": lane.failures, "leaked": lane.leaked}
        return {**counted, "name": lane.sandbox.name}

    def diagnose(self) -> str:
        return ""


class ModelsHost:
    """Brings its models to the weights that they are registered with by itself: each question says which they are."""

    def __init__(self, settings: Settings, shape: Shape) -> None:
        device = "cuda:0" if shape.num_gpus else "cpu"
        self._lane = ModelLane(NoModels(), Engines(settings.model_copy(update={"model_device": device})), capacity=0)

    async def start(self) -> None:
        return None

    async def stop(self) -> None:
        await self._lane.close()

    async def answer(self, asked: Asked) -> bytes:
        _, remaining_s, _, payload = asked
        deadline = asyncio.get_running_loop().time() + remaining_s
        wanted = unpack(payload)
        try:
            async with asyncio.timeout_at(deadline):
                if isinstance(wanted, AskMessage):
                    demand = Demand(flow=wanted.flow)
                    answer = await self._lane.ask(_here(wanted.model), wanted.question, demand, deadline)
                    return pack_reply(AnswerMessage(answer=answer))
                assert isinstance(wanted, Reweigh)
                return await self._weigh(_here(wanted.model), wanted)
        except (ModelFailure, TooLong, ValueError, TimeoutError) as failure:
            return pack_failure(failure)

    async def _weigh(self, model: RegisteredModel, wanted: Reweigh) -> bytes:
        if wanted.request is not None:
            return pack_reply(await self._lane.weight_sync.put(model, wanted.request))
        await self._lane.weight_sync.bring(model)
        await self._lane.engines.backend_of(model.entry).load(model.entry)
        return b"+null"

    async def drop(self, name: str) -> None:
        await self._lane.weight_sync.drop(name)

    async def stats(self) -> Stats:
        statuses = _STATUSES.dump_python(await self._lane.engines.status(), mode="json")
        return {"statuses": statuses, "counters": dict(sum_counters(self._lane.engines.counters().values()))}

    def diagnose(self) -> str:
        return ""


def _here(model: RegisteredModel) -> RegisteredModel:
    """On this replica's own device, whatever the entry calls one."""
    return replace(model, entry=model.entry.model_copy(update={"device": "auto"}))
