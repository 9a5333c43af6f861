"""The server's packages under one name.

``app``, ``audits``, ``rewards``, ``judges``, ``verifiers`` and ``sandbox`` are also names of other people's packages,
so the wheel installs them inside this one. :func:`enter` puts them before all others, in this process alone::

    import trueward_server

    trueward_server.enter()
    from verifiers import registry

In a checkout they lie beside this package.
"""

from __future__ import annotations

import sys
from pathlib import Path

_INSIDE = Path(__file__).resolve().parent
PLACE = _INSIDE if (_INSIDE / "app").is_dir() else _INSIDE.parent
"""The folder that has the server's packages."""


def enter() -> None:
    """From now on ``import app`` and the like mean the server's."""
    place = str(PLACE)
    if sys.path[:1] != [place]:
        sys.path.insert(0, place)
