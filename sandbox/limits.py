"""What a program may use, where nobody says otherwise, and the bounds of one run.

The verifiers of programs offer these as parameters (:mod:`verifiers.code.params`); what a language's runtime needs for
itself is added by its entry in ``sandbox/languages``.
"""

from __future__ import annotations

from dataclasses import dataclass

MEMORY_BYTES = 512 * 2**20
OUTPUT_BYTES = 2**20
DISK_BYTES = 64 * 2**20
PROCESSES = 256


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run; seconds count from the program's own start, sizes are bytes.

    ``wall_s`` is measured by the parent, without the time in which the host kept the program from running, where a
    backend can tell that. ``silence_s`` ends a program whose standard output has been silent
    for that long (``time_limit``); None: no such limit. ``compile_s`` bounds the compiler apart.
    ``processes`` counts the program's processes and threads together.
    """

    wall_s: float = 10.0
    cpu_s: float = 10.0
    memory_bytes: int = MEMORY_BYTES
    output_bytes: int = OUTPUT_BYTES
    disk_bytes: int = DISK_BYTES
    processes: int = PROCESSES
    silence_s: float | None = None
    compile_s: float = 30.0
