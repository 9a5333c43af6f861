"""The Docker engine as a user drives it: the ``docker`` command, containers that end with the test."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx2

ROOT = Path(__file__).parents[2]
BASE_IMAGE = "trueward-test/python"
POSTGRES_IMAGE = "trueward-test/postgres"
SERVER_IMAGE = "trueward-test/server"
SERVER_PORT = 8421


def run(*command: str, check: bool = True, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Runs a command from the root of the project; its output is in the error where it fails."""
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    if check and done.returncode != 0:
        raise AssertionError(
            f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        )
    return done


def docker(*arguments: str) -> str:
    """Standard output of a ``docker`` command that has to work."""
    return run("docker", *arguments).stdout.strip()


def build_server() -> None:
    """Builds the project's Dockerfile on the base made of Debian packages. Fails where there is no engine."""
    found = run("docker", "image", "inspect", BASE_IMAGE, check=False)
    assert found.returncode == 0, f"no Docker engine, or no {BASE_IMAGE} (make images): {found.stderr}"
    docker("build", "--tag", SERVER_IMAGE, "--build-arg", f"BASE_IMAGE={BASE_IMAGE}", ".")


@contextmanager
def container(*options: str, **settings: str) -> Iterator[str]:
    """A running server container, by id; removed at the end. Settings become TRUEWARD_ variables."""
    flags = [f"--env=TRUEWARD_{name.upper()}={value}" for name, value in settings.items()]
    name = docker("run", "--detach", f"--publish=127.0.0.1::{SERVER_PORT}", *flags, *options, SERVER_IMAGE)
    try:
        yield name
    finally:
        docker("rm", "--force", "--volumes", name)


def base_url(name: str) -> str:
    """The URL of a container's service on loopback."""
    return "http://" + docker("port", name, str(SERVER_PORT)).splitlines()[0]


def verify(url: str, response: str) -> httpx2.Response:
    """Asks whether the response's answer is one half."""
    sample = {"prompt": "1/6 + 1/3?", "response": response, "reference": "1/2"}
    return httpx2.post(f"{url}/v1/verify", json={"verifier": "math", "samples": [sample]}, timeout=30.0)
