"""The numbers of admission: how much may come at once, how long it waits, and when who is refused may come again.

Those that depend on the machine and on who calls are settings (:mod:`app.settings`): the samples, characters and bytes
of a request, connections, samples on their way, deadlines. Those of a key are its quotas. How deep a body may nest is
said where it is read (:mod:`app.kit.body`). Seconds are those of the event loop's clock.
"""

from __future__ import annotations

MAX_HEAD_BYTES = 64 * 2**10
"""Lines of a request before its body, and trailers."""
MAX_HEADERS = 200
LEAST_BYTES_S = 500
"""A client that sends, or reads, more slowly than that over the seconds of the setting ``read_s`` is dropped."""
BEGUN_AT_ONCE = 2
"""Requests that are begun in one round of the event loop: to begin one takes as long as to accept some five
connections."""

TURNS_AT_ONCE = 4
TURNS_AT_ONCE_S = 0.05
"""Requests that are at work in the event loop at once: so many, or as many as these seconds of work have place for."""
LONGEST_TURN_S = 2.0
"""A turn that lasts longer waits for something else than the loop, and is over."""
PATIENCE_S = 2.0
"""A request whose turn would come later than that is refused by its head alone, unless its client would not survive
that."""
BEHIND_S = 2.0
"""A job's chunk waits for a moment without requests, and no longer than that."""
COMING_S = 1.0
"""So long after its head a request counts as one that is about to wait, if its body is not here."""

RETRY_AFTER_S = 1.0
"""Who is refused is told to come back after that at the least."""
MOST_RETRY_AFTER_S = 10.0
"""At the most, where there was no room for its samples; 10 s are also what a rate of answers is measured over."""
MOST_TURN_RETRY_AFTER_S = 30.0
"""At the most, where its turn would have come too late: those that were sent away come back one after the other."""
CLAIM_S = 1.0
"""Beyond what it was told to wait, a refused project's share of the room is kept for it so long."""
