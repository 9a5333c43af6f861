"""The engine as an outsider sees it, and a second engine that a test may stop."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

import docker

from sandbox.docker.engine import SERVER

IMAGE = "trueward-test/sandbox"
SMALL_IMAGE = "trueward-test/debian-python"


def client(url: str | None = None) -> docker.APIClient:
    """The engine's API, straight."""
    return docker.APIClient(base_url=url) if url else docker.APIClient()


def containers(server: str, url: str | None = None, **filters: str) -> set[str]:
    """Ids of all containers of a sandbox, running or not."""
    api = client(url)
    try:
        found = api.containers(all=True, filters={"label": f"{SERVER}={server}", **filters})
        return {container["Id"] for container in found}
    finally:
        api.close()


async def until_programs_run(server: str, count: int, url: str | None = None) -> None:
    """Returns when so many containers of a sandbox run a program beside their runner."""
    async with asyncio.timeout(60):
        while await asyncio.to_thread(_programs, server, url) < count:
            await asyncio.sleep(0.05)


def _programs(server: str, url: str | None) -> int:
    api = client(url)
    try:
        return sum(_runs_a_program(api, one["Id"]) for one in api.containers(filters={"label": f"{SERVER}={server}"}))
    finally:
        api.close()


def _runs_a_program(api: docker.APIClient, container: str) -> bool:
    try:
        return len(api.top(container)["Processes"]) > 1
    except docker.errors.APIError as refusal:
        if _has_ended(refusal):
            return False
        raise


def kill_all(server: str) -> None:
    """Kills all containers of a sandbox that run."""
    api = client()
    try:
        for one in api.containers(filters={"label": f"{SERVER}={server}"}):
            try:
                api.kill(one["Id"])
            except docker.errors.APIError as refusal:
                if not _has_ended(refusal):
                    raise
    finally:
        api.close()


def _has_ended(refusal: docker.errors.APIError) -> bool:
    """Whether a container was gone or did not run: one that was listed may end, or be taken away, at any time."""
    return refusal.status_code in (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)


def volumes(server: str) -> list[str]:
    """Names of the volumes of a sandbox."""
    api = client()
    try:
        return [volume["Name"] for volume in api.volumes(filters={"label": f"{SERVER}={server}"})["Volumes"] or []]
    finally:
        api.close()


class Daemon:
    """A Docker engine of its own, with its own socket and data."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.url = f"unix://{folder}/docker.sock"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it and waits until it answers."""
        # in a network of its own: an engine without a bridge removes the default one, which is the other engine's
        command = [
            *("unshare", "--net", "dockerd"),
            f"--host={self.url}",
            f"--data-root={self._folder}/data",
            f"--exec-root={self._folder}/exec",
            f"--pidfile={self._folder}/docker.pid",
            "--bridge=none",
            "--iptables=false",
        ]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + 60
        while subprocess.run(["docker", "-H", self.url, "info"], capture_output=True).returncode:
            assert time.monotonic() < deadline, (self._folder / "log").read_text()[-2000:]
            time.sleep(0.2)

    def load(self, image: str) -> None:
        """Copies an image of the other engine."""
        saved = subprocess.Popen(["docker", "save", image], stdout=subprocess.PIPE)
        subprocess.run(["docker", "-H", self.url, "load"], stdin=saved.stdout, check=True, capture_output=True)
        assert saved.stdout is not None
        saved.stdout.close()
        assert saved.wait() == 0

    def signal(self, number: int) -> None:
        """Sends it a signal."""
        assert self._process is not None
        os.kill(self._process.pid, number)

    def kill(self) -> None:
        """kill -9; its containers stay as they are."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        # its containerd dies with it, and where nobody reaps orphans the next engine would take the corpse for alive
        noted = self._folder / "exec/containerd/containerd.pid"
        if noted.exists() and _dead(int(noted.read_text())):
            noted.unlink()

    def stop(self) -> None:
        """Ends it, its containers with it."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(30)
            self._process = None


@contextmanager
def second_engine() -> Iterator[Daemon]:
    """A running second engine that holds the small image; nothing of it stays."""
    with tempfile.TemporaryDirectory(prefix="trueward-dockerd-") as folder:
        daemon = Daemon(Path(folder))
        try:
            daemon.start()
            daemon.load(SMALL_IMAGE)
            yield daemon
        finally:
            daemon.stop()
            for mount in sorted(_mounts_below(folder), reverse=True):
                subprocess.run(["umount", "--lazy", mount], check=False)


def _dead(process: int, patience_s: float = 5.0) -> bool:
    """Whether a process is gone, or soon is, but for what its parent has not asked for."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in "ZX":
            return True
        time.sleep(0.05)
    return False


def _mounts_below(folder: str) -> list[str]:
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [place for line in lines if (place := line.split()[4]).startswith(folder)]
