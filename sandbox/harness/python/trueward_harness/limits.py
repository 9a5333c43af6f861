"""Bounds on what crosses a channel, and the ways in which something may fail to cross."""

from __future__ import annotations

FRAME_BYTES = 16 * 2**20
"""Length of a frame's body."""

FRAME_ITEMS = 2_000_000
"""Commas and opening brackets in a frame."""

FRAME_DEPTH = 8
"""Nesting of a frame."""

RESULTS_BYTES = 16 * 2**20
"""The file of results: room for the largest suite, ten thousand assertions, several times over."""

RETAINED_BYTES = 32 * 2**20
"""Frames of which the tests' process keeps something."""

HASHED_ITEMS = 1_000_000
"""Items that a tuple or frozenset may hold, those of its items included, each as often as it occurs."""

ALL_HASHED_ITEMS = 4_000_000
"""Items that all sets and dicts of a frame hash together, each as often as it is hashed."""

HASHED_DEPTH = 10_000
"""Nesting of tuples and frozensets: hashing them recurses in C without a check."""

EQUAL_HASHES = 100
"""Keys of one set or dict that may share one hash: more make a table take quadratic time."""

DECIMAL_EXPONENT = 100_000
"""Largest exponent of a decimal number: beyond, turning it into an integer takes the machine down."""

CALLBACK_DEPTH = 50
"""Callbacks within callbacks."""

RECORDS = 100_000
"""Objects that a candidate may make of the tests' classes."""


class Unencodable(Exception):
    """A value that cannot cross: it is no plain data, or too large."""


class Malformed(Exception):
    """What came in breaks the protocol."""
