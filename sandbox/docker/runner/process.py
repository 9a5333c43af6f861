"""One run: a child process under its limits, from its start until nothing of it is left.

The clock is this process's, the program's parent; memory and the number of CPUs are bounded by the container. A
program is a little less urgent than this process, so that it cannot delay its own end. Time in which the host kept it
from running, or stood still with this process, is not the program's.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import socket
import time
from collections.abc import Mapping
from typing import NoReturn

from . import cgroup, figures, places
from .frames import MOST_HELD_S, STDIN, Channel, Report, RunRequest
from .held import Processes
from .streams import OUTPUT, Streams

TICK_S = 0.05
ASLEEP_S = 0.25
"""Who looks later than that was asleep."""
KILL_S = 5.0
NICENESS = 5
OPEN_FILES = 256
PR_SET_DUMPABLE = 4
_SIGNALS = (signal.SIGPIPE, signal.SIGCHLD, signal.SIGINT, signal.SIGXFSZ)


class Process:
    """A program that has been started; :meth:`watch` sees it to its end."""

    def __init__(self, request: RunRequest, channel: Channel, wake: int) -> None:
        self._request = request
        self._channel = channel
        self._wake = wake
        self._cpu_before, self._own_before = cgroup.cpu_s(), time.process_time()
        self._oom_before = cgroup.oom_kills()
        self._reaped_cpu_s = 0.0
        self._peak_kib = 0
        self._status: int | None = None
        self._cause: str | None = None
        self._last_output = 0.0
        self._streams = Streams(request["output_bytes"], request["window"], channel)
        told, failure = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            _become(request, self._streams.child, failure)
        failure.close()
        self._streams.release_child_ends()
        # Ends with the exec: from here on the time is the program's.
        with told:
            self._failure, self._listener = figures.receive_report(told)
        self._proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._processes = Processes(self._proc, (0,), NICENESS)
        self._held_s = self._idle_s = 0.0
        self._starved = False
        self._began = self._last_output = time.monotonic()

    def watch(self) -> Report:
        """Joins the streams until the program has ended or must; then ends all that is left of it and reports."""
        while self._status is None and self._cause is None:
            reading = [self._wake, *self._streams.readable(), *([STDIN] if self._streams.has_room else [])]
            reading += [self._listener] if self._listener >= 0 else []
            before, awake_s, patience_s = time.monotonic(), self._processes.awake_s(), self._patience_s()
            ready, writable, _ = select.select(reading, self._streams.writable(), [], patience_s)
            # what this process was ready for and others had may be the program's doing: nobody was asleep
            late_s = time.monotonic() - before - patience_s - (self._processes.awake_s() - awake_s)
            self._idle_s += late_s if late_s > ASLEEP_S else 0.0
            if writable:
                self._streams.write()
            for fd in ready:
                self._serve(fd)
            self._reap()
            if self._status is None:
                self._cause = self._cause or self._breach()
        wall_s = time.monotonic() - self._began
        if wall_s > ASLEEP_S:
            self._look(time.monotonic())
        clean = self._end_all()
        os.close(self._proc)
        self._streams.finish()
        self._close_listener()
        return self._report(wall_s, clean)

    def _close_listener(self) -> None:
        if self._listener >= 0:
            os.close(self._listener)
            self._listener = -1

    def _serve(self, fd: int) -> None:
        if fd == self._wake:
            os.read(fd, 4096)
        elif fd == STDIN:
            self._channel.fill()
            while (message := self._channel.next()) is not None:
                self._obey(*message)
        elif fd == self._listener:
            if figures.over(fd):
                self._close_listener()
            else:
                figures.answer(fd)
        elif self._streams.forward(fd) == OUTPUT:
            self._last_output = time.monotonic()

    def _obey(self, kind: bytes, payload: bytes) -> None:
        if kind == b"i":
            self._streams.offer(payload)
        elif kind == b"z":
            self._streams.end_input()
        elif kind == b"c":
            self._streams.grant(json.loads(payload))
        elif kind == b"u":
            self._streams.turn_away()
        elif kind == b"q":
            self._cause = "stopped"

    def _patience_s(self) -> float:
        left = self._began + self._request["wall_s"] + self._held_s - time.monotonic()
        return max(0.0, min(TICK_S, left))

    def _breach(self) -> str | None:
        """The limit that the program is over, if any."""
        now, request = time.monotonic(), self._request
        if self._streams.over_limit:
            return "output"
        if self._cpu_s() >= request["cpu_s"] or self._over(now):
            return "time"
        if places.fullest_bytes() > request["disk_bytes"]:
            return "disk"
        return None

    def _over(self, now: float) -> bool:
        """Whether it has had its time, or has been silent for too long, by its own time."""
        silence_s = self._request["silence_s"]
        for over_s in (
            now - self._began - self._request["wall_s"],
            -1.0 if silence_s is None else now - self._last_output - silence_s,
        ):
            if over_s >= self._held_s:
                self._look(now)
            if over_s >= self._held_s:
                return True
        return False

    def _look(self, now: float) -> None:
        """Learns what the host kept from the program: no more than its own time where nobody counts what it used."""
        passed_s = now - self._began - self._idle_s
        most_s = passed_s - self._cpu_s() if self._cpu_before is not None else self._request["wall_s"]
        waited_s = max(0.0, min(self._processes.count().estimate_held_s(passed_s), most_s))
        self._starved = self._idle_s + waited_s >= MOST_HELD_S
        self._held_s = max(self._held_s, min(self._idle_s + waited_s, MOST_HELD_S))

    def _cpu_s(self) -> float:
        total: float | None = cgroup.cpu_s()
        if total is None or self._cpu_before is None:
            return self._reaped_cpu_s
        own_s = time.process_time() - self._own_before
        return max(0.0, total - self._cpu_before - own_s)

    def _reap(self) -> bool:
        """Collects every process that has ended; whether any is left."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            self._reaped_cpu_s += usage.ru_utime + usage.ru_stime
            self._peak_kib = max(self._peak_kib, usage.ru_maxrss)
            if pid == self._pid:
                self._status = status

    def _end_all(self) -> bool:
        """Kills every process of the container but this one; whether all are gone."""
        deadline = time.monotonic() + KILL_S
        while time.monotonic() < deadline:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            if not self._reap():
                return True
            select.select([self._wake], [], [], 0.005)
        return False

    def _report(self, wall_s: float, clean: bool) -> Report:
        status = self._status or 0
        if self._cause is None and self._streams.over_limit:
            self._cause = "output"
        return {
            "cause": self._cause,
            "exit_code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            "failure": self._failure,
            "oom": cgroup.oom_kills() > self._oom_before,
            "cpu_s": self._cpu_s(),
            "wall_s": max(0.0, wall_s - self._held_s),
            "held_s": self._held_s,
            "starved": self._starved and self._cause == "time",
            "peak_memory_bytes": self._peak_kib * 1024,
            "truncated": self._streams.over_limit,
            "clean": clean,
            "files": [],
        }


