"""Which modules compute and do nothing else, as far as their own imports tell.

Such a module needs no service, database, sandbox or clock to be tried: its faults are to be noticed by the tests
beside it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.shape.sources import Source

_NAMES = """
aiohttp aiosqlite alembic app.main app.state app.tables asyncio asyncpg atexit concurrent ctypes docker fastapi fcntl
httpx2 multiprocessing os prometheus_client ray redis resource select shutil signal socket sqlalchemy starlette
subprocess tempfile threading time torch transformers typer urllib uvicorn
"""
EFFECTS = frozenset(_NAMES.split())
"""Modules that reach out of the process, or wait."""

IN_SANDBOX = ("sandbox/harness/python/", "sandbox/docker/runner/", "sandbox/local/jail/")
"""What runs inside a sandbox, next to foreign programs."""


def is_pure(source: Source) -> bool:
    """No import of an effect, wherever it stands, and nothing that waits."""
    if source.path.startswith(IN_SANDBOX):
        return False
    waits = any(isinstance(node, ast.AsyncFunctionDef | ast.Await) for node in ast.walk(source.tree))
    return not waits and not any(_is_effect(module) for module in imported(source.tree))


def imported(tree: ast.AST) -> Iterator[str]:
    """Modules by their full names; of ``from package import name`` both ``package`` and ``package.name``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)


def _is_effect(module: str) -> bool:
    parts = module.split(".")
    return parts[0] in EFFECTS or ".".join(parts[:2]) in EFFECTS
