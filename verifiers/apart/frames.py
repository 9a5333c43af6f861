"""What goes over the socket between the service and a worker.

There: a head with the seconds and the length of the work, and the work, pickled by us. Back: a kind, a length, and
JSON; the end and a failure are kinds of their own.
"""

from __future__ import annotations

import struct

WORK = struct.Struct(">dQ")
"""CPU seconds, and bytes that follow."""

REPLY = struct.Struct(">cQ")
"""Kind, and bytes that follow."""

BEGUN = b"b"
"""The work has been read, its code imported: what happens from here on is the work's doing."""
VALUE = b"v"
DONE = b"d"
"""With the CPU seconds that were used."""
FAILED = b"x"
"""With what was raised: a bug of ours."""

OUT_OF_MEMORY = 77
"""The exit code of a worker whose work exhausted its memory, or the interpreter's stack."""
