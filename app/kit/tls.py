"""A certificate and its key, read once at the start: a renewed certificate takes a restart."""

from __future__ import annotations

import os
import ssl
from pathlib import Path

from trueward.errors import Unusable


def tls_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """What a server speaks TLS 1.2 and newer with. Raises :class:`Unusable`."""
    for variable, file in (("TRUEWARD_TLS_CERTIFICATE", certificate), ("TRUEWARD_TLS_KEY", key)):
        try:
            file.read_bytes()
        except OSError as refused:
            raise Unusable(
                f"{variable}: {file}: {refused.strerror}; user {os.geteuid()} has to be able to read it"
            ) from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # without a password of its own OpenSSL would ask for one at the terminal
        context.load_cert_chain(certificate, key, password="")
    except ssl.SSLError as refused:
        raise Unusable(
            f"TRUEWARD_TLS_CERTIFICATE ({certificate}) and TRUEWARD_TLS_KEY ({key}) are no certificate and its key, "
            f"both in PEM and not encrypted: {refused.reason or refused}"
        ) from None
    return context
