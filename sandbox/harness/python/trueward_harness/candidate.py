"""The candidate's process of a pair: loads ``solution.py`` and answers what the tests ask (see PROTOCOL.md).

Nothing here judges and nothing here is trusted: a solution that patches, floods or ends this process only spoils
its own answers.
"""

from __future__ import annotations

import io
import os
import sys
import threading
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, NoReturn

from .channel import Channel, Frame, take_channel
from .exceptions import standard_name
from .exports import Exporter, Importer, Objects
from .limits import Malformed
from .loading import deepen, load_solution
from .operations import AWAITED, BINARY, UNARY, Operation
from .sealing import refuse_attribute, refuse_function

_PRINTED = 2**16
"""Characters of printed output that go along with one answer."""


class _Printed(io.BytesIO):
    """What the solution prints. It stays open: one that closes or replaces ``sys.stdout`` would close it as well."""

    def close(self) -> None:
        pass


class Server:
    """Answers one request after the other; a function of the tests' may be called in between.

    ``sealed``: not how the solution is written (:mod:`.sealing`).
    """

    def __init__(self, channel: Channel, sealed: bool = False) -> None:
        self._channel = channel
        self._lock = threading.RLock()  # threads of the solution may call functions of the tests'
        self._printed = _Printed()
        self._loop: Any = None
        self._objects = Objects(sys, self.call, sealed)

    def serve(self) -> NoReturn:
        """Loads the solution and answers until the tests' end closes the channel."""
        sys.stdout = io.TextIOWrapper(self._printed, "utf-8", errors="surrogateescape", write_through=True)
        try:
            solution = load_solution()
        except BaseException as failure:  # noqa: BLE001 - whatever a solution raises at its top level is the answer
            self._send({"op": "raise", **self._raised(failure, Exporter(self._objects)), "updates": []})
        else:
            self.hold(solution)
        while True:
            self.answer()

    def hold(self, solution: ModuleType) -> None:
        """Serves this solution from now on, and says so."""
        self._objects.solution = solution
        functions = {
            name: self._objects.number(item)
            for name, item in list(vars(solution).items())
            if type(item) is FunctionType and type(name) is str
        }
        kinds = [item for item in list(vars(solution).values()) if isinstance(item, type)]
        errors = [name for kind in kinds if (name := standard_name(kind)) is not None]
        self._send({"op": "ready", "functions": functions, "errors": errors})

    def answer(self) -> None:
        """Answers the next request, or ends the process where there is none any more."""
        self._answer(self._receive())

    def call(self, number: int, arguments: tuple[object, ...], named: dict[str, object]) -> object:
        """Calls a function of the tests'."""
        with self._lock:
            encoder = Exporter(self._objects)
            args = [encoder.value(item) for item in arguments]
            kwargs = {name: encoder.value(item) for name, item in named.items()}
            self._send({"op": "callback", "id": number, "args": args, "kwargs": kwargs, "nodes": encoder.nodes})
            while True:
                frame = self._receive()
                if frame["op"] == "return":
                    return Importer(self._objects, frame["nodes"]).value(frame["value"])
                if frame["op"] == "raise":
                    raise Importer(self._objects, frame["nodes"]).value(frame["error"])
                self._answer(frame)

    def _receive(self) -> Frame:
        try:
            return self._channel.receive()
        except (EOFError, OSError, Malformed):
            sys.stderr.flush()
            os._exit(0)  # the tests are over: neither threads nor exit handlers of the solution hold the end up

    def _send(self, frame: Frame) -> None:
        printed = self._printed.getvalue()
        if printed:
            self._printed.seek(0)
            self._printed.truncate()
            frame["output"] = printed.decode("utf-8", "replace")[:_PRINTED]
        try:
            self._channel.send(frame)
        except OSError:
            os._exit(0)

    def _answer(self, frame: Frame) -> None:
        imported = Importer(self._objects, frame["nodes"])
        known = {id(item): number for number, item in enumerate(imported.objects)}
        encoder = Exporter(self._objects, len(imported.objects), known)
        try:
            try:
                result = self._performed(frame, imported)
            except BaseException as failure:  # noqa: BLE001 - SystemExit and the like are answers too
                reply = {"op": "raise", **self._raised(failure, encoder)}
            else:
                part = frame["op"] == "get" or frame.get("name") == "getitem"
                reply = {"op": "return", "value": encoder.share(result) if part else encoder.value(result)}
            reply["updates"] = encoder.updates(frame["nodes"], imported.objects)
            encoder.refresh()
            self._send({**reply, "nodes": encoder.nodes})
        except Exception as refusal:  # noqa: BLE001 - too large, or methods of the solution's that raise on the way
            self._send({"op": "not_plain", "reason": str(refusal)[:500]})

    def _raised(self, failure: BaseException, encoder: Exporter) -> Frame:
        failure.__traceback__ = None
        return {"error": encoder.value(failure), "nodes": encoder.nodes}

    def _performed(self, frame: Frame, imported: Importer) -> object:
        match frame:
            case {"op": "call", "on": on, "name": name, "args": args, "kwargs": kwargs}:
                target = imported.value(on) if on is not None else self._objects.solution
                if name is not None:
                    self._check_name(target, name)
                    target = getattr(target, name)
                named = {key: imported.value(value) for key, value in kwargs.items()}
                if self._objects.sealed:
                    refuse_function(target)
                return target(*imported.values(args), **named)  # type: ignore[operator]  # a TypeError is the answer
            case {"op": "get" | "set" | "delete" as operation, "on": on, "name": name}:
                target = imported.value(on) if on is not None else self._objects.solution
                self._check_name(target, name)
                if operation == "get":
                    return getattr(target, name)
                if operation == "set":
                    setattr(target, name, imported.value(frame["value"]))
                else:
                    delattr(target, name)
                return None
            case {"op": "special", "name": name, "args": args}:
                return self._special(name, imported.values(args))
            case {"op": "names"}:
                names = getattr(self._objects.solution, "__all__", None)
                return [str(name) for name in (vars(self._objects.solution) if names is None else names)]
            case {"op": "environ", "values": values}:
                for name, text in values.items():
                    if text is None:
                        os.environ.pop(name, None)
                    else:
                        os.environ[name] = text
                return None
            case {"op": "records", "names": names}:
                self._objects.record_names = set(names)
                return None
        raise Malformed("an unknown operation")

    def _check_name(self, target: object, name: str) -> None:
        """Raises AttributeError for an attribute that the tests may not ask for."""
        if self._objects.sealed:
            refuse_attribute(target, name)

    def _special(self, name: str, arguments: list[Any]) -> object:
        if name in UNARY:
            return UNARY[name](*arguments)
        if name in BINARY:
            return BINARY[name](*arguments)
        if name in ("copy", "deepcopy"):
            return getattr(import_module("copy"), name)(*arguments)
        return self._awaited(AWAITED[name], arguments)

    def _awaited(self, operation: Operation, arguments: list[Any]) -> object:
        """Runs one asynchronous step to its end, on an event loop that is kept for the next."""
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()

        async def step() -> object:
            return await operation(*arguments)

        return self._loop.run_until_complete(step())


def main(sealed: bool = False) -> NoReturn:
    """Serves until the channel closes."""
    deepen()
    Server(take_channel(), sealed).serve()
