"""What an audit works with, and where it says how far it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from app.audit.judging import Judging
from app.kit.db import Database

Progress = Callable[[int, int], Awaitable[None]]
"""Told ``done`` and ``total``, as often as one likes: it is written down twice a second at most."""


@dataclass(frozen=True, slots=True)
class Work:
    """``id`` is the audit's; ``judging`` asks its subject; ``db`` has records and labels."""

    id: str
    db: Database
    judging: Judging
    progress: Progress
