"""The worker's side: takes work, does it within its limits, tells each result as soon as it is known.

The kernel ends it where the work takes more CPU seconds than allowed (SIGXCPU); where its memory is exhausted it ends
itself, since nothing is known of its state. It ends when the service closes the socket, or has died.
"""

from __future__ import annotations

import json
import os
import pickle
import resource
import socket
import time
from typing import NoReturn

from verifiers.apart.frames import BEGUN, DONE, FAILED, OUT_OF_MEMORY, REPLY, VALUE, WORK

MEMORY_BYTES = 2 * 2**30
"""Address space."""


def main(descriptor: int) -> NoReturn:
    """Works until the other end closes."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    channel = socket.socket(fileno=descriptor)
    with channel.makefile("rb") as stream:
        while len(head := stream.read(WORK.size)) == WORK.size:
            cpu_s, length = WORK.unpack(head)
            try:
                _work(channel, cpu_s, stream.read(length))
            except (MemoryError, RecursionError):
                os._exit(OUT_OF_MEMORY)
            except OSError:
                break
    os._exit(0)


def _work(channel: socket.socket, cpu_s: float, packed: bytes) -> None:
    try:
        function, arguments = pickle.loads(packed)  # noqa: S301 - the service's own words
    except Exception as failure:  # noqa: BLE001 - told, and raised by the service
        _tell_failure(channel, failure)
        return
    _tell(channel, BEGUN, b"null")
    begun_s = time.process_time()
    # whole seconds are all that the kernel takes: up to one more than asked for
    _limit(int(begun_s + cpu_s) + 1)
    try:
        for value in function(*arguments):
            _tell(channel, VALUE, json.dumps(value).encode())
    except (MemoryError, RecursionError, OSError):
        raise
    except Exception as failure:  # noqa: BLE001 - a bug of ours is told, and raised by the service
        _tell_failure(channel, failure)
        return
    finally:
        _limit(resource.RLIM_INFINITY)
    _tell(channel, DONE, json.dumps(time.process_time() - begun_s).encode())


def _limit(cpu_s: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, resource.RLIM_INFINITY))


def _tell_failure(channel: socket.socket, failure: Exception) -> None:
    _tell(channel, FAILED, json.dumps(f"{type(failure).__name__}: {failure}"[:300]).encode())


def _tell(channel: socket.socket, kind: bytes, body: bytes) -> None:
    channel.sendall(REPLY.pack(kind, len(body)) + body)
