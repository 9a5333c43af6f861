"""Names of features that an audit slices by: columns of a record, what is read of a sample, entries of the evidence."""

from __future__ import annotations

from collections.abc import Collection

from trueward.errors import InvalidRequest

REASON = "reason_code"
OF_RECORDS = ("data_source", "policy", "split", "step", REASON)
OF_SAMPLES = ("length", "language", "extracted")
_LONGEST_NAME = 64


def check_names(names: Collection[str], field: str) -> None:
    """Raises :class:`InvalidRequest` for what cannot be the name of a feature."""
    for name in names:
        if not name or len(name) > _LONGEST_NAME or any(mark in name for mark in '"\\\0,='):
            detail = f"{name[:100]!r} names no feature: 1 to {_LONGEST_NAME} characters, no quotes, commas or ="
            raise InvalidRequest.at_field(field, "feature", detail)
