"""A lane that says what a test tells it to, and the verifiers and the stand-ins that go with it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, cast

from app.admission.admit import Admitted, admit
from app.admission.demand import NONE, Demand
from app.lanes.cpu.pool import Pool
from app.lanes.lanes import ChecksElsewhere, Lanes
from app.lanes.models import ModelLane
from app.lanes.programs import Programs
from app.settings import Settings
from judges.base import ModelVerifier
from trueward.authoring.verifier import SampleVerifier, Task
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Lane
from verifiers.sandboxed import SandboxVerifier


class Inline(SampleVerifier):
    name: ClassVar[str] = "inline"

    def verify_one(self, sample: Sample) -> Verdict:
        return Verdict.abstained("asked") if sample.response_text == "?" else Verdict.correct("yes")


class Checked(SampleVerifier):
    """Its task is the response alone."""

    name: ClassVar[str] = "checked"
    lane: ClassVar[Lane] = "cpu"

    def triage(self, sample: Sample) -> Verdict | Task:
        return sample.response_text


class Drawn(Checked):
    name: ClassVar[str] = "drawn"
    deterministic: ClassVar[bool] = False


class Ran(SandboxVerifier):
    name: ClassVar[str] = "ran"

    def triage(self, sample: Sample) -> Verdict | Task:
        return sample.response_text


class Asked(ModelVerifier):
    name: ClassVar[str] = "asked"

    @property
    def models(self) -> tuple[str, ...]:
        return ("rm",)

    def triage(self, sample: Sample) -> Verdict | Task:
        return sample.response_text


@dataclass
class Line:
    """Stands for a lane: says one of ``says`` after the other, the last one ever after, each when ``go`` is set."""

    says: list[Verdict] = field(default_factory=lambda: [Verdict.correct("yes", elapsed_s=2.0)])
    go: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[tuple[Task, float]] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    weights: str = "rm@1"
    backlog_s: float = 0.0
    ahead_s: float = 0.0

    async def judge(self, verifier: object, task: Task, deadline: float, demand: Demand = NONE) -> Verdict:
        self.asked.append((task, deadline))
        said = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        await self.go.wait()
        return said.model_copy()

    def identity(self, models: Sequence[str], demand: Demand) -> str:
        return self.weights

    def wait_s(self, project: str | None, seconds: float) -> float:
        return self.ahead_s + seconds + (1000.0 if project is None else 0.0)

    def shed(self) -> None:
        self.done.append("shed")

    async def start(self) -> None:
        self.done.append("started")

    async def stop(self) -> None:
        self.done.append("stopped")

    async def close(self) -> None:
        self.done.append("closed")


@dataclass
class Lined:
    """Lanes of which each is a :class:`Line`; those say at once what they are told unless they are ``held``."""

    lanes: Lanes
    cpu: Line
    sandbox: Line
    model: Line

    @classmethod
    def made(cls, *says: Verdict, elsewhere: ChecksElsewhere | None = None, held: bool = False) -> Lined:
        lanes = Lanes(Settings(), elsewhere=elsewhere)
        made = cls(lanes, *(Line(list(says)) if says else Line() for _ in range(3)))
        lanes.pool, lanes.programs = cast(Pool, made.cpu), cast(Programs, made.sandbox)
        lanes.models = cast(ModelLane, made.model)
        if not held:
            for line in (made.cpu, made.sandbox, made.model):
                line.go.set()
        return made

    async def judged(
        self, verifier: SampleVerifier, response: str = "r", *, within_s: float = 60.0, **fields: str
    ) -> Verdict:
        found = self.lanes.judge(verifier, item(response, **fields), asyncio.get_running_loop().time() + within_s)
        return found if isinstance(found, Verdict) else await found


def item(response: str = "r", **fields: str) -> Admitted:
    [found] = admit([Sample.model_validate({"response": response, "reference": "r", **fields})], Settings())
    return found


async def turns() -> None:
    """Lets everything that is ready go as far as it can."""
    for _ in range(20):
        await asyncio.sleep(0)
