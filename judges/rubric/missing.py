"""A criterion whose replies could not be read: left out, counted at its worst, or no verdict at all.

Whoever leaves out what a response breaks pays the response that breaks what it would not have met. So the same
criterion is asked of harmless responses: where the judge replies to these, the response is to blame and the criterion
has its worst score; where the judge fails there, too, it is left out. Where neither can be told there is no verdict.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from judges.asking import Said
from judges.base import Malformed
from judges.failure_verdicts import HARMLESS, is_to_blame
from judges.probing import Purpose, asking

Replies = Callable[[str], Awaitable[list[Said]]]


async def is_broken_by_response(malformed: Malformed, replies: Replies) -> bool:
    """``replies`` asks the same about another response.

    Raises ``malformed`` where it cannot be told, and whatever else asking raises.
    """
    asked = failed = 0
    for text in HARMLESS:
        try:
            with asking(Purpose.PROBE):
                said = await replies(text)
        except Malformed as again:
            asked += again.asked
            failed += again.asked
        else:
            asked += sum(one.usage.calls for one in said)
            failed += sum(one.usage.malformed for one in said)
        if asked >= len(HARMLESS):
            break
    if is_to_blame(malformed.asked, asked, failed):
        return True
    if failed:
        return False
    raise malformed
