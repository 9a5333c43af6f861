"""Several replies at once, of which some may be unreadable."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TypeVar

from judges.base import Malformed

T = TypeVar("T")

_MISSING_SHARE = 0.2


async def gather_readable(asked: Sequence[Awaitable[T]], missing_share: float = _MISSING_SHARE) -> list[T]:
    """The replies that could be read, where at most ``missing_share`` of them could not; all have ended.

    Raises the :class:`judges.base.Malformed` of the first that could not, where more could not.
    """
    found = await asyncio.gather(*asked, return_exceptions=True)
    lost = [one for one in found if isinstance(one, Malformed)]
    for one in found:
        if isinstance(one, BaseException) and not isinstance(one, Malformed):
            raise one
    if len(lost) > missing_share * len(found):
        raise lost[0]
    return [one for one in found if not isinstance(one, BaseException)]
