"""A slot: process 1 of a pid namespace, which runs one program at a time and ends all that it leaves behind."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import time
from contextlib import suppress
from typing import NoReturn

from . import child
from .child import PROGRAM_ID, Jail
from .harvest import collect, names_below
from .held import Processes
from .message import PACKET_BYTES, Report, Run
from .root import BOX, WORK
from .syscalls import CLONE_NEWCGROUP, MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_RDONLY, fork, mount, unmount, unshare

_SETUP_S = 60.0
"""Seconds for laying out files, which no limit of the program's counts."""

_TICK_S = 0.25
"""So often this process looks whether it was itself asleep; later than that by as much again it was."""

_WAKE_S = 1.0
"""A program that a signal has stopped is woken after this time."""

_NOTHING: Report = {
    "failure": "",
    "status": 0,
    "timed_out": False,
    "wall_s": 0.0,
    "cpu_s": 0.0,
    "peak_bytes": 0,
    "held_s": 0.0,
    "starved": False,
}


_PROC = MS_NOSUID | MS_NODEV | MS_NOEXEC
_LAST_ID = "/proc/sys/kernel/ns_last_pid"


def serve(channel: socket.socket, jail: Jail, proc: int) -> NoReturn:
    """Runs programs until the service hangs up. ``proc``: a descriptor of the host's /proc."""
    last_id, proc_lacks = _own_proc()
    known = False
    while True:
        packet, descriptors, _, _ = socket.recv_fds(channel, PACKET_BYTES, 5)
        if not packet:
            os._exit(0)
        message = json.loads(packet)
        if "stop" in message or "silent_s" in message:
            continue  # the run had ended by itself
        if not known:  # by now the service has moved this process into its control group
            known = True
            with suppress(OSError):  # where there is none, or /proc shows its path
                unshare(CLONE_NEWCGROUP)
        if last_id >= 0:
            os.pwrite(last_id, b"1", 0)
        if proc_lacks and message["proc"]:
            report: Report = {**_NOTHING, "failure": proc_lacks}
            for descriptor in descriptors:
                os.close(descriptor)
        else:
            processes = Processes(proc, (0, message["partner"]) if message["partner"] else (0,), last_id=last_id)
            report = _run(channel, jail, message, descriptors, processes)
        channel.send(json.dumps(report).encode())


def _own_proc() -> tuple[int, str]:
    """Mounts the /proc that programs see, for all runs: processes alone, and of those only the program's.

    Gives a descriptor of the last process id (-1: the kernel has none), and why there is no /proc. By writing there a
    program cannot tell how many processes ran before it, and what it has begun can be read.
    """
    last_id = -1
    try:
        mount("proc", "/proc", "proc", _PROC)
        with suppress(OSError):
            last_id = os.open(_LAST_ID, os.O_RDWR | os.O_CLOEXEC)
        unmount("/proc")
        mount("proc", "/proc", "proc", _PROC | MS_RDONLY, "hidepid=2,subset=pid")
    except OSError as refusal:
        return last_id, str(refusal)
    return last_id, ""


def _run(channel: socket.socket, jail: Jail, run: Run, descriptors: list[int], processes: Processes) -> Report:
    options = f"mode=0755,uid={PROGRAM_ID},gid={PROGRAM_ID},size={run['disk_bytes']},nr_inodes={run['inodes']}"
    mount("tmpfs", BOX, "tmpfs", MS_NOSUID | MS_NODEV, options)
    try:
        return _execute(channel, jail, run, descriptors, processes)
    except OSError as failure:
        return {**_NOTHING, "failure": str(failure)}
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
        unmount(BOX)


def _execute(channel: socket.socket, jail: Jail, run: Run, descriptors: list[int], processes: Processes) -> Report:
    payload, stdin, stdout, stderr, *files = descriptors
    told, telling = socket.socketpair()
    pid = fork()
    if not pid:
        child.become(jail, run, (stdin, stdout, stderr), payload, telling.fileno())
    telling.close()
    while len(descriptors) > len(files):
        os.close(descriptors.pop(0))  # the program's ends of the pipes: the others are to see when it closes them
    with told:
        clock = Clock(run["wall_s"], run["most_held_s"], processes)
        report = _watch(channel, jail, pid, told, clock)
    for out in files:
        _bring_back(run, out)
    return report


