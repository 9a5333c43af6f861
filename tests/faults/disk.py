"""A disk of a test's own, small enough to be filled. Needs root."""

from __future__ import annotations

import errno
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Disk:
    path: Path

    @property
    def _ballast(self) -> Path:
        return self.path / "ballast"

    def fill(self) -> None:
        """Not a byte is left."""
        with self._ballast.open("ab", buffering=0) as ballast:
            for block in (2**20, 4096, 1):
                try:
                    while ballast.write(b"\0" * block):
                        pass
                except OSError as full:
                    if full.errno != errno.ENOSPC:
                        raise

    def free(self) -> None:
        self._ballast.unlink()


@contextmanager
def disk(path: Path, mebibytes: int) -> Iterator[Disk]:
    """An empty disk at an empty directory, until the end of the block."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "trueward-disk", path], check=True)
    try:
        yield Disk(path)
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)
