"""Ray clusters of this machine for tests: nodes that are processes, which can be killed like a machine.

Everything runs in ``.venv-ray``, the service's environment with the extra ``ray``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from tests.live import free_port

ROOT = Path(__file__).parents[4]
BIN = ROOT / ".venv-ray/bin"
PLUGIN = ROOT / "tests/hostile_plugin"
LANES = """
cpu: {num_cpus: 0.5, min_replicas: 1, max_replicas: 2, target_ongoing_requests: 2, upscale_delay_s: 0.5, batch: 8}
sandbox: {num_cpus: 0.5, resources: {programs: 0.5}, min_replicas: 1, max_replicas: 1}
models: {num_cpus: 1, max_replicas: 1}
"""
REPLICA = "ray::ServeReplica:trueward-lanes:"
_START_S = 90.0


class Cluster:
    """A head and nodes; ``address`` stays the same when the head is started anew."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"127.0.0.1:{free_port()}"
        self._nodes: list[subprocess.Popen[bytes]] = []

    def head(self, **resources: int) -> subprocess.Popen[bytes]:
        # a path of its own for each: what a killed head left behind is not taken up
        folder = tempfile.mkdtemp(dir=self.folder)
        port = self.address.split(":")[1]
        alone = ["--include-dashboard=false", "--disable-usage-stats"]
        return self._start(["--head", f"--port={port}", f"--temp-dir={folder}", *alone], resources)

    def node(self, **resources: int) -> subprocess.Popen[bytes]:
        return self._start([f"--address={self.address}"], resources)

    def _start(self, arguments: list[str], resources: dict[str, int]) -> subprocess.Popen[bytes]:
        log = (self.folder / f"node-{len(self._nodes)}.log").open("wb")
        cpus = resources.pop("num_cpus", 2)
        custom = str(resources).replace("'", '"')
        command: list[str | Path] = [
            BIN / "ray",
            "start",
            *arguments,
            f"--num-cpus={cpus}",
            f"--resources={custom}",
            "--block",
        ]
        # any port, for the address may be one of those that workers have by default (10002 to 19999)
        options = ["--object-store-memory=83886080", "--min-worker-port=0", "--max-worker-port=0"]
        with log:
            node = subprocess.Popen(
                [*command, "--node-ip-address=127.0.0.1", *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment(),
            )
        self._nodes.append(node)
        return node

    def trueward(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """The command, in the cluster's environment."""
        done = subprocess.run(
            [BIN / "trueward", *arguments], capture_output=True, text=True, timeout=240, env=environment(), check=False
        )
        if check and done.returncode != 0:
            logs = "".join(log.read_text()[-2_000:] for log in sorted(self.folder.glob("node-*.log")))
            pytest.fail(f"{done.stdout}{done.stderr}\nthe nodes' logs end:\n{logs}")
        return done

    def up(self) -> None:
        """Deploys the lanes, once there is a cluster to deploy them on."""
        lanes = self.folder / "lanes.yaml"
        lanes.write_text(LANES)
        self.trueward("ray", "up", "--address", self.address, "--config", str(lanes), "--wait-s", "150")

    def close(self) -> None:
        for node in self._nodes:
            kill(node)


def kill(node: subprocess.Popen[bytes]) -> None:
    """Ends a node and all that runs on it at once, as a machine ends that loses its power."""
    with suppress(psutil.NoSuchProcess):
        family = psutil.Process(node.pid).children(recursive=True)
        for process in [psutil.Process(node.pid), *family]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
    node.wait()


def replicas(lane: str) -> list[psutil.Process]:
    """Processes of a lane's replicas, on any node."""
    found = psutil.process_iter(["cmdline"])
    return [one for one in found if " ".join(one.info["cmdline"] or []).startswith(REPLICA + lane)]


def environment() -> dict[str, str]:
    limits = {"TRUEWARD_CPU_LIMIT_S": "0.5", "TRUEWARD_WALL_LIMIT_S": "2"}
    # a token that some other cluster left in the home directory is none of this one
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0", "RAY_AUTH_MODE": "disabled"}
    return {**os.environ, **limits, **quiet, "PYTHONPATH": str(PLUGIN)}


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A cluster of one node, with the lanes. Its folder's path is short, for sockets lie in it."""
    if not (BIN / "ray").exists():
        pytest.fail("the environment with Ray, .venv-ray, is missing: make it with `make ray`")
    folder = Path(tempfile.mkdtemp(prefix="ray-"))
    made = Cluster(folder)
    try:
        made.head(programs=1)
        made.up()
        yield made
    finally:
        made.close()
        shutil.rmtree(folder, ignore_errors=True)
