"""Plain data as flat tables of nodes (see PROTOCOL.md): exact builtin types, shared and cyclic.

Nothing here recurses, so depth costs nothing. An encoder for more than plain data is a subclass.
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from math import isfinite
from typing import Any

from .limits import Unencodable

Value = Any
"""A JSON scalar, or ``[i]``: node i."""

Node = list[Any]

_WIDEST = 2**53
FACTORIES: dict[str, type] = {
    kind.__name__: kind for kind in (bool, int, float, str, bytes, list, tuple, dict, set, frozenset)
}
SCALARS: dict[type, Callable[[Any], object]] = {
    int: int.__pos__,
    float: float.__pos__,
    str: str.__str__,
    bytes: lambda item: bytes.__getitem__(item, slice(None)),
    tuple: lambda item: tuple.__getitem__(item, slice(None)),
}
"""Immutable builtin types, and the plain value of an object of a class derived from one, past its own methods."""

_VIEWS = {type({}.keys()): "keys", type({}.values()): "values"}
_ITEMS: type = type({}.items())
_IMPORTED = {
    ("decimal", "Decimal"),
    ("fractions", "Fraction"),
    ("datetime", "date"),
    ("datetime", "time"),
    ("datetime", "datetime"),
    ("datetime", "timedelta"),
    ("datetime", "timezone"),
    ("uuid", "UUID"),
}


def plain(item: object) -> object:
    """The item, or the plain value of one whose class derives from int, float, str, bytes or tuple."""
    if type(item) not in SCALARS:
        for base, value in SCALARS.items():
            if isinstance(item, base) and type(item) is not bool:
                return value(item)
    return item


class Encoder:
    """Collects the nodes of one frame.

    ``first`` is the number of its first node; ``known`` gives objects that already have a number in the
    table which this one continues.
    """

    def __init__(self, first: int = 0, known: dict[int, int] | None = None) -> None:
        self.first = first
        self.nodes: list[Node] = []
        self.objects: list[object] = []
        """What each node stands for; also keeps them alive, as their ids are what tells them apart."""
        self._numbers: dict[int, int] = dict(known) if known else {}

    def value(self, item: object) -> Value:
        """The item encoded, with everything that it holds. Raises Unencodable."""
        begin = len(self.nodes)
        value = self.reference(item)
        self.complete(begin)
        return value

    def complete(self, begin: int) -> None:
        """Fills the nodes from that one on, and those that they refer to."""
        while begin < len(self.nodes):
            self.nodes[begin] = self.node(self.objects[begin])
            begin += 1

    def reference(self, item: object) -> Value:
        """A scalar, or the number of a node that is filled later."""
        kind = type(item)
        if kind is str or kind is bool or item is None:
            return item
        if kind is int and -_WIDEST < item < _WIDEST:  # type: ignore[operator]
            return item
        if kind is float and isfinite(item):  # type: ignore[arg-type]
            return item
        number = self._numbers.get(id(item))
        if number is None:
            number = self._numbers[id(item)] = self.first + len(self.nodes)
            self.nodes.append([])
            self.objects.append(item)
        return [number]

    def node(self, item: object) -> Node:
        """One object's node; what it holds is referred to."""
        kind = type(item)
        plain = _NODES.get(kind)
        if plain is None:
            name = (kind.__module__, kind.__qualname__)
            if name in _IMPORTED and kind is getattr(sys.modules.get(name[0]), name[1], None):
                plain = _NODES[kind] = globals()[f"_{name[1].lower()}_node"]
            else:
                return self.foreign(item)
        return plain(item, self.reference)

    def foreign(self, item: object) -> Node:
        """The node of what is no plain data. Raises Unencodable."""
        raise Unencodable(f"a {type(item).__name__[:100]} is no plain data")


Refer = Callable[[object], Value]


def _int_node(item: Any, refer: Refer) -> Node:
    return ["int", format(item, "x")]


def _float_node(item: Any, refer: Refer) -> Node:
    return ["float", repr(item)]


def _pairs(items: Iterable[tuple[object, object]], refer: Refer) -> Iterator[Value]:
    for key, value in items:
        yield refer(key)
        yield refer(value)


def _sequence(kind: str) -> Callable[[Any, Refer], Node]:
    return lambda item, refer: [kind, *map(refer, item)]


def _mapping(kind: str) -> Callable[[Any, Refer], Node]:
    return lambda item, refer: [kind, *_pairs(item.items(), refer)]


def _defaultdict_node(item: Any, refer: Refer) -> Node:
    factory = item.default_factory
    named = type(factory) is type and FACTORIES.get(factory.__name__) is factory
    return ["defaultdict", factory.__name__ if named else refer(factory), *_pairs(item.items(), refer)]


def _decimal_node(item: Any, refer: Refer) -> Node:
    return ["decimal", str(item)]


def _fraction_node(item: Any, refer: Refer) -> Node:
    return ["fraction", refer(item.numerator), refer(item.denominator)]


def _date_node(item: Any, refer: Refer) -> Node:
    return ["date", item.year, item.month, item.day]


def _clock(item: Any, refer: Refer) -> Node:
    zone = item.tzinfo
    if zone is not None and type(zone) is not getattr(sys.modules["datetime"], "timezone"):  # noqa: B009
        raise Unencodable("a time zone other than a fixed offset is no plain data")
    return [item.hour, item.minute, item.second, item.microsecond, item.fold, refer(zone)]


def _time_node(item: Any, refer: Refer) -> Node:
    return ["time", *_clock(item, refer)]


def _datetime_node(item: Any, refer: Refer) -> Node:
    return ["datetime", item.year, item.month, item.day, *_clock(item, refer)]


def _timedelta_node(item: Any, refer: Refer) -> Node:
    return ["timedelta", item.days, item.seconds, item.microseconds]


def _timezone_node(item: Any, refer: Refer) -> Node:
    arguments = item.__getinitargs__()
    return ["timezone", refer(arguments[0]), arguments[1] if len(arguments) > 1 else None]


def _uuid_node(item: Any, refer: Refer) -> Node:
    return ["uuid", item.hex]


_NODES: dict[type, Callable[[Any, Refer], Node]] = {
    int: _int_node,
    float: _float_node,
    complex: lambda item, refer: ["complex", refer(item.real), refer(item.imag)],
    bytes: lambda item, refer: ["bytes", item.hex()],
    bytearray: lambda item, refer: ["bytearray", item.hex()],
    list: _sequence("list"),
    tuple: _sequence("tuple"),
    set: _sequence("set"),
    frozenset: _sequence("frozenset"),
    dict: _mapping("dict"),
    OrderedDict: _mapping("ordereddict"),
    Counter: _mapping("counter"),
    defaultdict: _defaultdict_node,
    deque: lambda item, refer: ["deque", item.maxlen, *map(refer, item)],
    _ITEMS: lambda item, refer: ["items", *_pairs(item, refer)],
    range: lambda item, refer: ["range", refer(item.start), refer(item.stop), refer(item.step)],
    slice: lambda item, refer: ["slice", refer(item.start), refer(item.stop), refer(item.step)],
    **{view: _sequence(kind) for view, kind in _VIEWS.items()},
}
