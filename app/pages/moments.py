"""Moments on a page: the time in UTC, which a script of ours puts the reader's own time beside, and how long ago."""

from __future__ import annotations

from datetime import UTC, datetime

from markupsafe import Markup

from app.kit.clock import now

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def moment(at: datetime | None, form: str = "%Y-%m-%d %H:%M") -> Markup:
    """The time in UTC; a dash for none."""
    if at is None:
        return Markup("\u2013")
    utc = at.astimezone(UTC)
    told = Markup('<time datetime="{}">{} UTC</time>')
    return told.format(utc.isoformat(timespec="seconds"), utc.strftime(form))


def ago(at: datetime) -> str:
    """``2 minutes ago``; ``just now`` within a minute, and for a clock that is ahead of ours."""
    passed_s = (now() - at).total_seconds()
    for seconds, unit in _UNITS:
        count = int(passed_s // seconds)
        if count >= 1:
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"
