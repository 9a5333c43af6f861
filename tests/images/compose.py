"""docker-compose.yml brought up for real, with PostgreSQL, on images made of Debian packages.

Run by ``make prove`` and not collected with the suite, because it takes minutes. Works with either form of
the command (``docker compose``, ``docker-compose``). Not covered: the public images that are the defaults.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator

import httpx2
import pytest

from tests.images.engine import POSTGRES_IMAGE, SERVER_IMAGE, build_server, run, verify
from tests.live import free_port, wait_until_ready

pytestmark = pytest.mark.image


class Stack:
    """One compose project with its own name, port and secrets."""

    def __init__(self, **variables: str) -> None:
        plugin = run("docker", "compose", "version", check=False).returncode == 0
        self._command = ["docker", "compose"] if plugin else ["docker-compose"]
        assert plugin or shutil.which("docker-compose"), "neither docker compose nor docker-compose is there"
        listen = f"127.0.0.1:{free_port()}"
        self.url = f"http://{listen}"
        self._env = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("TRUEWARD_", "POSTGRES_"))},
            "COMPOSE_PROJECT_NAME": f"trueward-prove-{secrets.token_hex(4)}",
            "TRUEWARD_IMAGE": SERVER_IMAGE,
            "POSTGRES_IMAGE": POSTGRES_IMAGE,
            "TRUEWARD_LISTEN": listen,
            **variables,
        }

    def set(self, **variables: str) -> None:
        """Changes variables for the next ``up``."""
        self._env.update(variables)

    def __call__(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return run(*self._command, *arguments, check=check, env=self._env)

    def up(self, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self("up", "--detach", "--no-build", check=check)

    def first_key(self) -> str:
        """An administrator's, made as docs/deploy.md says."""
        made = self("exec", "-T", "trueward", "trueward", "keys", "create", "admin", "--scope", "admin")
        return made.stdout.split()[-1]

    def down(self) -> None:
        self("down", "--volumes", "--timeout", "40")


@pytest.fixture(scope="module", autouse=True)
def images() -> None:
    build_server()


@pytest.fixture
def stack() -> Iterator[Stack]:
    stack = Stack(TRUEWARD_SECRET=secrets.token_hex(32), POSTGRES_PASSWORD=secrets.token_hex(32))
    try:
        yield stack
    finally:
        stack.down()


@pytest.mark.parametrize("missing", ["TRUEWARD_SECRET", "POSTGRES_PASSWORD"])
def test_a_missing_secret_stops_it_before_anything_starts(missing: str) -> None:
    variables = {"TRUEWARD_SECRET": secrets.token_hex(32), "POSTGRES_PASSWORD": secrets.token_hex(32)}
    refused = Stack(**{**variables, missing: ""}).up(check=False)
    assert refused.returncode != 0
    assert missing in refused.stderr


@pytest.mark.parametrize("known", ["TRUEWARD_SECRET", "POSTGRES_PASSWORD"])
def test_the_service_refuses_a_well_known_secret(known: str) -> None:
    variables = {"TRUEWARD_SECRET": secrets.token_hex(32), "POSTGRES_PASSWORD": secrets.token_hex(32)}
    stack = Stack(**{**variables, known: "changeme"})
    try:
        stack.up(check=False)
        with pytest.raises(AssertionError, match="not ready"):
            wait_until_ready(stack.url, start_s=15.0)
        told = "TRUEWARD_DATABASE_URL" if known == "POSTGRES_PASSWORD" else known
        assert told in stack("logs", "trueward").stdout
    finally:
        stack.down()


def test_a_first_key_is_made_in_the_container_and_asked_for_from_the_start(stack: Stack) -> None:
    stack.up()
    wait_until_ready(stack.url)
    assert verify(stack.url, "\\boxed{0.5}").status_code == 401
    assert verify(f"{stack.url}/k/{stack.first_key()}", "\\boxed{0.5}").status_code == 200


def test_nobody_is_let_in_without_a_key_in_production(stack: Stack) -> None:
    stack.set(TRUEWARD_AUTH="none")
    stack.up()
    with pytest.raises(AssertionError, match="not ready"):
        wait_until_ready(stack.url, start_s=15.0)
    assert "TRUEWARD_AUTH" in stack("logs", "trueward").stdout


def test_scores_on_postgresql_and_keeps_its_ledger_when_everything_restarts(stack: Stack) -> None:
    stack.up()
    wait_until_ready(stack.url)
    url = f"{stack.url}/k/{stack.first_key()}"
    [verdict] = verify(url, "so \\boxed{0.5}").json()["verdicts"]
    assert (verdict["outcome"], verdict["score"]) == ("correct", 1.0)

    rows = stack(
        "exec", "-T", "postgres", "psql", "-U", "trueward", "-tA", "-c", "select count(*) from alembic_version"
    )
    assert rows.stdout.strip() == "1", "the ledger is not in PostgreSQL"

    stack("stop", "--timeout", "40")
    stack.up()
    wait_until_ready(stack.url)
    kept = httpx2.get(f"{url}/v1/verdicts/{verdict['record']}", timeout=30.0)
    assert kept.status_code == 200
    assert kept.json()["verdict"]["outcome"] == "correct"
