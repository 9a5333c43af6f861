"""One container and the conversation with its runner.

Locked down in every way that the engine offers: no network, read-only root, private bounded memory file systems
for what must be writable, no capability, no new privileges, our seccomp profile, bounded memory without swap,
processes and CPU, a user of its own, no log.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker

from sandbox.base import SandboxFailure
from sandbox.docker.engine import Engine, attach
from sandbox.docker.runner.frames import CHUNK_BYTES, HEADER
from sandbox.docker.runner.places import TMPFS

MOUNT = "/opt/trueward"
OVERHEAD_BYTES = 24 * 2**20
INODES_PER_MIB = 256
PROCESSES = 1024
START_S = 30.0
_IN_PROC = (
    "acpi asound buddyinfo bus cpuinfo diskstats driver fs interrupts iomem ioports irq kallsyms kcore "
    "key-users keys kmsg kpagecgroup kpagecount kpageflags latency_stats loadavg locks meminfo misc modules "
    "pagetypeinfo partitions pressure sched_debug schedstat scsi slabinfo softirqs stat swaps sys sysrq-trigger "
    "sysvipc timer_list timer_stats tty uptime vmallocinfo vmstat zoneinfo"
)
_IN_SYS = "block bus class dev devices firmware hypervisor kernel module power"
MASKED = [f"/proc/{name}" for name in _IN_PROC.split()] + [f"/sys/{name}" for name in _IN_SYS.split()]
"""What tells of the host and of what others do: all of /proc but processes, all of /sys but the control group.

``/proc/cgroups`` stays: without it Java takes the container's control group for one that is broken.
"""

_SECCOMP = json.dumps(json.loads((Path(__file__).parent / "seccomp.json").read_text(encoding="utf-8")))
_STREAM = struct.Struct(">BxxxI")
_STDERR = 2
_ERRORS_KEPT = 2000
_START = f"import sys; sys.path.insert(0, {f'{MOUNT}/docker'!r}); from runner.main import main; main()"


@dataclass(frozen=True, slots=True)
class Files:
    """The volume of the harness; ``layers``: folders of the engine's machine that make an overlay of it, or none."""

    volume: str
    layers: str = ""

    def mount(self) -> docker.types.Mount:
        """As a container gets it."""
        if not self.layers:
            return docker.types.Mount(MOUNT, self.volume, type="volume", read_only=True, no_copy=True)
        options = {"type": "overlay", "device": "overlay", "o": f"lowerdir={self.layers}"}
        driver = docker.types.DriverConfig("local", options)
        # without an upper layer an overlay is read-only, and the engine wants it not to be said of a nameless volume
        return docker.types.Mount(MOUNT, None, type="volume", no_copy=True, driver_config=driver)


@dataclass(frozen=True, slots=True)
class Shape:
    """What a container is made with: image, files of the harness, runtime, CPUs; sizes in bytes."""

    image: str
    files: Files
    runtime: str | None
    cpus: float
    memory_bytes: int
    disk_bytes: int


class Lost(Exception):
    """The conversation broke off."""


