"""The host's end of calls: requests out, results in, which are an attacker's until they are decoded.

A value of the wire becomes plain data only; it is bounded so that comparing, hashing or printing it on the host
takes no longer than its size: no cycles, no deep nesting, no part that is written once and counts a thousand times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sandbox.harness.python.trueward_harness.channel import Frame, pack_frame, parse_frame
from sandbox.harness.python.trueward_harness.decoder import Decoder, inner_first
from sandbox.harness.python.trueward_harness.encoder import Encoder, Node
from sandbox.harness.python.trueward_harness.limits import Malformed

DEPTH = 200
"""Nesting of a result."""

ITEMS = 1_000_000
"""Items of a result, each counted as often as it occurs."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of ``f`` or of ``Class.method``: on the class where static, else on a fresh instance."""

    function: str
    args: Sequence[object] = ()
    kwargs: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MethodCall:
    """One method of an object that is made once and keeps its state between calls."""

    method: str
    args: Sequence[object] = ()
    kwargs: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Instance:
    """An object and the methods to call on it, in order: one result for each method."""

    name: str
    methods: Sequence[MethodCall]
    args: Sequence[object] = ()
    kwargs: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Returned:
    """A call's result: plain data."""

    value: object


@dataclass(frozen=True, slots=True)
class Raised:
    """A call ended by an exception of that class; both texts are the candidate's."""

    type: str
    message: str


@dataclass(frozen=True, slots=True)
class NotPlain:
    """A call gave something that is no plain data, or too much of it."""

    reason: str


Result = Returned | Raised | NotPlain


def encode_calls(calls: Sequence[Call | Instance]) -> bytes:
    """Standard input for a program of :func:`calls_program`. Raises Unencodable for what is no plain data."""
    return b"".join(pack_frame(frame) for call in calls for frame in _frames(call))


def _frames(call: Call | Instance) -> Iterator[Frame]:
    if isinstance(call, Call):
        yield {"op": "function", "function": call.function, **_arguments(call)}
        return
    yield {"op": "new", "class": call.name, **_arguments(call)}
    for method in call.methods:
        yield {"op": "method", "method": method.method, **_arguments(method)}


def _arguments(call: Call | MethodCall | Instance) -> Frame:
    encoder = Encoder()
    args = [encoder.value(item) for item in call.args]
    kwargs = {name: encoder.value(item) for name, item in call.kwargs.items()}
    return {"args": args, "kwargs": kwargs, "nodes": encoder.nodes}


def results_of(stdout: bytes) -> Iterator[Result]:
    """The results on a program's standard output, in order; from the first that is cut or broken on, none.

    It takes time in proportion to the output, with a factor that an attacker chooses within bounds: in a service it
    belongs into a process that can be killed.
    """
    position = 0
    while position + 4 <= len(stdout):
        length = int.from_bytes(stdout[position : position + 4], "big")
        body = stdout[position + 4 : position + 4 + length]
        if len(body) < length:
            return
        try:
            result = _result(parse_frame(body))
        except Malformed:
            return
        yield result
        position += 4 + length


def _result(frame: Frame) -> Result:
    match frame:
        case {"op": "return"}:
            try:
                return Returned(_Bounded(frame.get("nodes")).value(frame.get("value")))
            except Malformed as refusal:
                return NotPlain(str(refusal))
        case {"op": "raise", "type": str(kind), "message": str(message)}:
            return Raised(kind[:200], message[:2000])
        case {"op": "not_plain", "reason": str(reason)}:
            return NotPlain(reason[:500])
    raise Malformed("a result is none")


class _Bounded(Decoder):
    """Plain data that is a tree of bounded size and depth; other languages' kinds become Python's nearest."""

    def __init__(self, nodes: object) -> None:
        super().__init__(nodes)
        self._measure()

    def shell(self, node: Node) -> Any:
        return super().shell(["dict"] if node[0] == "map" else node)

    def fill(self, shell: Any, node: Node) -> None:
        super().fill(shell, ["dict", *node[1:]] if node[0] == "map" else node)

    def foreign(self, node: Node) -> Any:
        if node == ["undefined"]:
            return None
        return super().foreign(node)

    def _measure(self) -> None:
        """Raises Malformed where some value is cyclic, too deep or too large."""
        sizes: dict[int, tuple[int, int]] = {}
        for number in inner_first(range(len(self._nodes)), lambda number: self._parts(self._nodes[number]), sizes):
            items, depth = len(self._nodes[number]), 0
            for part in self._parts(self._nodes[number]):
                more, deeper = sizes[part]
                items += more
                depth = max(depth, deeper)
            if items > ITEMS or depth >= DEPTH:
                raise Malformed("a result is too large or too deep")
            sizes[number] = (items, depth + 1)
