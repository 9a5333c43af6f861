"""What both clients are made with: where the service is, how it is reached, and how much is sent at once."""

from __future__ import annotations

import os
import ssl
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import httpx2

from trueward import __version__
from trueward.client.address import find_address
from trueward.client.chunk import Limits
from trueward.client.deadline import READ_TIMEOUT_S, Deadline
from trueward.errors import InvalidRequest

H = TypeVar("H", httpx2.Client, httpx2.AsyncClient)
USER_AGENT = f"trueward/{__version__}"
Certificate = str | Path | tuple[str | Path, str | Path]
"""A file with a client's certificate and its key, or one file each."""


class ClientConnection(ABC, Generic[H]):
    """The address of a service and the settings of a client.

    ``timeout_s``: how long a try may be silent where the call has no deadline. ``headers`` go with each request.
    ``verify`` is a file with the certificates of authorities, or a context; ``certificate`` the client's own.
    ``http_client`` sends the requests instead of a client of ours: its settings hold, and it stays open.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        key_file: str | Path | None = None,
        chunk_samples: int = Limits.samples,
        concurrency: int = 4,
        attempts: int = 10,
        timeout_s: float = READ_TIMEOUT_S,
        headers: Mapping[str, str] | None = None,
        verify: str | Path | ssl.SSLContext | None = None,
        certificate: Certificate | None = None,
        http_client: H | None = None,
    ) -> None:
        address = find_address(url, api_key, key_file)
        self.url = address.shown
        self._limits = Limits(chunk_samples)
        self._concurrency = concurrency
        self._attempts = attempts
        self._timeout_s = timeout_s
        self._headers = {"User-Agent": USER_AGENT, **(headers or {}), **address.headers}
        self._owns = http_client is None
        if http_client is not None:
            if verify is not None or certificate is not None:
                raise InvalidRequest.at_field(
                    "http_client", "invalid", "certificates are the affair of the http_client that is given"
                )
            self._http: H = http_client
            return
        context = _context(verify, certificate)
        self._http = self._open(
            **({} if context is None else {"verify": context}),
            trust_env=address.trust_env,
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=concurrency),
        )

    @abstractmethod
    def _open(self, **options: Any) -> H:
        """An HTTP client with these options."""

    def deadline(self, seconds: float | None = None) -> Deadline:
        """The time of one call that starts now."""
        return Deadline(seconds, self.url, self._timeout_s)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"


def _context(verify: str | Path | ssl.SSLContext | None, certificate: Certificate | None) -> ssl.SSLContext | None:
    """None where those of the machine do. Raises :class:`InvalidRequest` for a file that cannot be read.

    What ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` name is trusted on loopback too, where a proxy of the environment is not
    asked, and the HTTP library would read none of its variables.
    """
    file, folder = verify, None
    if verify is None:
        file, folder = os.environ.get("SSL_CERT_FILE") or None, os.environ.get("SSL_CERT_DIR") or None
    if certificate is None and file is None and folder is None:
        return None
    try:
        context = file if isinstance(file, ssl.SSLContext) else ssl.create_default_context(cafile=file, capath=folder)
    except OSError as refusal:
        named = f"{file or folder}{'' if verify else ', which the environment names'}"
        raise InvalidRequest.at_field(
            "verify", "invalid", f"no certificates can be read from {named}: {refusal}"
        ) from refusal
    if certificate is not None:
        files = certificate if isinstance(certificate, tuple) else (certificate,)
        try:
            context.load_cert_chain(*files)
        except OSError as refusal:
            raise InvalidRequest.at_field(
                "certificate", "invalid", f"the client's certificate cannot be read: {refusal}"
            ) from refusal
    return context
