"""What both clients are made with: where the service is, and how much is sent at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import httpx2

from trueward.client.address import find_address
from trueward.client.chunk import Limits


class Connection(ABC):
    """The address of a service and the settings of a client."""

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        chunk_samples: int = Limits.samples,
        concurrency: int = 4,
        attempts: int = 10,
    ) -> None:
        address = find_address(url, api_key)
        self.url = address.shown
        self._limits = Limits(chunk_samples)
        self._concurrency = concurrency
        self._attempts = attempts
        self._open(
            base_url=address.url,
            headers=address.headers,
            trust_env=address.trust_env,
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=concurrency),
        )

    @abstractmethod
    def _open(self, **options: Any) -> None:
        """Makes the HTTP client with these options."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"
