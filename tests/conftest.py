"""Fixtures of the whole suite, and its own options."""

import functools
import gc

import httpcore2
from hypothesis import HealthCheck, settings

from tests.databases import database_url, db, empty_postgres, empty_url, migrated_postgres, migrated_sqlite
from tests.services import _no_model_is_left, keyed, keyless, on_postgres, project

gc.disable()  # until all tests are collected: see pytest_collection_finish
pytest_plugins = ["tests.durations", "tests.needs", "tests.together", "tests.forks"]  # it imports together

# How long an example takes is the machine's affair.
settings.register_profile("suite", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

# Every client of httpx2 reads the machine's certificates: 50 ms each time, in thousands of tests that speak no TLS.
httpcore2.default_ssl_context = functools.cache(httpcore2.default_ssl_context)

__all__ = [
    "_no_model_is_left",
    "database_url",
    "db",
    "empty_postgres",
    "empty_url",
    "keyed",
    "keyless",
    "migrated_postgres",
    "migrated_sqlite",
    "on_postgres",
    "project",
]


def pytest_collection_finish() -> None:
    """What was collected stays, with the tenth of it that is garbage: a search for that takes longer than it is worth.
    Neither a later search nor a fork goes through it again."""
    gc.freeze()
    gc.enable()
