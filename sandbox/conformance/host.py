"""The host's side of the suite: what a jailed program must neither reach nor leave behind.

A :class:`Host` keeps canary processes, a secret in a file and in the environment, and listening sockets, all
harmless to lose: a probe may attack them for real even where a sandbox holds nothing back.

What is left behind is looked for by name in this kernel's /proc and in the folders of temporary files; a sandbox on
another machine leaves nothing there to find.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

_CANARIES = 3
_VARIABLE = "TRUEWARD_CONFORMANCE_SECRET"
_TEMPORARY = (Path(tempfile.gettempdir()), Path("/dev/shm"), Path("/var/tmp"))  # noqa: S108 - looked at, not used
_DEPTH = 4


class Host:
    """Use as a context manager. ``secret`` is what no program may see; ``folder`` lies on the host."""

    def __init__(self) -> None:
        self.secret = f"TWSECRET-{secrets.token_hex(8)}"
        self.folder = Path(tempfile.mkdtemp(prefix="trueward-conformance-"))
        self.secret_file = self.folder / "secret.txt"
        self._canaries: list[subprocess.Popen[bytes]] = []
        self._listeners: list[socket.socket] = []

    def __enter__(self) -> Host:
        self.folder.chmod(0o755)
        self.secret_file.write_text(self.secret)
        self.secret_file.chmod(0o644)
        os.environ[_VARIABLE] = self.secret
        self._canaries = [subprocess.Popen(["sleep", "3600"]) for _ in range(_CANARIES)]  # noqa: S607 - in any PATH
        self._listen()
        return self

    def __exit__(self, *_: object) -> None:
        os.environ.pop(_VARIABLE, None)
        for canary in self._canaries:
            canary.kill()
            canary.wait()
        for listener in self._listeners:
            listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _listen(self) -> None:
        """One stream over TCP, one datagram socket over UDP, one Unix socket by path and one by name."""
        self.unix_path, self.unix_name = self.folder / "socket", f"\0trueward-{secrets.token_hex(6)}"
        # On every interface: a program in a bridged network would reach the host by an outer address.
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            self._listeners.append(_bound(socket.AF_INET, kind, ("0.0.0.0", 0)))  # noqa: S104
        for address in (str(self.unix_path), self.unix_name):
            self._listeners.append(_bound(socket.AF_UNIX, socket.SOCK_STREAM, address))
        self.unix_path.chmod(0o777)

    @property
    def addresses(self) -> list[str]:
        """The host's own addresses as a program might try them."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outwards, suppress(OSError):
            outwards.connect(("192.0.2.1", 9))  # picks the route; nothing is sent
            return ["127.0.0.1", str(outwards.getsockname()[0])]
        return ["127.0.0.1"]

    @property
    def ports(self) -> tuple[int, int]:
        """The ports that listen: TCP, UDP."""
        tcp, udp = (int(listener.getsockname()[1]) for listener in self._listeners[:2])
        return tcp, udp

    def list_reached(self) -> list[str]:
        """Which of the listening sockets somebody reached since the last call."""
        found = []
        for listener in self._listeners:
            with suppress(BlockingIOError):
                if listener.type == socket.SOCK_DGRAM:
                    listener.recv(64)
                else:
                    listener.accept()[0].close()
                found.append(f"{listener.family.name} {listener.type.name}")
        return found

    @property
    def canaries(self) -> list[int]:
        """Process ids on the host that are free to be attacked."""
        return [canary.pid for canary in self._canaries]

    def count_lost_canaries(self) -> int:
        """How many canaries somebody has ended; they are replaced."""
        dead = [canary for canary in self._canaries if canary.poll() is not None]
        for canary in dead:
            self._canaries.remove(canary)
            self._canaries.append(subprocess.Popen(["sleep", "3600"]))  # noqa: S607
        return len(dead)


def _bound(family: socket.AddressFamily, kind: socket.SocketKind, address: str | tuple[str, int]) -> socket.socket:
    bound = socket.socket(family, kind)
    bound.bind(address)
    if kind == socket.SOCK_STREAM:
        bound.listen(8)
    bound.setblocking(False)
    return bound


def new_marker() -> str:
    """A name for a process or file that nothing else on this machine has; it fits into a process's name."""
    return f"tw{secrets.token_hex(6)}"


def processes_named(marker: str) -> list[int]:
    """Process ids of this kernel whose name is the marker, and that are more than an unread exit status."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            name, _, rest = (folder / "stat").read_text(errors="replace").partition("(")[2].rpartition(")")
            if name == marker and rest.split()[0] not in ("Z", "X"):
                found.append(int(folder.name))
    return found


def end_processes(marker: str) -> None:
    """Ends what a bad sandbox left running."""
    for pid in processes_named(marker):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def files_named(marker: str) -> list[Path]:
    """Files of that name in the host's folders of temporary files, a few levels deep."""
    found = []
    for top in _TEMPORARY:
        for folder, folders, names in os.walk(top):
            if len(Path(folder).relative_to(top).parts) >= _DEPTH:
                folders.clear()
            found += [Path(folder) / name for name in (*names, *folders) if marker in name]
    return found


def credentials(pid: int) -> dict[str, str]:
    """The lines of /proc/PID/status of a process as the host sees them, by name."""
    text = Path(f"/proc/{pid}/status").read_text(errors="replace")
    return {name: value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}
