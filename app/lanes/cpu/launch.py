"""Starts worker processes from the fork server, which has the heavy modules loaded and exercised.

The fork server is multiprocessing's own, one a process; it is started again where it died, and ends with this
process. These functions block (a start for as long as the fork server warms up): call them from a thread.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import forkserver
from multiprocessing.context import ForkServerProcess
from threading import Lock

from app.lanes.cpu import worker
from app.lanes.cpu.folder import take_folder

# multiprocessing keeps its children and the fork server in module globals, and is not made for threads.
_lock = Lock()


def launch(stream: socket.socket, resolver: str, preload: Sequence[str], memory_bytes: int) -> ForkServerProcess:
    """A started worker at the other end of ``stream``, whose copy here the caller has to close.

    Raises OSError or EOFError where the fork server died under the call.
    """
    with _lock:
        take_folder()
        forkserver.set_forkserver_preload(list(preload))
        process = multiprocessing.get_context("forkserver").Process(
            target=worker.main, args=(stream, resolver, tuple(preload), memory_bytes), daemon=True
        )
        with _main_hidden():
            process.start()
        return process


def bury(process: ForkServerProcess) -> None:
    """Releases what this process holds of a dead worker."""
    with _lock:
        process.join()
        process.close()


def kill_fork_server() -> None:
    """Ends a fork server that no longer answers; the next start makes another."""
    pid = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]  # private
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Else each worker would import ``__main__`` again: the whole server, in a second and 50 MB."""
    main = sys.modules["__main__"]
    hidden: dict[str, object] = {name: vars(main)[name] for name in ("__file__", "__spec__") if name in vars(main)}
    vars(main).pop("__file__", None)
    main.__spec__ = None
    try:
        yield
    finally:
        vars(main).update(hidden)
