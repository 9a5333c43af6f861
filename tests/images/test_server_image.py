"""The Dockerfile, built for real on a base of Debian packages, and run as an operator runs it."""

from __future__ import annotations

import json
import time
import uuid

import httpx2
import pytest

from tests.images.engine import (
    BASE_IMAGE,
    SERVER_IMAGE,
    base_url,
    build_server,
    container,
    docker,
    run,
    verify,
)
from tests.live import wait_until_ready

pytestmark = [pytest.mark.image, pytest.mark.long]

SECRET = "a secret of this test alone"


@pytest.fixture(scope="module", autouse=True)
def image() -> None:
    build_server()


def test_refuses_to_start_without_a_secret() -> None:
    ended = run("docker", "run", "--rm", SERVER_IMAGE, check=False)
    assert ended.returncode != 0
    assert "TRUEWARD_SECRET" in ended.stdout + ended.stderr


def test_refuses_to_start_on_a_well_known_secret() -> None:
    ended = run("docker", "run", "--rm", "--env=TRUEWARD_SECRET=changeme", SERVER_IMAGE, check=False)
    assert ended.returncode != 0
    assert "TRUEWARD_SECRET" in ended.stdout + ended.stderr


def test_adds_less_than_400_megabytes_to_its_base() -> None:
    image, base = (int(docker("image", "inspect", "--format={{.Size}}", name)) for name in (SERVER_IMAGE, BASE_IMAGE))
    assert image - base < 400e6


def test_holds_the_server_alone_and_runs_it_as_an_ordinary_user() -> None:
    assert docker("run", "--rm", SERVER_IMAGE, "id", "-u") != "0"
    missing = run("docker", "run", "--rm", SERVER_IMAGE, "python", "-c", "import hypothesis", check=False)
    assert "ModuleNotFoundError" in missing.stderr
    assert "tests" not in docker("run", "--rm", SERVER_IMAGE, "ls").split()


HARDENED = ("--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--pids-limit=256")


def test_serves_read_only_without_capabilities_and_writes_to_its_data_alone() -> None:
    volume = f"trueward-test-{uuid.uuid4().hex}"
    try:
        with container(*HARDENED, "--memory=2g", f"--volume={volume}:/data", secret=SECRET, sandbox="off") as name:
            url = base_url(name)
            wait_until_ready(url)
            key = docker("exec", name, "trueward", "keys", "create", "admin", "--scope", "admin").splitlines()[-1]
            [verdict] = verify(f"{url}/k/{key}", "\\boxed{0.5}").json()["verdicts"]
            assert verdict["outcome"] == "correct"
            rights = docker("exec", name, "cat", "/proc/1/status")
            for line in ("CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1"):
                assert line in rights
            assert run("docker", "exec", name, "touch", "/opt/trueward/.venv/x", check=False).returncode != 0
            assert set(docker("diff", name).split()) <= {"A", "C", "/tmp", "/data", "/run", "/etc"}
            docker("stop", "--time=60", name)
            assert docker("inspect", "--format={{.State.ExitCode}} {{.State.OOMKilled}}", name) == "0 false"
    finally:
        docker("volume", "rm", volume)


def test_holds_nothing_to_install_or_to_become_root_with() -> None:
    found = docker("run", "--rm", SERVER_IMAGE, "find", "/opt/trueward", "-name", "pip", "-o", "-perm", "/6000")
    assert found == ""
    assert docker("run", "--rm", "--user=0", SERVER_IMAGE, "find", "/", "-xdev", "-type", "f", "-perm", "/6000") == ""
    assert docker("inspect", "--format={{.Config.User}}", SERVER_IMAGE) == "10001:10001"
    for folder in ("tests", "benchmarks", "docs", "examples", "scripts", "deploy", ".git", ".ci"):
        assert run("docker", "run", "--rm", SERVER_IMAGE, "test", "-e", folder, check=False).returncode == 1
    writable = docker("run", "--rm", SERVER_IMAGE, "find", "/opt/trueward", "-writable", "-not", "-type", "l")
    assert writable == ""


def test_asks_for_a_key_beyond_loopback_and_the_first_one_is_made_in_the_container() -> None:
    with container(secret=SECRET) as name:
        url = base_url(name)
        wait_until_ready(url)
        assert verify(url, "\\boxed{0.5}").status_code == 401
        key = docker("exec", name, "trueward", "keys", "create", "admin", "--scope", "admin")
        assert verify(f"{url}/k/{key.splitlines()[-1]}", "\\boxed{0.5}").status_code == 200


def test_scores_becomes_healthy_stops_cleanly_and_keeps_its_ledger() -> None:
    volume = f"--volume=trueward-test-{uuid.uuid4().hex}:/data"
    try:
        with container(volume, secret=SECRET, auth="none", environment="development") as name:
            url = base_url(name)
            wait_until_ready(url)
            [right] = verify(url, "so \\boxed{0.5}").json()["verdicts"]
            [wrong] = verify(url, "so \\boxed{0.6}").json()["verdicts"]
            assert (right["outcome"], right["score"]) == ("correct", 1.0)
            assert (wrong["outcome"], wrong["score"]) == ("incorrect", 0.0)
            assert _becomes(name, "healthy")
            docker("stop", "--time=30", name)
            assert json.loads(docker("inspect", "--format={{.State.ExitCode}}", name)) == 0
        with container(volume, secret=SECRET, auth="none", environment="development") as name:
            url = base_url(name)
            wait_until_ready(url)
            kept = httpx2.get(f"{url}/v1/verdicts/{right['record']}", timeout=30.0)
            assert kept.status_code == 200
    finally:
        docker("volume", "rm", volume.split("=")[1].split(":")[0])


def _becomes(name: str, health: str, within_s: float = 60.0) -> bool:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if docker("inspect", "--format={{.State.Health.Status}}", name) == health:
            return True
        time.sleep(0.5)
    return False
