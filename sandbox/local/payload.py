"""What travels to a program and back: a memfd each way, which neither server nor slot reads.

There: eight bytes of length, a marshalled head (``jail/message.py``; its decoder is the one that a fresh fork has
soonest), the files' contents. Back: contents, a JSON
index of (name, mode, size), eight bytes of its length.
"""

from __future__ import annotations

import fcntl
import json
import marshal
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sandbox.local.jail.message import Head

_PAGE_BYTES = 4096
_MARSHAL = 2
"""Its format that every Python 3 reads, the sandbox's one too."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of the working directory; ``mode`` are its permission bits."""

    content: bytes
    mode: int = 0o644


@dataclass(slots=True)
class Payload:
    """A sealed memfd with a program; ``disk_bytes`` and ``inodes`` are what laying it out takes.

    ``fetch`` and ``fetch_bytes`` are those of :class:`sandbox.base.Program`.
    """

    descriptor: int
    disk_bytes: int
    inodes: int
    fetch: tuple[str, ...] = field(default=())
    fetch_bytes: int = 0

    def close(self) -> None:
        os.close(self.descriptor)


def pack(files: Mapping[str, File], command: Iterable[str], environment: Mapping[str, str], *, python: bool) -> Payload:
    """Packs a program; names are paths within the working directory (:class:`sandbox.base.Program`)."""
    head: Head = {
        "python": python,
        "command": list(command),
        "environment": dict(environment),
        "files": [(name, file.mode, len(file.content)) for name, file in files.items()],
    }
    text = marshal.dumps(head, _MARSHAL)  # type: ignore[arg-type]  # a dict of plain data all the same
    descriptor = os.memfd_create("payload", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with open(descriptor, "wb", closefd=False) as out:
        out.write(len(text).to_bytes(8, "big") + text)
        out.writelines(file.content for file in files.values())
    # later runs read the same pages: nobody may change them any more
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
    return Payload(
        descriptor,
        disk_bytes=sum(-(-len(file.content) // _PAGE_BYTES) * _PAGE_BYTES for file in files.values()),
        inodes=sum(1 + name.count("/") for name in files),
    )


def harvest_file() -> int:
    """An empty memfd for files to come back in."""
    return os.memfd_create("harvest", os.MFD_CLOEXEC)


def unpack(descriptor: int) -> dict[str, File]:
    """The files that a run brought back. Raises ValueError where the index is cut off."""
    end = os.fstat(descriptor).st_size
    length = int.from_bytes(os.pread(descriptor, 8, end - 8), "big") if end >= 8 else end
    index = json.loads(os.pread(descriptor, length, end - 8 - length))
    found: dict[str, File] = {}
    at = 0
    for name, mode, size in index:
        found[name] = File(os.pread(descriptor, size, at), mode)
        at += size
    return found
