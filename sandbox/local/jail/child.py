"""From a fresh fork of the slot to the program: files laid out, rights given up, limits set, then the program.

Runs in the process that becomes the program. The only modules that see a program are this one and
:mod:`.python`, and only here.
"""

from __future__ import annotations

# ruff: noqa: PTH102, PTH103, PTH120 - plain system calls, in the order in which they happen
import _signal  # type: ignore[import-not-found]
import marshal
import os
import random
import resource
import signal
import socket
import time
from dataclasses import dataclass
from typing import NoReturn

from . import python
from .figures import Figures
from .message import Head, Run
from .root import SCRATCH, WORK
from .seccomp import Filter
from .syscalls import PR_SET_DUMPABLE, close_from, drop_capabilities, install_filter, prctl

PROGRAM_ID = 1000
"""User and group of every program, within its own user namespace."""

_FIXED_LIMITS = {
    resource.RLIMIT_NOFILE: 256,
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_MEMLOCK: 0,
    resource.RLIMIT_MSGQUEUE: 0,
    resource.RLIMIT_RTPRIO: 0,
}
_STACK_BYTES = 8 * 2**20
"""Of a Python program that asks for no more. It may raise it, as on a judge's machine: memory is bounded as a whole."""

_READ_BYTES = 2**16


@dataclass(frozen=True)
class Jail:
    """What every child of a slot needs: made once, before there is any program.

    ``own_user``: programs run as another user than the slot. ``shared``: processes counted for the program's user
    that are not its own. ``interpreter_bytes``: address space that this interpreter takes by itself.
    ``environment``: what this process has.
    """

    filter: Filter
    figures: Figures
    own_user: bool
    shared: int
    interpreter_bytes: int
    environment: dict[str, str]


def limit_all() -> None:
    """Sets the limits that are the same for every program: in the slot, from which its children have them."""
    for which, most in _FIXED_LIMITS.items():
        resource.setrlimit(which, (most, most))
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    soft = _STACK_BYTES if hard == resource.RLIM_INFINITY else min(_STACK_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))


def become(jail: Jail, run: Run, streams: tuple[int, int, int], payload: int, report: int) -> NoReturn:
    """Becomes the program. Says ``+`` and the time on ``report`` as it starts, or ``-`` and why it cannot."""
    try:
        _join(jail, streams)
        head, source = _lay_out(payload)
        _limit(jail, run, head["python"])
        drop_capabilities()
        # the report's end is closed with the rest, so nothing of ours stays open beneath the program
        os.dup2(report, 3)
        close_from(4)
        os.chdir(WORK)
        prctl(PR_SET_DUMPABLE, 1)  # the slot answers calls in its memory, and its children may see it in /proc
        listener = install_filter(jail.filter.address, listened=jail.filter.listened)
        if head["environment"] != jail.environment:
            os.environ.clear()
            os.environ.update(head["environment"])
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)  # past the enums of `signal`, for speed
        random.seed()
        _tell(b"+%d" % time.monotonic_ns(), listener)
    except BaseException as failure:  # noqa: BLE001 - whatever it is must end here: above lies the slot's loop
        os.write(report, f"-{type(failure).__name__}: {failure}".encode(errors="replace")[:1000])
        os._exit(120)
    try:
        if head["python"]:
            python.run(head["command"], source)
        _execute(head["command"])
    finally:
        os._exit(1)


def _tell(started: bytes, listener: int) -> None:
    """The program starts; its filter's listener goes to the slot, and no end of either stays here."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=3) as report:
        if listener < 0:
            report.send(started)
        else:
            socket.send_fds(report, [started], [listener])
            os.close(listener)


def _join(jail: Jail, streams: tuple[int, int, int]) -> None:
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    if jail.own_user:
        os.setresuid(PROGRAM_ID, PROGRAM_ID, PROGRAM_ID)


def _lay_out(payload: int) -> tuple[Head, bytes]:
    """Writes the files; what they are, and the content of the first one: the source."""
    for folder in SCRATCH:
        os.mkdir(folder)
    start = os.pread(payload, _READ_BYTES, 0)
    length = int.from_bytes(start[:8], "big")
    at = 8 + length
    if at > len(start):
        start = os.pread(payload, at, 0)
    head: Head = marshal.loads(start[8:at])  # noqa: S302 - the service's own word, with names and sizes alone
    source = b""
    for number, (name, mode, size) in enumerate(head["files"]):
        path = f"{WORK}/{name}"
        if "/" in name:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        end = at + size
        if not number:
            source = start[at:end] if end <= len(start) else os.pread(payload, size, at)
        if end <= len(start):
            at += os.write(file, start[at:end])
        while at < end:
            at += os.sendfile(file, payload, at, end - at)
        os.close(file)
    return head, source


def _limit(jail: Jail, run: Run, is_python: bool) -> None:
    cpu_s, file_bytes, processes = int(run["cpu_s"]) + 1, run["disk_bytes"], run["processes"] + jail.shared
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
    if not is_python:  # a search of a deep tree calls itself a million times
        hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
        resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
    if run["address_space"]:
        most = run["address_space"] + (jail.interpreter_bytes if is_python else 0)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _execute(command: list[str]) -> NoReturn:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    try:
        os.execvpe(command[0], command, os.environ)  # noqa: S606 - it is the jail that makes this safe
    except OSError as failure:  # the program's doing: its compiler made no such file, or one that is none
        os.write(2, f"{command[0]}: {failure.strerror}\n".encode(errors="replace"))
        os._exit(127 if isinstance(failure, FileNotFoundError) else 126)
