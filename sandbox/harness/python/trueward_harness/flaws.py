"""Why a test is not passed, whatever it does then.

These derive from BaseException, so that no ``except Exception`` and no ``pytest.raises`` takes one for what the
test expects; and a session notes each, so that a test that swallows one even so is not passed all the same.
"""

from __future__ import annotations


class Flaw(BaseException):
    """The base: ``status`` is that of the test."""

    status = "error"


class NotPlain(Flaw):
    """The test would have let an object of the solution's judge, or something that is no data."""

    status = "not_plain"


class ChannelClosed(Flaw):
    """The candidate's process ended, or what it sent breaks the protocol."""

    status = "channel_closed"


class TimeLimit(Flaw):
    """The test took longer than it may."""

    status = "time_limit"


class Unsupported(Flaw):
    """The test does what only works in one process: no doing of the solution's."""

    status = "unsupported"


class Failed(Flaw):
    """An assertion failed within a function of the tests' that the solution called, and could have swallowed it."""

    status = "failed"


class BadTest(Exception):
    """The test itself cannot be run, whatever the solution is."""


class NoTests(BadTest):
    """No test was run, although the text of the tests holds some."""


class NotLoaded(Exception):
    """A test file could not be imported, and the solution is why."""
