"""A real Prometheus on a port of its own, with our rules, which scrapes a service."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

from tests.live import free_port

DEPLOY = Path(__file__).parents[2] / "deploy/observability"
_START_S = 60.0


@dataclass(frozen=True, slots=True)
class Prometheus:
    """Answers by Prometheus' own API under ``url``."""

    url: str

    def get(self, path: str, **query: str) -> Any:
        answer = httpx2.get(f"{self.url}/api/v1/{path}", params=query, timeout=30.0)
        body = answer.json()
        assert body["status"] == "success", body
        return body["data"]

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The series that an expression has now."""
        found: list[dict[str, Any]] = self.get("query", query=expression)["result"]
        return found

    def wait_for(self, what: str, there: Callable[[], object]) -> None:
        """Returns when it is there; what is scraped every second takes some."""
        deadline = time.monotonic() + _START_S
        while not there():
            assert time.monotonic() < deadline, f"Prometheus has no {what} after {_START_S:g} s"
            time.sleep(0.2)


def promtool(*arguments: str | Path, cwd: Path = DEPLOY) -> str:
    """What it printed; it has to agree."""
    try:
        ran = subprocess.run(["promtool", *arguments], cwd=cwd, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.fail("there is no promtool: run `make prometheus`")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def configured(folder: Path, targets: Sequence[str], key: str) -> Path:
    """Our scrape configuration, for these targets and this key, every second."""
    config = yaml.safe_load((DEPLOY / "prometheus.yaml").read_text(encoding="utf-8"))
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config["rule_files"] = [str(DEPLOY / "rules.yaml")]
    secret = folder / "trueward-key"
    secret.write_text(key, encoding="utf-8")
    [job] = config["scrape_configs"]
    job["authorization"]["credentials_file"] = str(secret)
    job["static_configs"] = [{"targets": list(targets)}]
    path = folder / "prometheus.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


@contextmanager
def scraping(folder: Path, target: str, key: str) -> Iterator[Prometheus]:
    """Runs for as long as the block; ``target`` is host and port."""
    port = free_port()
    command = ["prometheus", f"--config.file={configured(folder, [target], key)}"]
    command += [f"--storage.tsdb.path={folder / 'tsdb'}", f"--web.listen-address=127.0.0.1:{port}"]
    log = folder / "prometheus.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT)
    try:
        _wait(f"http://127.0.0.1:{port}/-/ready", process, log)
        yield Prometheus(f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx2.get(url, timeout=5.0).status_code == 200:
                return
        except httpx2.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"Prometheus does not start:\n{log.read_text(errors='replace')[-3000:]}")
