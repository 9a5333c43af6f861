"""The base of verifiers that run programs: the lane ``sandbox``.

``triage`` runs inline and either gives the verdict or a small hashable task, like that of the cpu lane; the
service hands the task and its sandbox to ``execute``. A failure of the sandbox is raised through
(:class:`sandbox.base.SandboxFailure`): the lane retries once and then answers ``error``, never ``incorrect``.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar, Generic

from typing_extensions import TypeVar

from sandbox.base import HostOutOfMemory, Sandbox, SandboxFailure, Unsupported
from sandbox.limits import Limits
from trueward.authoring.verifier import Params, SampleVerifier, Task
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Lane

P = TypeVar("P", bound=Params, default=Params)


class SandboxVerifier(SampleVerifier[P], Generic[P]):
    """Write ``triage`` (inline, microseconds, may raise ``Abstain``) and ``execute``."""

    lane: ClassVar[Lane] = "sandbox"

    @property
    def limit_s(self) -> float:
        """Seconds of a place after which a sample's program is known to hang; by default those of one run."""
        return Limits().wall_s

    def triage(self, sample: Sample) -> Verdict | Task:
        raise NotImplementedError(f"{type(self).__name__} does not define triage")

    async def execute(self, task: Task, sandbox: Sandbox) -> Verdict:
        """Runs what the task says and judges it. Raises SandboxFailure or Unsupported for the sandbox's part."""
        raise NotImplementedError(f"{type(self).__name__} does not define execute")

    def check(self, task: Task) -> Verdict:
        """Outside the service: the same with a local sandbox of its own, opened for this task."""
        return asyncio.run(self._standalone(task))

    async def _standalone(self, task: Task) -> Verdict:
        from sandbox.local import LocalSandbox  # a notebook that never runs code never starts a jail

        sandbox = LocalSandbox()
        try:
            return await self.execute(task, sandbox)
        except Unsupported as refusal:
            return report_unsupported(refusal)
        except SandboxFailure as failure:
            return report_sandbox_failure(failure)
        finally:
            await sandbox.close()


def report_unsupported(refusal: Unsupported) -> Verdict:
    """The caller asked for what this sandbox lacks; no doing of the policy."""
    return Verdict.abstained("sandbox_unsupported", str(refusal)[:300])


def report_sandbox_failure(failure: SandboxFailure) -> Verdict:
    """Our own failure: a null score. A host without memory is no crash that a response is looked into for."""
    code = "host_memory" if isinstance(failure, HostOutOfMemory) else "sandbox_failed"
    return Verdict.error(code, str(failure)[:300])
