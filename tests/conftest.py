"""Fixtures of the whole suite."""

from tests.databases import database_url, db, empty_postgres, empty_url, migrated_postgres, migrated_sqlite

__all__ = ["database_url", "db", "empty_postgres", "empty_url", "migrated_postgres", "migrated_sqlite"]
