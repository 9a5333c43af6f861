"""The Docker engine, asked from asyncio: every call in a thread, every failure a ``SandboxFailure``.

The SDK is synchronous; a call that the engine does not answer within ``timeout_s`` fails. The engine may go and
come back at any time: each call connects anew where it must.
Not covered: an engine behind TLS, whose attached streams cannot be handed to the event loop.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from typing import TypeVar

import docker
import urllib3.exceptions
from docker.errors import DockerException
from docker.utils import kwargs_from_env
from requests.exceptions import RequestException

from sandbox.base import SandboxFailure

T = TypeVar("T")

LABEL = "trueward.sandbox"
SERVER, PROCESS, NAMESPACE = f"{LABEL}.server", f"{LABEL}.process", f"{LABEL}.namespace"
THREADS = 8
_FAILURES = (DockerException, RequestException, urllib3.exceptions.HTTPError, HTTPException, OSError)


def process_identity(pid: int) -> str | None:
    """A process as ``pid:start time``, which no later process of that number shares; None where there is none."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
    except OSError:
        return None
    state, start = after_name.split()[0], after_name.split()[19]
    return None if state in "ZX" else f"{pid}:{start}"


def process_namespace() -> str:
    """The machine's boot and the process namespace in which our process ids mean something."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{boot}:{Path('/proc/self/ns/pid').readlink()}"


class Engine:
    """One engine. ``url`` as in ``DOCKER_HOST``, which is the default."""

    def __init__(self, url: str | None = None, timeout_s: int = 60) -> None:
        self._url = url
        self._timeout_s = timeout_s
        self._api: docker.APIClient | None = None
        self._connecting = threading.Lock()
        self._closed = False
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="docker")
        self.server = uuid.uuid4().hex
        self.labels = {
            LABEL: "1",
            SERVER: self.server,
            PROCESS: process_identity(os.getpid()) or "",
            NAMESPACE: process_namespace(),
        }

    async def call(self, what: str, ask: Callable[[docker.APIClient], T]) -> T:
        """Asks the engine in a thread. ``what`` completes "the engine cannot ..." in the failure's text."""
        if self._closed:
            raise SandboxFailure("the sandbox is closed")
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: ask(self._connected()))
        except _FAILURES as failure:
            raise SandboxFailure(f"the Docker engine cannot {what}: {failure}") from failure

    def _connected(self) -> docker.APIClient:
        with self._connecting:
            if self._api is None:
                environment = kwargs_from_env()
                if self._url is not None:
                    environment["base_url"] = self._url
                self._api = docker.APIClient(version="auto", timeout=self._timeout_s, **environment)
            return self._api

    async def close(self) -> None:
        """Closes the connections; waits for calls that are under way."""
        self._closed = True
        await asyncio.to_thread(self._threads.shutdown)
        if self._api is not None:
            self._api.close()


def attach(api: docker.APIClient, container: str) -> socket.socket:
    """The container's standard streams as a socket of our own."""
    attached = api.attach_socket(container, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
    try:
        # The SDK hands out its inside; a duplicate lives on when the response is closed, and leaks nothing.
        inner: socket.socket = attached._sock
        return inner.dup()
    except (AttributeError, NotImplementedError) as error:
        raise DockerException(
            "streams cannot be attached over this connection (TLS and SSH are not covered)"
        ) from error
    finally:
        attached._response.close()
        attached.close()
