"""Addresses of pages that are named by what callers chose: runs and recipes."""

from __future__ import annotations

import re
from urllib.parse import quote

_PLAIN = re.compile(r"[^\x00-\x1f\x7f]+")


def run_path(run: str) -> str:
    """A run's page. Its id may hold anything: what a browser would take out of a path travels as a parameter."""
    return f"/ui/runs/{quote(run, safe='')}" if _travels(run) else f"/ui/run?id={quote(run, safe='')}"


def recipe_path(reference: str) -> str:
    """A recipe's page, by name, ``name@hash`` or hash."""
    named = quote(reference, safe="@:")
    return f"/ui/recipes/{named}" if _travels(reference) else f"/ui/recipe?name={named}"


def _travels(name: str) -> bool:
    """Whether it arrives as it is: browsers and proxies take dots and empty segments out of paths."""
    return _PLAIN.fullmatch(name) is not None and not {"", ".", ".."} & set(re.split(r"[/\\]", name))
