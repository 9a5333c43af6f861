"""What the doctor found of one thing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DoctorFinding:
    """``detail`` says what is there or, where it is not ``ok``, what to do."""

    check: str
    ok: bool
    detail: str
