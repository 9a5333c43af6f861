"""Two network namespaces joined by a cable of their own, which can be cut without a word. Needs root and iproute2."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

_CLONE_NEWNET = 0x40000000
_OURS = Path("/proc/thread-self/ns/net")
SERVICE, DATABASE = "198.18.41.1", "198.18.41.2"
"""Addresses of the two ends, of the range that is kept for benchmarks; nothing outside the namespaces knows them."""


@dataclass(frozen=True, slots=True)
class Cable:
    """``here`` is the service's namespace, ``there`` the database's."""

    here: str
    there: str

    def cut(self) -> None:
        """Nothing arrives any more, and nobody is told."""
        _ip("-n", self.here, "link", "set", "cable", "down")
        _ip("-n", self.there, "link", "set", "cable", "down")

    def lose(self) -> None:
        """Both ends look well; what is sent is dropped on the way."""
        for end in (self.here, self.there):
            _ip("netns", "exec", end, "iptables", "-I", "INPUT", "-i", "cable", "-j", "DROP")

    def silence(self, ports: Iterable[int]) -> None:
        """Nothing leaves the service's end from these ports any more, as if its machine had no power."""
        for port in ports:
            rule = ("OUTPUT", "-p", "tcp", "--sport", str(port), "-j", "DROP")
            _ip("netns", "exec", self.here, "iptables", "-A", *rule)

    def restore(self) -> None:
        """What was silenced stays so."""
        for end in (self.here, self.there):
            _ip("-n", end, "link", "set", "cable", "up")
            _ip("netns", "exec", end, "iptables", "-F", "INPUT")


@contextmanager
def cable() -> Iterator[Cable]:
    """Both namespaces are removed at the end, and the cable with them."""
    made = Cable(f"tw-here-{os.getpid()}", f"tw-there-{os.getpid()}")
    with ExitStack() as cleaning:
        for name in (made.here, made.there):
            _ip("netns", "add", name)
            cleaning.callback(_ip, "netns", "del", name)
            _ip("-n", name, "link", "set", "lo", "up")
        peer = ("peer", "name", "cable", "netns", made.there)
        _ip("-n", made.here, "link", "add", "cable", "type", "veth", *peer)
        for name, address in ((made.here, SERVICE), (made.there, DATABASE)):
            _ip("-n", name, "address", "add", f"{address}/30", "dev", "cable")
            _ip("-n", name, "link", "set", "cable", "up")
        yield made


@contextmanager
def inside(namespace: str) -> Iterator[None]:
    """What this thread starts and connects in the block, it starts and connects in the namespace."""
    with _OURS.open() as before, Path(f"/run/netns/{namespace}").open() as there:
        _enter(there.fileno())
        try:
            yield
        finally:
            _enter(before.fileno())


def _enter(descriptor: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def _ip(*arguments: str, check: bool = True) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    assert not check or done.returncode == 0, f"ip {' '.join(arguments)}: {done.stderr}"
