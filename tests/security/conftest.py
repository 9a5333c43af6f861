"""One service that asks for keys, attacked by every test of the folder, and somebody else who scores meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event, Thread

import httpx2
import psutil
import pytest

from tests.live import Service, first_key, serving

MAX_BODY_BYTES = 8 * 2**20
MOST_MEMORY = 1200 * 2**20
"""Bytes of the server's process, after whatever was sent to it; without any it has some 200 MiB."""
BODY = b'{"verifier":"exact","samples":[{"response":"a","reference":"a"}]}'


@dataclass(frozen=True, slots=True)
class Target:
    """The service, a key of an administrator, and connections with it and without any."""

    service: Service
    key: str
    admin: httpx2.Client
    stranger: httpx2.Client

    @property
    def url(self) -> str:
        return self.service.url

    def head(self, *lines: str, method: str = "POST", target: str = "/v1/verify") -> bytes:
        """The head of a request with the key, in CRLF lines, up to the body."""
        whole = [f"{method} {target} HTTP/1.1", "Host: trueward", f"Authorization: Bearer {self.key}", *lines]
        return "\r\n".join([*whole, "", ""]).encode("latin-1")

    def post(self, body: bytes, path: str = "/v1/verify", **headers: str) -> httpx2.Response:
        named = {
            "content-type": "application/json",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        return self.admin.post(path, content=body, headers=named)

    def new_key(self, *scopes: str) -> str:
        made = self.admin.post("/v1/keys", json={"name": "somebody", "scopes": list(scopes)})
        assert made.status_code == 201, made.text
        return str(made.json()["key"])

    def memory(self) -> int:
        return int(psutil.Process(self.service.process.pid).memory_info().rss)


@pytest.fixture(scope="package")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    home = tmp_path_factory.mktemp("attacked")
    key = first_key(home)
    with (
        serving(home, auth="keys", sandbox="off", workers="1", max_body_bytes=str(MAX_BODY_BYTES)) as service,
        httpx2.Client(base_url=service.url, timeout=60.0, trust_env=False) as stranger,
        httpx2.Client(
            base_url=service.url, timeout=60.0, trust_env=False, headers={"Authorization": f"Bearer {key}"}
        ) as admin,
    ):
        yield Target(service, key, admin, stranger)


@pytest.fixture
def target(attacked: Target) -> Iterator[Target]:
    """While the test attacks, somebody else scores; after it, the service is the same process, and no larger."""
    over = Event()
    answers: list[int | str] = []
    others = Thread(target=_score, args=(attacked, over, answers))
    others.start()
    try:
        yield attacked
    finally:
        over.set()
        others.join()
    assert set(answers) == {200}, answers
    assert attacked.service.process.poll() is None
    assert attacked.memory() < MOST_MEMORY


def _score(attacked: Target, over: Event, answers: list[int | str]) -> None:
    """Once at least, and again until it is over; what went wrong is an answer, too."""
    with httpx2.Client(base_url=attacked.url, timeout=60.0, trust_env=False) as other:
        while not answers or not over.wait(0.2):
            try:
                answers.append(other.post(f"/k/{attacked.key}/v1/verify", content=BODY).status_code)
            except httpx2.HTTPError as lost:
                answers.append(repr(lost))
                return
