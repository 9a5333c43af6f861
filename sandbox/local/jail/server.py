"""The server: executed fresh by the service, it builds the jails' common part once and forks slots.

It never runs a program itself and ends with the service: by the signal of its parent's death, and by the end of
its control channel.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from typing import NoReturn

from . import python
from .apart import separate
from .child import PROGRAM_ID, Jail, limit_all
from .figures import Figures
from .message import PACKET_BYTES, Hello, Setting, Step
from .root import build
from .seccomp import Filter
from .slot import serve
from .syscalls import (
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    drop_bounding_set,
    install_filter,
    prctl,
    unshare,
)

# what many programs import; each module more makes every fork slower
_PRELOADED = (
    "abc array bisect cmath collections collections.abc contextlib copy dataclasses datetime decimal enum fractions "
    "functools heapq io itertools json linecache math numbers operator os queue random re string struct sys threading "
    "time traceback types typing warnings"
)
_HARNESS = ("trueward_harness.calls", "trueward_harness.rehearsal")
_WORSE = "900"
"""The kernel is to kill slots and their programs for memory before the service."""

_NO_LAST_ID = "the kernel counts on from run to run"
_KEEPER_AND_SLOT = 2
_TOLD = 1000
"""Characters of an error at most."""
_IDS = 1000
"""User ids that a service of root takes from the upper end of those it has: two for each slot."""


class Server:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._steps: list[Step] = []
        self._host_proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._first_id = 0
        self._slots = 0
        self._own_arguments = (0, 0)
        self._in_common = ""

    def start(self, setting: Setting) -> Hello:
        """Sets the namespaces up and preloads; stops at the first step that the kernel refuses."""
        broken = ""
        try:
            self._enter(setting)
        except OSError as refusal:
            broken = f"{self._steps[-1]['name']}: {refusal}"
            self._steps[-1]["error"] = str(refusal)
        return {"steps": self._steps, "python": sys.executable, "broken": broken}

    def _enter(self, setting: Setting) -> None:
        for name, step in (
            ("mounts", self._own_mounts),
            ("network", lambda: unshare(CLONE_NEWNET)),
            ("root", lambda: build(setting["harness"], setting["packages"], _installations(), setting["etc"])),
            ("seccomp", self._make_filter),
        ):
            self._take(name, step)
        shared = "" if self._first_id else "this process may not give other user ids away"
        self._steps.append({"name": "separate users", "error": shared})
        self._steps.append({"name": "separate files", "error": self._files_in_common()})
        self._steps.append({"name": "load figures", "error": self._listened()})
        self._steps.append({"name": "process ids", "error": "" if self._has("sys/kernel/ns_last_pid") else _NO_LAST_ID})
        start, end = self._read("self/stat").rpartition(")")[2].split()[45:47]
        self._own_arguments = int(start), int(end)
        python.preload(tuple(_PRELOADED.split()), _HARNESS)

    def _take(self, name: str, step: Callable[[], None]) -> None:
        self._steps.append({"name": name, "error": ""})
        step()

    def _own_mounts(self) -> None:
        """A mount namespace: as root by right, otherwise within a user namespace."""
        try:
            unshare(CLONE_NEWNS)
        except PermissionError:
            user, group = os.geteuid(), os.getegid()
            unshare(CLONE_NEWUSER | CLONE_NEWNS)
            self._map("self", f"{PROGRAM_ID} {user} 1", f"{PROGRAM_ID} {group} 1", alone=True)
        else:
            self._first_id = _free_ids(self._host_proc)
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # forgotten by the kernel when rights change, so set here

    def _files_in_common(self) -> str:
        """What slots cannot have of their own."""

        def attempt() -> str:
            unshare(CLONE_NEWNS)
            return _shared(separate(self._host_proc))

        self._in_common = _tried(attempt)
        return self._in_common

    def _make_filter(self) -> None:
        self._filters = _filters(listened=False)

    def _listened(self) -> str:
        """Why no filter can have a listener; empty where it can, and then the filter has one from here on."""
        self._figures, wanted = Figures(), _filters(listened=True)

        def attempt() -> str:
            prctl(PR_SET_NO_NEW_PRIVS, 1)
            install_filter(wanted[False].address, listened=True)
            return ""

        error = _tried(attempt)
        self._filters = self._filters if error else wanted
        return error

    def run(self) -> NoReturn:
        """Forks a slot for each descriptor that comes, until the service hangs up."""
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for slots: their channel tells of their end
        gc.collect()
        gc.freeze()
        interpreter_bytes = int(self._read("self/statm").split()[0]) * resource.getpagesize()
        while True:
            packet, descriptors, _, _ = socket.recv_fds(self._control, PACKET_BYTES, 1)
            if not packet:
                os._exit(0)
            self._slots += 1
            self._fork(socket.socket(fileno=descriptors[0]), interpreter_bytes)

    def _fork(self, channel: socket.socket, interpreter_bytes: int) -> None:
        """Forks a keeper, which makes the namespaces, and from it the slot: a namespace's first process."""
        told, telling = os.pipe()
        mapped, mapping = os.pipe()
        keeper = os.fork()
        if keeper:
            os.close(telling)
            os.close(mapped)
            if os.read(told, 1) and self._first_id:
                first = self._first_id + 2 * (self._slots % (_IDS // 2))
                ids = f"0 {first} 1\n{PROGRAM_ID} {first + 1} 1"
                self._map(str(keeper), ids, ids)
            os.close(told)
            os.close(mapping)
            channel.close()
            return
        try:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            self._control.close()
            os.close(told)
            os.close(mapping)
            self._write("self/oom_score_adj", _WORSE)
            self._keep(channel, telling, mapped, interpreter_bytes)
        except BaseException as failure:  # noqa: BLE001 - must end here: above lies the server's loop
            channel.send(json.dumps({"failure": f"{type(failure).__name__}: {failure}"}).encode())
        finally:
            os._exit(1)

    def _keep(self, channel: socket.socket, telling: int, mapped: int, interpreter_bytes: int) -> None:
        unshare(CLONE_NEWNS)  # while this process has the server's rights: device nodes and overlays want them
        common = separate(self._host_proc)
        shared = _shared(common)
        if shared and shared[:_TOLD] != self._in_common:  # a slot shares no more than what was told at the start
            raise OSError(shared)
        unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET)
        os.write(telling, b"u")
        os.close(telling)
        os.read(mapped, 1)
        os.close(mapped)
        if self._first_id:
            os.setgroups([])
            os.setresgid(PROGRAM_ID, PROGRAM_ID, PROGRAM_ID)
            os.setresuid(0, 0, 0)
        else:
            self._map("self", f"{PROGRAM_ID} {PROGRAM_ID} 1", f"{PROGRAM_ID} {PROGRAM_ID} 1", alone=True)
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        socket.sethostname("box")
        slot = os.fork()
        if slot:
            channel.send(json.dumps({"pid": slot}).encode())
            channel.close()
            os.waitpid(slot, 0)
            return
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        prctl(PR_SET_DUMPABLE, 0)
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        drop_bounding_set()
        python.call_itself(("python3", "-I", "solution.py"), *self._own_arguments)
        os.setsid()
        os.umask(0o022)
        limit_all()
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # process 1 is deaf to what it does not handle
        jail = Jail(
            # a folder of the host that no overlay covers may hold a socket of the host
            filter=self._filters[not any(map(os.path.isdir, common))],
            figures=self._figures,
            own_user=bool(self._first_id),
            shared=0 if self._first_id else _KEEPER_AND_SLOT,
            interpreter_bytes=interpreter_bytes,
            environment=dict(os.environ),
        )
        serve(channel, jail, self._host_proc)

    def _has(self, path: str) -> bool:
        return os.access(path, os.F_OK, dir_fd=self._host_proc)

    def _map(self, process: str, users: str, groups: str, alone: bool = False) -> None:
        if alone:
            self._write(f"{process}/setgroups", "deny")
        self._write(f"{process}/uid_map", users)
        self._write(f"{process}/gid_map", groups)

    def _read(self, path: str) -> str:
        with open(path, opener=lambda path, flags: os.open(path, flags, dir_fd=self._host_proc)) as file:
            return file.read()

    def _write(self, path: str, text: str) -> None:
        file = os.open(path, os.O_WRONLY, dir_fd=self._host_proc)
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)


