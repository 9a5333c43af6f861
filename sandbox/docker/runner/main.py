"""The runner's loop: keep files, run, wipe, until the host closes its end."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys

from . import places
from .frames import CHUNK_BYTES, Channel, HostGone, RunRequest
from .process import PR_SET_DUMPABLE, Process


class Runner:
    """What one container does, message by message."""

    def __init__(self) -> None:
        self._channel = Channel()
        self._store = places.Store()
        self._pristine = True
        self._wake = _wake_on_child()

    def serve(self) -> None:
        """Until the host is gone."""
        unexpected = places.find_writable_mounts()
        if unexpected:
            self._channel.send_json(b"n", {"reason": f"the image has writable mounts: {', '.join(unexpected)}"})
            return
        self._channel.send(b"h")
        while True:
            kind, payload = self._channel.receive()
            if kind == b"f":
                self._keep_files(json.loads(payload))
            elif kind == b"r":
                self._run(json.loads(payload))
            elif kind == b"w":
                self._store.clear()
                self._answer(self._wipe() and _alone(), "not clean")
            # Anything else was meant for a run that has ended meanwhile.

    def _keep_files(self, files: list[tuple[str, int]]) -> None:
        self._store.clear()
        left = self._store.expect(files)
        while left > 0:
            _, data = self._channel.receive()
            self._store.append(data)
            left -= len(data)
        self._answer(True)

    def _run(self, request: RunRequest) -> None:
        try:
            if not self._wipe():
                raise OSError("cannot empty the writable places")
            self._pristine = False
            self._store.lay()
        except OSError as error:
            self._answer(False, str(error))
            return
        process = Process(request, self._channel, self._wake)
        self._channel.send(b"s")
        report = process.watch()
        contents = {path: places.fetch(path, request["file_bytes"]) for path in request["fetch"]}
        files = {path: data for path, data in contents.items() if data is not None}
        if request["keep"] and report["exit_code"] == 0 and report["cause"] is None:
            self._store.keep()
        report["files"] = [(path, len(data)) for path, data in files.items()]
        self._channel.send_json(b"x", report)
        for data in files.values():
            for start in range(0, len(data), CHUNK_BYTES):
                self._channel.send(b"d", data[start : start + CHUNK_BYTES])

    def _wipe(self) -> bool:
        if not self._pristine:
            self._pristine = places.wipe()
        return self._pristine

    def _answer(self, good: bool, reason: str = "") -> None:
        if good:
            self._channel.send(b"k")
        else:
            self._channel.send_json(b"n", {"reason": reason})


def _alone() -> bool:
    """Whether this is the only process of the container."""
    return [name for name in os.listdir("/proc") if name.isdigit()] == ["1"]


def _wake_on_child() -> int:
    """A descriptor that becomes readable when a child ends."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    return read


def _forget_own_name() -> None:
    """Writes over its own command line, which programs can read: it is the service's."""
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as stat:
        start, end = map(int, stat.read().rpartition(")")[2].split()[45:47])
    ctypes.memmove(start, b"init".ljust(end - start, b"\0"), end - start)


def main() -> None:
    """Shuts itself off from the programs to come, then serves."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _forget_own_name()
    if ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0):
        sys.exit("the runner cannot make itself undumpable")
    try:
        Runner().serve()
    except HostGone:
        pass
    except BrokenPipeError:
        os._exit(0)
