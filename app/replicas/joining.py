"""Joins the other replicas where a Redis is named; without one a server is alone, and needs no client of Redis."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from app.kit.db import Database
from app.settings import Settings
from trueward.errors import NotInstalled

if TYPE_CHECKING:
    from app.replicas.company import Company


async def join(settings: Settings, secret: bytes, db: Database, stack: AsyncExitStack) -> Company | None:
    """What is shared, until the stack ends; None where nothing is. Raises :class:`NotInstalled`."""
    if settings.redis_url is None:
        return None
    try:
        from app.replicas.company import Company
    except ModuleNotFoundError as missing:
        raise NotInstalled("TRUEWARD_REDIS_URL needs Redis' client: pip install -e '.[redis]'") from missing
    return await stack.enter_async_context(Company(settings.redis_url, secret, db))
