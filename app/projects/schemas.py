"""A project as it is stored, and on the wire."""

from __future__ import annotations

from trueward.wire.project import DEFAULT


def encode_project(name: str) -> str | None:
    """The project as keys and runs have it: null for the default one."""
    return None if name == DEFAULT else name


def decode_project(project: str | None) -> str:
    """The same on the wire."""
    return DEFAULT if project is None else project