class Clock:
    """The time of one program: what passed since its start, less what it was kept from running.

    That is asked for where a limit would end it, and the program goes on for as long, ``most_held_s`` at the most: the
    host is to blame for an end after that (``starved``). Where threads have ended that may have taken the time, it goes
    on for no longer than ``wall_s``, and its end is its own. A program that a signal has stopped is woken, once, and is
    not charged until then: a signal from outside is no doing of its own, one from itself wins it no more than that.
    """

    def __init__(self, wall_s: float, most_held_s: float, processes: Processes) -> None:
        self.held_s = 0.0
        self.starved = False
        self._wall_s = wall_s
        self._most_held_s = most_held_s
        self._processes = processes
        self._started = 0.0
        self._idle_s = self._stopped_s = self._awake_s = 0.0
        self._woken = False

    @property
    def running(self) -> bool:
        """Whether the program has started."""
        return self._started > 0.0

    def start(self, at_s: float, pid: int) -> float:
        """The program has started; the moment of its limit."""
        self._started = at_s
        self._processes.begin(pid)
        return at_s + self._wall_s

    def own_s(self, now: float) -> float:
        """Seconds that are the program's own, by what is known of the others."""
        return max(0.0, now - self._started - self.held_s) if self.running else 0.0

    def pass_by(self, now: float, passed_s: float, late_s: float) -> None:
        """So much time has passed until now, ``late_s`` of it beyond what this process waited for.

        It was asleep then, and the jail with it, but for what it was at work or ready: that may be the program's doing.
        """
        awake_s = self._processes.awake_s()
        late_s -= awake_s - self._awake_s
        self._awake_s = awake_s
        if not self.running:
            return
        if late_s > _TICK_S:
            self._idle_s += min(late_s, now - self._started)
        elif not self._woken and self._processes.is_stopped():
            self._stopped_s += passed_s
            self._idle_s += passed_s
            if self._stopped_s >= _WAKE_S:
                self._woken = True
                with suppress(ProcessLookupError):
                    os.kill(-1, signal.SIGCONT)

    def look(self, now: float) -> None:
        """Learns what the program was kept from."""
        if not self.running:
            return
        counted, passed_s = self._processes.count(), now - self._started
        waited_s = counted.estimate_held_s(passed_s - self._idle_s)
        if waited_s > self._wall_s and not self._processes.know_all():
            waited_s = self._wall_s
        self.starved = waited_s >= self._most_held_s
        held_s = min(self._idle_s + min(waited_s, self._most_held_s), passed_s - counted.ran_s)
        self.held_s = max(self.held_s, held_s)

    def limit(self, now: float) -> float:
        """The moment of the limit anew, now that it would have come."""
        self.look(now)
        return self._started + self._wall_s + self.held_s


def _watch(channel: socket.socket, jail: Jail, pid: int, told: socket.socket, clock: Clock) -> Report:
    """Waits for the program, its time limit or the service's word, then ends everything in the jail."""
    process = os.pidfd_open(pid)
    poll = select.poll()
    listeners: list[int] = []
    for descriptor in (process, told.fileno(), channel.fileno()):
        poll.register(descriptor, select.POLLIN)
    failure, timed_out = "", False
    now = time.monotonic()
    deadline = now + _SETUP_S
    while True:
        before, patience_s = now, min(_TICK_S, max(0.0, deadline - now))
        events = dict(poll.poll(patience_s * 1000))
        ready = events.keys()
        now = time.monotonic()
        if told.fileno() in ready:
            word, listeners, _, _ = socket.recv_fds(told, 4096, 1)
            poll.unregister(told)
            for listener in listeners:
                poll.register(listener, select.POLLIN)
            if word[:1] == b"+":
                # its own clock, for this process may have been asleep; until here it was ours
                deadline = clock.start(int(word[1:]) / 1e9, pid)
            else:
                failure = word[1:].decode(errors="replace") or "the process died before the program started"
        clock.pass_by(now, now - before, now - before - patience_s)
        if not ready:
            clock.look(now)
        if channel.fileno() in ready:
            packet = channel.recv(PACKET_BYTES)
            if not packet:
                os._exit(0)
            word = json.loads(packet)
            if "silent_s" not in word:
                break
            clock.look(now)
            if word["silent_s"] >= clock.held_s:
                timed_out = True
                break
        if process in ready:
            break
        for listener in ready & set(listeners):
            if events[listener] & select.POLLIN:
                jail.figures.answer(listener)
            else:  # nobody is left who could ask
                poll.unregister(listener)
        if now >= deadline:
            if clock.running:
                deadline = clock.limit(now)
            if now >= deadline:
                timed_out = True
                break
    if not timed_out and clock.own_s(now) > _TICK_S:
        clock.look(now)
    os.close(process)
    status, cpu_s, peak_bytes = _end_all(pid)
    for listener in listeners:
        os.close(listener)
    if timed_out and not clock.running:
        failure = "laying out the files took too long"
    return {
        "failure": failure,
        "status": status,
        "timed_out": timed_out,
        "wall_s": clock.own_s(now),
        "cpu_s": cpu_s,
        "peak_bytes": peak_bytes,
        "held_s": clock.held_s,
        "starved": timed_out and clock.starved,
    }


def _end_all(program: int) -> tuple[int, float, int]:
    """Kills and reaps everything but this process; the program's wait status, CPU seconds and peak of all."""
    status, cpu_s, peak = 0, 0.0, 0
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    while True:
        try:
            pid, ended, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return status, cpu_s, peak * 1024
        if pid == program:
            status = ended
        cpu_s += usage.ru_utime + usage.ru_stime
        peak = max(peak, usage.ru_maxrss)


def _bring_back(run: Run, out: int) -> None:
    if run["fetch"] is not None:
        collect(WORK, run["fetch"], out, run["file_bytes"])
        return
    # the names are the program's own words: a process that ends here reads them, not the slot
    pid = os.fork()
    if not pid:
        try:
            collect(WORK, names_below(WORK), out, run["file_bytes"])
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
