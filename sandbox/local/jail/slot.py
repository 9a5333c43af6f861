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
from .message import PACKET_BYTES, Report, Run
from .root import BOX, WORK
from .syscalls import MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_RDONLY, fork, mount, unmount

_SETUP_S = 60.0
"""Seconds for laying out files, which no limit of the program's counts."""

_NOTHING: Report = {"failure": "", "status": 0, "timed_out": False, "wall_s": 0.0, "cpu_s": 0.0, "peak_bytes": 0}


def serve(channel: socket.socket, jail: Jail) -> NoReturn:
    """Runs programs until the service hangs up."""
    while True:
        packet, descriptors, _, _ = socket.recv_fds(channel, PACKET_BYTES, 5)
        if not packet:
            os._exit(0)
        message = json.loads(packet)
        if "stop" in message:
            continue  # the run had ended by itself
        report = _run(channel, jail, message, descriptors)
        channel.send(json.dumps(report).encode())


def _run(channel: socket.socket, jail: Jail, run: Run, descriptors: list[int]) -> Report:
    options = f"mode=0755,uid={PROGRAM_ID},gid={PROGRAM_ID},size={run['disk_bytes']},nr_inodes={run['inodes']}"
    mount("tmpfs", BOX, "tmpfs", MS_NOSUID | MS_NODEV, options)
    try:
        if run["proc"]:
            mount("proc", "/proc", "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)
        return _execute(channel, jail, run, descriptors)
    except OSError as failure:
        return {**_NOTHING, "failure": str(failure)}
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
        if run["proc"]:
            with suppress(OSError):  # it was refused before
                unmount("/proc")
        unmount(BOX)


def _execute(channel: socket.socket, jail: Jail, run: Run, descriptors: list[int]) -> Report:
    payload, stdin, stdout, stderr, *files = descriptors
    told, telling = os.pipe()
    pid = fork()
    if not pid:
        child.become(jail, run, (stdin, stdout, stderr), payload, telling)
    os.close(telling)
    while len(descriptors) > len(files):
        os.close(descriptors.pop(0))  # the program's ends of the pipes: the others are to see when it closes them
    report = _watch(channel, pid, told, run["wall_s"])
    os.close(told)
    for out in files:
        _bring_back(run, out)
    return report


def _watch(channel: socket.socket, pid: int, told: int, wall_s: float) -> Report:
    """Waits for the program, its time limit or the service's word, then ends everything in the jail."""
    process = os.pidfd_open(pid)
    poll = select.poll()
    for descriptor in (process, told, channel.fileno()):
        poll.register(descriptor, select.POLLIN)
    started, failure, timed_out = 0.0, "", False
    deadline = time.monotonic() + _SETUP_S
    while True:
        ready = {descriptor for descriptor, _ in poll.poll(max(0.0, deadline - time.monotonic()) * 1000)}
        if told in ready:
            word = os.read(told, 4096)
            poll.unregister(told)
            if word[:1] == b"+":
                # its own clock, for this process may have been asleep; until here it was ours
                started = int(word[1:]) / 1e9
                deadline = started + wall_s
            else:
                failure = word[1:].decode(errors="replace") or "the process died before the program started"
        if channel.fileno() in ready:
            if not channel.recv(PACKET_BYTES):
                os._exit(0)
            break
        if process in ready:
            break
        if time.monotonic() >= deadline:
            timed_out = True
            break
    ended = time.monotonic()
    os.close(process)
    status, cpu_s, peak_bytes = _end_all(pid)
    if timed_out and not started:
        failure = "laying out the files took too long"
    return {
        "failure": failure,
        "status": status,
        "timed_out": timed_out,
        "wall_s": ended - started if started else 0.0,
        "cpu_s": cpu_s,
        "peak_bytes": peak_bytes,
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
