"""Disks of a test's own: one small enough to be filled, one that fails. Needs root."""

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


@dataclass(frozen=True, slots=True)
class FailingDisk:
    """A file system in a file, mounted so that a write is on its disk when it returns."""

    path: Path
    image: Path

    def mount(self) -> None:
        options = "loop,sync,errors=remount-ro"
        subprocess.run(["mount", "-t", "ext4", "-o", options, self.image, self.path], check=True)

    def fail(self) -> None:
        """The kernel finds an error and lets nobody write any more."""
        device = subprocess.run(
            ["findmnt", "-no", "SOURCE", self.path], check=True, capture_output=True, text=True
        ).stdout.strip()
        Path("/sys/fs/ext4", Path(device).name, "trigger_fs_error").write_text("a test", encoding="utf-8")

    def mend(self) -> None:
        """Whoever had files open there must be gone."""
        subprocess.run(["umount", self.path], check=True)
        # 1: errors were found and mended
        assert subprocess.run(["e2fsck", "-fy", self.image], capture_output=True, check=False).returncode <= 1
        self.mount()


@contextmanager
def failing_disk(path: Path, mebibytes: int) -> Iterator[FailingDisk]:
    """An empty disk at an empty directory, until the end of the block; its image lies beside that."""
    made = FailingDisk(path, path.with_suffix(".image"))
    with made.image.open("wb") as image:
        image.truncate(mebibytes * 2**20)
    subprocess.run(["mkfs.ext4", "-q", "-F", made.image], check=True)
    made.mount()
    try:
        yield made
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)
