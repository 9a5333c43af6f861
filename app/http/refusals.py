"""What the log says of requests that are refused for overload, of which there may be thousands a second.

The first one has a line like any other that is refused. Those of the second after it are counted, and one line says how
many they were, and whose. To write a line for each would cost more than half of what the refusal itself costs.
"""

from __future__ import annotations

import asyncio
from collections import Counter

import structlog

from trueward.errors import Overloaded

EACH_S = 1.0
_KEYS_SHOWN = 10
log = structlog.get_logger("app.http")


class Refusals:
    def __init__(self) -> None:
        self._counted: Counter[str] | None = None

    def count(self, code: str | None, owner: str | None) -> bool:
        """Whether such a request has no line of its own, for it is counted; ``owner`` is its key's id."""
        if code != Overloaded.code:
            return False
        if self._counted is None:
            self._counted = Counter()
            asyncio.get_running_loop().call_later(EACH_S, self.tell)
            return False
        self._counted[owner or ""] += 1
        return True

    def tell(self) -> None:
        """Writes the line, where there is something to say."""
        counted, self._counted = self._counted, None
        if counted:
            keys = {owner: count for owner, count in counted.most_common(_KEYS_SHOWN) if owner}
            log.warning("requests refused", code=Overloaded.code, requests=counted.total(), keys=keys or None)
