"""What a runtime says last when memory is refused; believed only of a program that failed anyway."""

from __future__ import annotations

_OUT_OF_MEMORY = (b"MemoryError", b"std::bad_alloc", b"OutOfMemoryError", b"out of memory", b"Out of memory")
_LAST_BYTES = 2000


def ran_out_of_memory(stderr: bytes) -> bool:
    """Whether a failed program's standard error ends by saying that its memory ran out."""
    return any(words in stderr[-_LAST_BYTES:] for words in _OUT_OF_MEMORY)
