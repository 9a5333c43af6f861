"""What is said while calls try again: why, and for how long still, as a warning of the logger ``trueward.client``.

A trainer that waits for its service looks like one that hangs. Said once each :data:`EVERY_S` seconds for a service,
however many calls of this process wait for it. Stamina's own line says neither where nor why, so it is left out for
our tries, and only for these.
"""

from __future__ import annotations

import logging
import time
from functools import cache

import stamina.instrumentation

from trueward.client.call import RetryableFailure

EVERY_S = 15.0
log = logging.getLogger("trueward.client")
_said: dict[str, float] = {}
"""When something was last said of a URL."""


def say(url: str, why: str, remaining_s: float | None) -> None:
    _leave_out_of_structlog()
    now = time.monotonic()
    if now - _said.get(url, -EVERY_S) < EVERY_S:
        return
    _said[url] = now
    limit = "" if remaining_s is None else f" for up to {remaining_s:.0f} s"
    log.warning("trueward: %s Trying again%s.", why if why.endswith((".", "?")) else f"{why}.", limit)


def _of_others(record: logging.LogRecord) -> bool:
    return not str(getattr(record, "stamina.caused_by", "")).startswith(f"{RetryableFailure.__name__}(")


logging.getLogger("stamina").addFilter(_of_others)


@cache
def _leave_out_of_structlog() -> None:
    """Where structlog is installed stamina writes by that, past the filter, a line for each try.

    At the first try that fails: looking for structlog before would cost those who need neither.
    """
    hooks = stamina.instrumentation.get_on_retry_hooks()
    stamina.instrumentation.set_on_retry_hooks(
        [_skip_ours(hook) if "structlog" in hook.__module__ else hook for hook in hooks]
    )


def _skip_ours(hook: stamina.instrumentation.RetryHook) -> stamina.instrumentation.RetryHook:
    def on_retry(details: stamina.instrumentation.RetryDetails) -> None:
        if not isinstance(details.caused_by, RetryableFailure):
            hook(details)

    return on_retry