def _become(request: RunRequest, streams: tuple[int, int, int], failure: socket.socket) -> NoReturn:
    """In the child: puts its limits on and turns into the program. Never returns into the runner."""
    try:
        os.setsid()
        for target, fd in enumerate(streams):
            os.dup2(fd, target)
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        os.umask(0o022)
        os.nice(NICENESS)
        _prefer_for_oom()
        _limit(request)
        os.chdir(places.WORK)
        figures.listen(failure)
        _execute(request["command"], request["environment"])
    except BaseException as error:  # noqa: BLE001  # whatever it is, a second runner must not go on from here
        failure.send(repr(error).encode(errors="replace")[:1000])
    finally:
        os._exit(127)


def _execute(command: list[str], environment: Mapping[str, str]) -> None:
    """As a shell would: a command that cannot be started says so on standard error and ends with 127."""
    try:
        os.execvpe(command[0], command, environment)
    except (OSError, ValueError) as error:
        os.write(2, f"{command[0]}: {error}\n".encode(errors="replace"))


def _prefer_for_oom() -> None:
    """Out of memory, the kernel shall take the program and not the runner; only a dumpable process may say so."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("1000")


def _limit(request: RunRequest) -> None:
    cpu_s = int(request["cpu_s"]) + 2
    for what, value in (
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_NPROC, request["processes"] + 1),
        (resource.RLIMIT_FSIZE, request["disk_bytes"]),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_RTPRIO, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(what, (value, value))
    # a search of a deep tree calls itself a million times; memory is bounded as a whole
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
