"""The candidate's process where the host itself compares: calls come in, results go out (see PROTOCOL.md)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

from .channel import Channel, Frame, take_channel
from .decoder import Decoder
from .encoder import Encoder, Node, Value, plain
from .limits import Malformed, Unencodable
from .loading import deepen, load_solution
from .numpy_numbers import number

_CONTAINERS: dict[type, Callable[[Any], object]] = {
    list: lambda item: list.__getitem__(item, slice(None)),
    dict: dict.copy,
    set: lambda item: set(set.__iter__(item)),
    frozenset: lambda item: frozenset(frozenset.__iter__(item)),
}


class _Plain(Encoder):
    """Objects of classes derived from plain ones go as plain ones: here nobody asks for their methods."""

    def reference(self, item: object) -> Value:
        counted = number(item)
        if counted is None:
            return super().reference(plain(item))
        # one that is true or false is no 1 or 0
        return super().reference(bool(counted) if type(item).__name__.startswith("bool") else counted)

    def foreign(self, item: object) -> Node:
        for base, whole in _CONTAINERS.items():
            if isinstance(item, base):
                return self.node(whole(item))
        return super().foreign(item)


class Calls:
    """Makes the calls in order, on functions, on fresh instances, or on the instance that was made last."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._solution: ModuleType | None = None
        self._failure: BaseException | None = None
        self._instance: Any = None

    def serve(self) -> NoReturn:
        """Loads the solution and answers until the end of the input."""
        try:
            self._solution = load_solution()
        except BaseException as failure:  # noqa: BLE001 - whatever a solution raises at its top level is the answer
            self._failure = failure
        while True:
            try:
                frame = self._channel.receive()
            except (EOFError, OSError, Malformed):
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(0)  # neither threads nor exit handlers of the solution hold the end up
            reply = self._reply(frame)
            if frame["op"] != "new":
                self._send(reply)

    def _reply(self, frame: Frame) -> Frame:
        if frame["op"] != "method" and self._solution is not None:
            self._failure = None
        if self._failure is not None:
            return _raised(self._failure)
        try:
            imported = Decoder(frame["nodes"])
            target = self._target(frame)
            named = {name: imported.value(value) for name, value in frame["kwargs"].items()}
            result = target(*imported.values(frame["args"]), **named)
        except BaseException as failure:  # noqa: BLE001 - SystemExit and the like are answers too
            if frame["op"] == "new":
                self._failure = failure
            return _raised(failure)
        if frame["op"] == "new":
            self._instance = result
            return {}
        try:
            encoder = _Plain()
            return {"op": "return", "value": encoder.value(result), "nodes": encoder.nodes}
        except Exception as refusal:  # noqa: BLE001 - methods of the solution's may run and raise here
            return {"op": "not_plain", "reason": str(refusal)[:500]}

    def _target(self, frame: Frame) -> Any:
        match frame:
            case {"op": "function", "function": path}:
                return self._named(path)
            case {"op": "new", "class": name}:
                return getattr(self._solution, name)
            case {"op": "method", "method": name}:
                return getattr(self._instance, name)
        raise Malformed("an unknown operation")

    def _named(self, path: str) -> Any:
        *classes, name = path.split(".")
        holder: Any = self._solution
        for part in classes:
            holder = getattr(holder, part)
        if isinstance(holder, type):
            method = next((base.__dict__[name] for base in holder.__mro__ if name in base.__dict__), None)
            if not isinstance(method, staticmethod | classmethod):
                holder = holder()
        return getattr(holder, name)

    def _send(self, reply: Frame) -> None:
        try:
            self._channel.send(reply)
        except Unencodable as refusal:
            self._channel.send({"op": "not_plain", "reason": str(refusal)})


def _raised(failure: BaseException) -> Frame:
    try:
        message = str(failure)[:2000]
    except BaseException:  # noqa: BLE001 - the solution's own __str__ may raise anything
        message = ""
    return {"op": "raise", "type": type(failure).__name__[:200], "message": message}


def main() -> NoReturn:
    """Serves until standard input ends."""
    deepen()
    Calls(take_channel()).serve()
