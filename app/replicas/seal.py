"""What replicas tell each other, sealed: whoever may write to Redis and does not know the service's secret can say
nothing that counts.

A seal covers the place that a text was put under as well, so that it counts nowhere else. Texts are not secret.
"""

from __future__ import annotations

import hashlib
import hmac

_MARK = b"="
_SIZE = hashlib.sha256().digest_size


class Seal:
    def __init__(self, secret: bytes) -> None:
        self._secret = hmac.new(secret, b"trueward replicas", hashlib.sha256).digest()

    @property
    def realm(self) -> str:
        """A name that services with another secret do not have."""
        return hmac.new(self._secret, b"realm", hashlib.sha256).hexdigest()[:16]

    def close(self, place: str, text: bytes) -> bytes:
        return _MARK + self._signature(place, text) + text

    def open(self, place: str, sealed: bytes) -> bytes | None:
        """The text; None where it is not what a replica of this service put there."""
        if sealed[:1] != _MARK:
            return None
        signature, text = sealed[1 : 1 + _SIZE], sealed[1 + _SIZE :]
        return text if hmac.compare_digest(signature, self._signature(place, text)) else None

    def _signature(self, place: str, text: bytes) -> bytes:
        return hmac.new(self._secret, b"%d:%s%s" % (len(place.encode()), place.encode(), text), hashlib.sha256).digest()