class Container:
    """A started container whose runner waits for work."""

    def __init__(self, engine: Engine, identity: str, uid: int, shape: Shape, streams: socket.socket) -> None:
        self._engine = engine
        self.id = identity
        self.uid = uid
        self.shape = shape
        self.memory_bytes = shape.memory_bytes
        self._socket = streams
        self._payload = bytearray()
        self._errors = b""
        self.broken = False
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter

    @classmethod
    async def start(cls, engine: Engine, shape: Shape, uid: int) -> Container:
        """Creates, attaches, starts, and waits until the runner is ready."""

        def launch(api: docker.APIClient) -> tuple[str, socket.socket]:
            created: str = api.create_container(**_settings(api, engine, shape, uid))["Id"]
            try:
                streams = attach(api, created)
                try:
                    api.start(created)
                except BaseException:  # whatever it was: nothing that nobody knows of is left behind
                    streams.close()
                    raise
            except BaseException:  # the same
                api.remove_container(created, force=True, v=True)
                raise
            return created, streams

        identity, streams = await engine.call("start a container", launch)
        container = cls(engine, identity, uid, shape, streams)
        try:
            await container._greet()
        except BaseException:  # the same
            await asyncio.shield(container.remove())
            raise
        return container

    async def _greet(self) -> None:
        connect = asyncio.open_unix_connection if self._socket.family == socket.AF_UNIX else asyncio.open_connection
        self._reader, self._writer = await connect(sock=self._socket)
        try:
            async with asyncio.timeout(START_S):
                await self.expect(b"h")
        except (Lost, TimeoutError) as lost:
            raise SandboxFailure(f"a container of {self.shape.image} did not start its runner: {self.errors}") from lost

    @property
    def errors(self) -> str:
        """The end of what the runner itself has written to standard error: nothing, unless it is broken."""
        return self._errors.decode(errors="replace").strip()[-500:]

    @property
    def alive(self) -> bool:
        """Whether it can still be talked to, as far as is known."""
        return not self.broken and not self._reader.at_eof()

    def send(self, kind: bytes, payload: bytes = b"") -> None:
        """Queues one message."""
        self._writer.write(HEADER.pack(kind, len(payload)) + payload)

    async def drain(self) -> None:
        """Waits until the engine takes more. A broken stream shows when reading."""
        try:
            await self._writer.drain()
        except ConnectionError as error:
            raise Lost(str(error)) from error

    async def no_input(self) -> None:
        """Closes the input of the program that runs."""
        self.send(b"z")

    async def send_all(self, kind: bytes, data: bytes) -> None:
        """Sends data in messages of bounded size."""
        for start in range(0, len(data), CHUNK_BYTES):
            self.send(kind, data[start : start + CHUNK_BYTES])
            await self.drain()

    async def receive(self) -> tuple[bytes, bytes]:
        """The runner's next message. Raises Lost when the stream ends."""
        while True:
            if len(self._payload) >= HEADER.size:
                kind, length = HEADER.unpack_from(self._payload)
                end = HEADER.size + length
                if length > 2**24:
                    raise Lost("a malformed message")
                if len(self._payload) >= end:
                    message = bytes(self._payload[HEADER.size : end])
                    del self._payload[:end]
                    return kind, message
            await self._fill()

    async def _fill(self) -> None:
        try:
            stream, length = _STREAM.unpack(await self._reader.readexactly(_STREAM.size))
            data = await self._reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Lost("the container's stream has ended") from error
        if stream == _STDERR:
            self._errors = (self._errors + data)[-_ERRORS_KEPT:]
        else:
            self._payload += data

    async def expect(self, wanted: bytes) -> bytes:
        """The next message, which has to be of that kind."""
        kind, payload = await self.receive()
        if kind == b"n":
            raise SandboxFailure(f"the container cannot do it: {json.loads(payload)['reason']}")
        if kind != wanted:
            raise Lost(f"message {kind!r} in place of {wanted!r}")
        return payload

    async def limit_memory(self, memory_bytes: int) -> None:
        """Sets the memory of all processes in the container together, files included; there is no swap."""
        if memory_bytes == self.memory_bytes:
            return
        total = memory_bytes + OVERHEAD_BYTES
        await self._engine.call(
            "change a container's memory",
            lambda api: api.update_container(self.id, mem_limit=total, memswap_limit=total),
        )
        self.memory_bytes = memory_bytes

    async def state(self) -> dict[str, Any]:
        """What the engine knows of it."""
        found: dict[str, Any] = await self._engine.call(
            "inspect a container", lambda api: api.inspect_container(self.id)
        )
        state: dict[str, Any] = found["State"]
        return state

    async def remove(self) -> None:
        """Kills and removes it. Where the engine is away, the next one that starts reaps it."""
        if hasattr(self, "_writer"):
            self._writer.transport.abort()
        else:
            self._socket.close()
        await self._engine.call("remove a container", lambda api: _remove(api, self.id))


def _remove(api: docker.APIClient, identity: str) -> None:
    try:
        api.remove_container(identity, force=True, v=True)
    except docker.errors.NotFound:
        return
    except docker.errors.APIError as error:
        if error.status_code != 409:  # "removal is already in progress"
            raise


def _settings(api: docker.APIClient, engine: Engine, shape: Shape, uid: int) -> dict[str, Any]:
    size = f"rw,exec,nosuid,nodev,size={shape.disk_bytes},nr_inodes={max(1, shape.disk_bytes >> 20) * INODES_PER_MIB}"
    total = shape.memory_bytes + OVERHEAD_BYTES
    host = api.create_host_config(
        network_mode="none",
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges", f"seccomp={_SECCOMP}"],
        tmpfs=dict.fromkeys(TMPFS, f"{size},mode=0700,uid={uid},gid={uid}"),
        ipc_mode="none",
        mem_limit=total,
        memswap_limit=total,
        pids_limit=PROCESSES,
        nano_cpus=int(shape.cpus * 1e9),
        log_config=docker.types.LogConfig(type="none"),
        mounts=[shape.files.mount()],
        runtime=shape.runtime,
    )
    host["MaskedPaths"] = MASKED
    return {
        "image": shape.image,
        "entrypoint": ["python3", "-I", "-S", "-c", _START],
        "command": [],
        "user": f"{uid}:{uid}",
        "working_dir": "/",
        "environment": {"PATH": "/usr/local/bin:/usr/bin:/bin"},
        "stdin_open": True,
        "labels": engine.labels,
        "host_config": host,
        "network_disabled": True,
        "healthcheck": {"Test": ["NONE"]},
    }
