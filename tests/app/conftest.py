"""The live service that tests share, for those of the HTTP surface."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
import pytest

from tests.live import Service


@dataclass(frozen=True, slots=True)
class Api:
    """A service and an open connection to it."""

    url: str
    http: httpx2.Client

    def post(self, path: str, body: object = None, *, raw: bytes | None = None, **headers: str) -> httpx2.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if raw is not None:
            return self.http.post(path, content=raw, headers={"content-type": "application/json", **named})
        return self.http.post(path, json=body, headers=named)

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return self.http.get(path, headers=headers)


@pytest.fixture(scope="package")
def api(keyless: Service) -> Iterator[Api]:
    with httpx2.Client(base_url=keyless.url, timeout=60.0, trust_env=False) as http:
        yield Api(keyless.url, http)
