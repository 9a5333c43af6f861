"""Runs a Python program in this very interpreter, as ``python3 -I file`` would.

What a fresh interpreter would do and this does not: other bytes of the hash seed in each run, and a
``sys.modules`` that holds only what the program imported.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import ctypes
import gc
import importlib.machinery
import os
import signal
import site
import sys
import threading
import types
import weakref
from collections.abc import Iterable
from typing import IO, NoReturn

from .root import HARNESS, WORK
from .syscalls import take_one_arena

_REHEARSAL = "trueward_harness.rehearsal"
_harness: dict[str, types.ModuleType] = {}


def preload(modules: tuple[str, ...], harness: tuple[str, ...]) -> None:
    """Imports what many programs import, and the harness; called once, before there is any program.

    The harness's modules are put aside under no name: only a program that names their folder can import them.
    """
    take_one_arena()
    site.main()  # the server itself started without it; programs expect site-packages, exit() and help()
    _import(modules)
    before = set(sys.modules)
    sys.path.insert(0, f"{HARNESS}/python")
    _import(harness)
    if _REHEARSAL in sys.modules:
        sys.modules[_REHEARSAL].rehearse()
    del sys.path[0]
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(HARNESS):
            _harness[name] = sys.modules.pop(name)


def call_itself(command: Iterable[str], start: int, end: int) -> None:
    """Writes a command line over this process's own, which lies at these addresses: it names the service's files."""
    text = b"\0".join(word.encode() for word in command)
    ctypes.memmove(start, text[: end - start].ljust(end - start, b"\0"), end - start)


def _import(names: Iterable[str]) -> None:
    for name in names:
        with contextlib.suppress(Exception):  # who needs a broken module imports it again, and is told why
            __import__(name)


def run(command: list[str], source: bytes) -> NoReturn:
    """``command``: the script's name in the working directory, and its arguments."""
    path = f"{WORK}/{command[0]}"
    sys.argv = list(command)
    sys.orig_argv = [sys.executable, "-I", *command]
    if HARNESS.encode() in source:
        sys.path.insert(0, f"{HARNESS}/python")
        sys.modules.update(_harness)
    main = types.ModuleType("__main__")
    main.__dict__.update(
        __file__=path,
        __builtins__=builtins,
        __loader__=importlib.machinery.SourceFileLoader("__main__", path),
        __annotations__={},
        __cached__=None,
    )
    sys.modules["__main__"] = main
    sys.setrecursionlimit(sys.getrecursionlimit() + _depth())
    gc.enable()
    code = _execute(source, path, main)
    known = weakref.ref(main)
    del main
    _end(code, known)


def _depth() -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def _execute(source: bytes, path: str, main: types.ModuleType) -> int:
    try:
        exec(compile(source, path, "exec", dont_inherit=True), main.__dict__)  # noqa: S102 - what a sandbox is for
    except SystemExit as leaving:
        return _exit_code(leaving.code)
    except BaseException as failure:  # noqa: BLE001 - the interpreter's own last handler
        traceback = failure.__traceback__
        failure.__traceback__ = traceback and traceback.tb_next
        try:
            sys.excepthook(type(failure), failure, failure.__traceback__)
        except BaseException:  # noqa: BLE001 - the program's own hook may raise anything
            sys.__excepthook__(type(failure), failure, failure.__traceback__)
        return -signal.SIGINT if isinstance(failure, KeyboardInterrupt) else 1
    return 0


def _exit_code(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -(2**63) <= code < 2**63 else 0xFF
    print(code, file=sys.stderr)
    return 1


def _end(code: int, main: weakref.ref[types.ModuleType]) -> NoReturn:
    """Ends the interpreter: threads, exit handlers, destructors of the program's globals, buffers.

    The destructors still see the globals, as they do in a fresh interpreter: nothing of ours holds these by then.
    """
    try:
        threading._shutdown()  # type: ignore[attr-defined]  # what the interpreter calls at its end
        atexit._run_exitfuncs()
        if not _flushed():
            code = code or 120
        if gc.isenabled():
            gc.collect()  # it brings a file before its buffer: else that is closed first, and loses what it holds
        sys.modules.pop("__main__", None)
        gc.collect()
        if (left := main()) is not None:
            left.__dict__.clear()
        _flushed()
        _flushed((sys.__stdout__, sys.__stderr__))  # a program may have kept these and put others in their place
    finally:
        if code == -signal.SIGINT:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        os._exit(code & 0xFF)


def _flushed(streams: tuple[IO[str] | None, ...] | None = None) -> bool:
    done = True
    for stream in (sys.stdout, sys.stderr) if streams is None else streams:
        try:
            if stream is not None and not _is_closed(stream):
                stream.flush()
        except BaseException:  # noqa: BLE001 - the program may have put anything in its place
            done = False
    return done


def _is_closed(stream: IO[str]) -> bool:
    try:
        return bool(stream.closed)
    except BaseException:  # noqa: BLE001 - what a program puts in its place need not say
        return False
