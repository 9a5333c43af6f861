"""How late the end of a program may be told, on a machine that the rest of the suite uses too."""

from __future__ import annotations

import os


def grace_s(alone_s: float) -> float:
    """So many seconds on a machine of one's own, and more on one whose cores others wait for."""
    return alone_s * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