def _filters(*, listened: bool) -> dict[bool, Filter]:
    """By whether programs may have Unix sockets."""
    return {sockets: Filter(listened=listened, sockets=sockets) for sockets in (False, True)}


def _shared(paths: list[str]) -> str:
    return f"shared with other programs: {', '.join(paths)}" if paths else ""


def _tried(attempt: Callable[[], str]) -> str:
    """What a process says that tries something and ends: an error, or nothing."""
    told, telling = os.pipe()
    trial = os.fork()
    if not trial:
        try:
            os.write(telling, attempt().encode(errors="replace")[:_TOLD])
        except Exception as refusal:  # noqa: BLE001 - whatever it is, it is told
            os.write(telling, (str(refusal) or type(refusal).__name__).encode(errors="replace")[:_TOLD])
        finally:
            os._exit(0)
    os.close(telling)
    with os.fdopen(told, encoding="utf-8", errors="replace") as said:
        error = said.read()
    os.waitpid(trial, 0)
    return error


def _free_ids(host_proc: int) -> int:
    """The first of ``_IDS`` user ids that nobody has, at the end of those that this process may give away."""
    with open("self/uid_map", opener=lambda path, flags: os.open(path, flags, dir_fd=host_proc)) as table:
        first, _, count = max((tuple(map(int, line.split())) for line in table), key=lambda line: line[2])
    last = min(first + count, 2**31)
    return last - _IDS if last - first > 2 * _IDS else 0


def _installations() -> list[str]:
    """Where this Python lies outside /usr: that very folder, and what its executable links to."""
    folders = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    outside = {os.path.realpath(folder) for folder in folders} | folders
    return sorted(folder for folder in outside if folder != "/usr" and not folder.startswith("/usr/"))


def main(descriptor: str) -> NoReturn:
    """Serves the control channel that the service left at ``descriptor``."""
    control = socket.socket(fileno=int(descriptor))
    control.set_inheritable(False)
    server = Server(control)
    packet = control.recv(PACKET_BYTES)
    if not packet:
        os._exit(0)
    for name in [name for name in sys.modules if name.partition(".")[0] == __package__]:
        del sys.modules[name]  # programs find none of ours by name
    hello = server.start(json.loads(packet))
    control.send(json.dumps(hello).encode())
    if hello["broken"]:
        os._exit(1)
    server.run()
