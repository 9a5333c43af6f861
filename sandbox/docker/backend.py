"""The Docker backend: a fresh container for each opened program, taken from a warm pool.

Nothing is asked of the engine before the first program; leftovers of killed servers are removed then. When the
engine goes away every call is a ``SandboxFailure``, and the next one connects again. How many containers live at
once is the caller's choice: one for each open workspace, two for a pair, plus those that wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

import docker

from sandbox.base import Execution, Program, SandboxFailure, Status, Unsupported
from sandbox.docker import harness
from sandbox.docker.container import Files, Shape
from sandbox.docker.engine import Engine
from sandbox.docker.pair import run_pair
from sandbox.docker.pool import Pool
from sandbox.docker.reaper import reap
from sandbox.docker.run import execute, run_request
from sandbox.docker.workspace import DockerWorkspace, with_room
from sandbox.languages import Language, find_language, languages
from sandbox.limits import Limits

_PROBE = Limits(compile_s=20.0)


class DockerSandbox:
    """See :class:`sandbox.base.Sandbox`.

    ``image`` holds the tool chains and a Python of 3.8 or newer; ``warm`` containers wait for each size of disk;
    ``cpus`` bounds each container; with ``reuse`` a container serves again after a proven reset, else each
    opened program gets a fresh one; ``runtime`` names one of the engine's (``runsc``); ``url`` as ``DOCKER_HOST``.
    """

    name = "docker"

    def __init__(
        self,
        image: str = "trueward/sandbox",
        *,
        warm: int = 4,
        cpus: float = 1.0,
        reuse: bool = False,
        runtime: str | None = None,
        url: str | None = None,
    ) -> None:
        self._image = image
        self._cpus = cpus
        self._runtime = runtime
        self._engine = Engine(url)
        self._pool = Pool(self._engine, warm, reuse)
        self._files: Files | None = None
        self._preparing: asyncio.Task[Files] | None = None
        self._begun = False
        self._usable: dict[str, str] = {}

    @property
    def server(self) -> str:
        """What its containers and its volume are labelled with."""
        return self._engine.server

    @property
    def leaked(self) -> int:
        """Containers of this sandbox that could not be removed; tried again as others start."""
        return self._pool.leaked

    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[DockerWorkspace]:
        workspace = await self._workspace(program, limits)
        try:
            await self._established(workspace)
            yield workspace
        finally:
            await workspace.close()

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        workspaces = await self._workspace(first, limits), await self._workspace(second, limits)
        try:
            await asyncio.gather(*map(self._established, workspaces))
            return await run_pair(*workspaces)
        finally:
            await asyncio.gather(*(workspace.close() for workspace in workspaces))

    async def languages(self) -> dict[str, str]:
        await self._probe([language for name, language in languages().items() if name not in self._usable])
        return {name: self._usable[name] for name in languages()}

    async def close(self) -> None:
        if self._preparing is not None:
            await asyncio.wait([self._preparing])
        await self._pool.close()
        if self._begun:
            for name in harness.volume_names(self._engine):
                remove = partial(docker.APIClient.remove_volume, name=name, force=True)
                with suppress(SandboxFailure):  # the next server's reaper removes it
                    await self._engine.call("remove a volume", remove)
        await self._engine.close()

    async def _workspace(self, program: Program, limits: Limits) -> DockerWorkspace:
        language = find_language(program.language)
        if language is None:
            raise Unsupported(f"unknown language: {program.language!r}")
        if missing := await self._missing(language):
            raise Unsupported(missing)
        if any(path.startswith(f"{language.file}/") for path in program.files):
            raise Unsupported(f"{language.file} is the source's name, not a folder")
        compiled = bool(language.compile_command) and not program.command
        needs = language.compiling(limits) if compiled else language.running(limits)
        shape = await self._shape(with_room(program, needs))
        return DockerWorkspace(self._pool, program, language, shape, limits)

    async def _shape(self, needs: Limits) -> Shape:
        files = await self._prepared()
        return Shape(self._image, files, self._runtime, self._cpus, needs.memory_bytes, needs.disk_bytes)

    async def _prepared(self) -> Files:
        """The volume with the harness. Made at first use, and again after a failure: an engine can lose it.

        A caller who gives up leaves it to the others: what an engine has begun it also ends.
        """
        if self._files is not None:
            return self._files
        if self._preparing is None:
            self._preparing = asyncio.create_task(self._prepare(), name="harness volume")
            self._preparing.add_done_callback(_heard)
        return await asyncio.shield(self._preparing)

    async def _prepare(self) -> Files:
        try:
            self._begun = True
            await reap(self._engine)
            self._files = await harness.create_volume(self._engine, self._image)
            return self._files
        finally:
            self._preparing = None

    async def _established(self, workspace: DockerWorkspace) -> None:
        try:
            await workspace.establish()
        except SandboxFailure:
            self._files = None
            raise

    async def _missing(self, language: Language) -> str:
        """Why a language cannot be used; empty where it can."""
        if language.name not in self._usable:
            await self._probe([language])
        return self._usable[language.name]

    async def _probe(self, unknown: list[Language]) -> None:
        """Asks each tool chain for its version in one container."""
        container = await self._pool.take(await self._shape(_PROBE))
        try:
            for language in unknown:
                request = run_request(language.version, language.variables, language.compiling(_PROBE))
                shown = await execute(container, request, container.no_input)
                works = shown.status is Status.FINISHED
                failed = f"`{' '.join(language.version)}` does not work in {self._image}"
                self._usable[language.name] = "" if works else failed
        finally:
            await asyncio.shield(self._pool.give_back(container, clean=container.alive))


def _heard(preparing: asyncio.Task[Files]) -> None:
    """A failure that no caller waits for any more is nobody's; the next one tries again."""
    if not preparing.cancelled():
        preparing.exception()
