"""A process that has imported what ``trueward`` imports, and forks: a service of the tests starts without the imports.

They are most of what a start computes, and the same each time. What a fork does from then on is what the command does:
its environment, arguments and files are those of the order, and it goes through ``trueward.cli.main``. A start that
is about the command itself, or imports from elsewhere, is one of the command (:func:`tests.live.serving`).

So has the fork server of its workers (:mod:`app.lanes.cpu.launch`), which takes longer to warm up than the service to
start: each fork has a child that waits, with all of that imported, and becomes the service's first fork server. Its
next ones, after a kill, are new interpreters, as outside the tests.

Run as a script this file is the template. Orders arrive at the socket that the first argument numbers, each with three
descriptors: the fork's standard output, its standard error, and a pipe. Into the pipe the template writes the fork's
process id, and when the fork has ended its exit code, a line each.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import FileIO
from multiprocessing import util
from pathlib import Path
from typing import Any, NoReturn

IMPORTED = (
    "trueward.cli",
    "trueward.commands.serve",
    "app.cli",
    "app.http.connection",
    "app.http.server",
    "app.kit.migrate",
    "app.kit.tls",
    "app.labels.aims",
    "app.lanes.cpu.warm",
    "app.main",
    "app.telemetry.logging",
    "aiosqlite",
    "alembic.command",
    "alembic.context",
    "uvicorn.lifespan.on",
    "uvicorn.loops.uvloop",
    "uvicorn.protocols.http.httptools_impl",
)
_ORDER_BYTES = 2**20
_FORK_SERVER = "multiprocessing.forkserver"
"""Stands in the command line of a fork server, by which tests find it."""


class Fork:
    """A command in a fork of the template, with those methods of :class:`subprocess.Popen` that tests use."""

    def __init__(self, args: Sequence[str], pid: int, told: FileIO) -> None:
        self.args = args
        self.pid = pid
        self.returncode: int | None = None
        self._told = told
        self._looking = threading.Lock()

    def poll(self) -> int | None:
        return self._look(0.0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._look(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):  # ended just now
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _look(self, timeout_s: float | None) -> int | None:
        if self.returncode is None and select.select([self._told], [], [], timeout_s)[0]:
            self._read_code()
        return self.returncode

    def _read_code(self) -> None:
        with self._looking:
            if self.returncode is None:
                line = self._told.readline()
                assert line, "the template of the tests' services has died"
                self._told.close()
                self.returncode = int(line)


class Template:
    """The process; it ends with the one that made it, where nobody has closed it before."""

    def __init__(self) -> None:
        self._python = _of_python(os.environ)
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno()), _FORK_SERVER],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def close(self) -> None:
        """Ends the process; forks that run go on."""
        self._orders.close()
        self._process.wait()

    def serves(self, environment: Mapping[str, str]) -> bool:
        """Whether the command would import the same in this environment."""
        return _of_python(environment) == self._python

    def start(
        self,
        args: Sequence[str],
        environment: Mapping[str, str],
        stdout: int,
        stderr: int,
        module: str | None = None,
    ) -> Fork:
        """The command, or a module as ``python -m`` runs it. It reads nothing and writes to these descriptors."""
        folder = str(Path.cwd())
        order = {"args": list(args), "environment": dict(environment), "folder": folder, "module": module}
        told, tells = os.pipe()
        socket.send_fds(self._orders, [json.dumps(order).encode()], [stdout, stderr, tells])
        os.close(tells)
        lines = FileIO(told)
        pid = lines.readline()
        assert pid, "the template of the tests' services has died: its standard error says why"
        return Fork(args, int(pid), lines)


def _of_python(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith("PYTHON")}


def _carry_out_orders(orders: int) -> dict[str, object]:
    """Forks for each order; returns in the fork, with the order, and ends this process with the tests'."""
    running: dict[int, tuple[int, int]] = {}
    poller = select.poll()
    poller.register(orders, select.POLLIN)
    while True:
        for descriptor, _ in poller.poll():
            if descriptor in running:
                pid, told = running.pop(descriptor)
                poller.unregister(descriptor)
                os.close(descriptor)
                _tell(told, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
                os.close(told)
                continue
            with socket.socket(fileno=os.dup(orders)) as stream:
                order, descriptors, _, _ = socket.recv_fds(stream, _ORDER_BYTES, 3)
            if not order:
                sys.exit()
            stdout, stderr, told = descriptors
            pid = os.fork()
            if not pid:
                os.dup2(stdout, 1)
                os.dup2(stderr, 2)
                os.closerange(3, 2**16)
                read: dict[str, object] = json.loads(order)
                return read
            os.close(stdout)
            os.close(stderr)
            ended = os.pidfd_open(pid)
            running[ended] = pid, told
            poller.register(ended, select.POLLIN)
            _tell(told, pid)


def _tell(pipe: int, number: int) -> None:
    with suppress(BrokenPipeError):  # nobody asks any more
        os.write(pipe, f"{number}\n".encode())


def _become(order: dict[str, object]) -> None:
    os.chdir(str(order["folder"]))
    environment, args = order["environment"], order["args"]
    assert isinstance(environment, dict)
    assert isinstance(args, list)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = args


def _prepare_fork_server() -> None:
    """A child of this process becomes the first fork server that multiprocessing asks for."""
    orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if not pid:
        orders.close()
        _serve_forks(theirs)
    theirs.close()
    start = util.spawnv_passfds

    def spawn(path: bytes, args: Sequence[Any], passfds: Sequence[int]) -> int:
        if _FORK_SERVER not in args[-1] or orders.fileno() == -1:
            return start(path, args, passfds)
        with orders:
            order = {"code": args[-1], "descriptors": list(passfds)}
            socket.send_fds(orders, [json.dumps(order).encode()], list(passfds))
        return pid

    util.spawnv_passfds = spawn


def _serve_forks(orders: socket.socket) -> NoReturn:
    """Waits for the code that a new interpreter would run, and for descriptors, which get the numbers it names."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # until then as a fork server does
    read, descriptors, _, _ = socket.recv_fds(orders, _ORDER_BYTES, 8)
    if not read:
        os._exit(0)  # the service ended, or became another program, without one
    order = json.loads(read)
    orders.close()
    above = [fcntl.fcntl(one, fcntl.F_DUPFD, 1000) for one in descriptors]
    os.closerange(3, 1000)
    for one, number in zip(above, order["descriptors"], strict=True):
        os.dup2(one, number)
        os.close(one)
    exec(order["code"], {"__name__": "__main__"})  # multiprocessing's own
    os._exit(0)


if __name__ == "__main__":
    gc.disable()
    sys.path[0] = str(Path(sys.executable).parent)  # as the command has it
    for name in IMPORTED:
        importlib.import_module(name)
    from app.pages.registry import PAGES
    from verifiers.registry import BUILT_INS

    for point in (*PAGES, *BUILT_INS):
        importlib.import_module(point.module)
    gc.collect()
    gc.freeze()
    gc.enable()
    order = _carry_out_orders(int(sys.argv[1]))
    _become(order)
    _prepare_fork_server()
    if order["module"] is not None:
        sys.path[0] = str(Path.cwd())
        runpy.run_module(str(order["module"]), run_name="__main__", alter_sys=True)
        sys.exit()
    from trueward.cli import main

    main()
