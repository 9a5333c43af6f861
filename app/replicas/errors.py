"""What calls of other replicas raise: apart from :mod:`app.replicas.link`, which needs Redis's package."""

from __future__ import annotations


class Away(Exception):
    """Redis does not answer, or not this: whoever asked goes on without it."""
