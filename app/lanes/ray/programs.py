"""The sandbox lane on a cluster: programs are run where its replicas are."""

from __future__ import annotations

import asyncio
import json
from typing import cast

from app.admission.demand import NONE, Demand
from app.lanes.programs import Programs
from app.lanes.ray.judging import judge_remotely
from app.lanes.ray.link import ItemLost, RayLink, Stopped, Unreachable
from app.lanes.ray.messages import Executed, RunMessage, pack, read
from app.lanes.sandboxes import SandboxOff
from sandbox.base import Execution, Program, SandboxFailure
from sandbox.limits import Limits
from trueward.authoring.verifier import Task, Verifier
from trueward.wire.verdict import Verdict

RUN_S = 600.0
"""Seconds that a program of a native protocol may wait and run, as long as its caller stays."""

_PROBE_S = 30.0


class RayPrograms(Programs):
    """The link is opened and closed by whoever made it."""

    def __init__(self, link: RayLink) -> None:
        super().__init__(_Sandbox(link), 1)
        self._link = link

    @property
    def running(self) -> int:
        return self._counted("running")

    @property
    def waiting(self) -> int:
        return self._counted("waiting")

    @property
    def leaked(self) -> int:
        return self._counted("leaked")

    def _counted(self, name: str) -> int:
        """Over all replicas that answer, a few seconds old."""
        return sum(cast(int, replica[name]) for replica in self._link.stats.get("sandbox", []))

    def shed(self) -> None:
        self._link.shed("sandbox")

    async def _judge(self, verifier: Verifier, task: Task, deadline: float, demand: Demand, waited_s: float) -> Verdict:
        verdict = await judge_remotely(self._link, "sandbox", verifier, task, deadline, demand)
        self.failures += verdict.reason_code in ("sandbox_failed", "host_memory")
        return verdict

    async def run(
        self, program: Program, limits: Limits, stdin: bytes, demand: Demand = NONE
    ) -> tuple[Execution | None, Execution]:
        reply = await _ask(self._link, "run", pack(RunMessage(program, limits, stdin)), RUN_S)
        executed = Executed.model_validate_json(reply)
        return executed.compiled, executed.done

    async def probe(self) -> str:
        return f"ray: {json.loads(await _ask(self._link, 'probe', pack(None), _PROBE_S))}"


class _Sandbox(SandboxOff):
    """What the replicas' sandbox says of its languages; programs do not come this way."""

    name = "ray"

    def __init__(self, link: RayLink) -> None:
        self._link = link

    async def languages(self) -> dict[str, str]:
        found: dict[str, str] = json.loads(await _ask(self._link, "languages", pack(None), _PROBE_S))
        return found


async def _ask(link: RayLink, method: str, payload: bytes, within_s: float) -> bytes:
    """Raises SandboxFailure or Unsupported."""
    try:
        return read(await link.ask("sandbox", method, payload, asyncio.get_running_loop().time() + within_s))
    except (TimeoutError, Unreachable, ItemLost, Stopped) as failure:
        raise SandboxFailure(f"the sandbox lane on the cluster did not answer: {failure}") from failure
