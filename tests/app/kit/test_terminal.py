"""A command whose database is not there says so in a sentence; what else goes wrong is not covered up."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError

from app.kit.terminal import explain_outages
from app.settings import Settings
from tests.databases import SERVER
from tests.live import free_port, run
from trueward.errors import Unavailable


def told(url: str, *command: str) -> subprocess.CompletedProcess[str]:
    return run(*command, timeout_s=60.0, variables={"TRUEWARD_DATABASE_URL": url})


@pytest.mark.parametrize("command", [("db", "status"), ("db", "upgrade"), ("keys", "list"), ("db", "import", "x")])
def test_nobody_listens(command: tuple[str, ...], tmp_path: Path) -> None:
    port = free_port()
    given = tuple(str(tmp_path) if word == "x" else word for word in command)
    if "import" in command:
        (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    done = told(f"postgresql://me:hidden@127.0.0.1:{port}/mine", *given)
    assert "Traceback" not in done.stderr
    assert "hidden" not in done.stderr
    if "import" not in command:
        assert done.returncode == 4
        assert f"the database postgresql://me:***@127.0.0.1:{port}/mine cannot be reached: " in done.stderr


@pytest.mark.postgres
def test_a_database_that_nobody_made_is_named() -> None:
    done = told(SERVER.rpartition("/")[0] + "/trueward_that_nobody_made", "db", "status")
    assert done.returncode == 4
    assert 'cannot be reached: database "trueward_that_nobody_made" does not exist' in done.stderr


@pytest.mark.parametrize(
    "failure",
    [FileNotFoundError(2, "No such file", "export"), DBAPIError("SELECT", None, ValueError("a bug")), KeyError("x")],
)
def test_other_failures_stay_what_they_are(failure: Exception) -> None:
    with pytest.raises(type(failure)), explain_outages("sqlite:///x.db"):
        raise failure
    with pytest.raises(Unavailable), explain_outages("sqlite:///x.db"):
        raise ConnectionRefusedError(111, "refused")


@pytest.mark.parametrize(("url", "said"), [("mysql://a/b", "a mysql database"), ("postgres", "no URL of a database")])
def test_a_wrong_url_is_refused_with_the_settings(url: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Settings(database_url=url)


def test_a_service_without_its_database_says_why_it_cannot_start(tmp_path: Path) -> None:
    url = f"postgresql://me:hidden@127.0.0.1:{free_port()}/mine"
    done = told(url, "serve", "--port", str(free_port()), "--data-dir", str(tmp_path))
    assert done.returncode == 3
    [line] = [line for line in done.stderr.splitlines() if "the service cannot start" in line]
    assert "postgresql://me:***@127.0.0.1" in line
    assert "cannot be reached: " in line
