"""Plain data out of flat tables of nodes (see PROTOCOL.md): nothing but data is ever made of what comes in.

One pass, linear in the table's length: each part of a node is looked at once, each object is made once. Nothing here
recurses, so depth costs nothing; what could recurse or explode in what Python does later (hashing nested tuples, also
one tuple as a part of many sets, equal hashes, huge exponents) is bounded. A decoder for more than plain data is a
subclass.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

from .encoder import FACTORIES, Node, Value
from .limits import (
    ALL_HASHED_ITEMS,
    DECIMAL_EXPONENT,
    EQUAL_HASHES,
    HASHED_DEPTH,
    HASHED_ITEMS,
    Malformed,
)


class Decoder:
    """The objects of one table. Raises Malformed for everything that is not as PROTOCOL.md says.

    ``known`` are the objects of the table that this one continues; ``updates`` new contents for them.
    """

    def __init__(self, nodes: object, known: Sequence[object] = (), updates: object = ()) -> None:
        self._first = len(known)
        self._nodes = _checked(nodes)
        self._updates = [(self._updated(pair), pair[1]) for pair in _rows(updates)]
        self._objects: list[object] = [*known, *([None] * len(self._nodes))]
        self._sizes: dict[int, tuple[int, int]] = {}
        """Items (each as often as it occurs) and depth of each finished object, mutable ones counted as one."""
        self._hashed = 0
        try:
            self._decode()
        except Malformed:
            raise
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as failure:
            raise Malformed(f"a node cannot be read: {type(failure).__name__}") from failure

    def value(self, value: Value) -> Any:
        """What a value of the frame stands for."""
        if type(value) is dict:
            raise Malformed("a value is none")
        if type(value) is not list:
            return value
        return self._objects[self._number(value)]

    def values(self, values: object) -> list[Any]:
        """The same of a list of values."""
        if type(values) is not list:
            raise Malformed("a list of values is missing")
        if dict in map(type, values):
            raise Malformed("a value is none")
        objects = self._objects
        return [value if type(value) is not list else objects[self._number(value)] for value in values]

    def _decode(self) -> None:
        shells = []
        for number, node in enumerate(self._nodes, self._first):
            shell = self.shell(node)
            if shell is not None:
                self._objects[number] = shell
                self._sizes[number] = (1, 0)
                shells.append((shell, node))
        for number in inner_first(range(self._first, len(self._objects)), self._built_parts, self._sizes):
            self._build(number)
        filled = [*shells, *((self._objects[number], node) for number, node in self._updates)]
        for shell, node in filled:
            if not _hashes(shell):
                self.fill(shell, node)
        # the inner ones have the higher numbers: what is hashed should be complete by then
        for shell, node in reversed(filled):
            if _hashes(shell):
                self._count_hashed(sum(self._sizes.get(part, (1, 0))[0] for part in self._parts(node)))
                self.fill(shell, node)

    def _build(self, number: int) -> None:
        """Builds an immutable object, whose parts are there."""
        node = self._nodes[number - self._first]
        items, depth = len(node), 0
        for part in self._built_parts(number):
            more, deeper = self._sizes[part]
            items += more
            depth = max(depth, deeper)
        if items > HASHED_ITEMS or depth >= HASHED_DEPTH:
            raise Malformed("an immutable object is too large or too deep")
        if node[0] in _HASHING:
            self._count_hashed(items)
        self._objects[number] = self.build(node)
        self._sizes[number] = (items, depth + 1)

    def _built_parts(self, number: int) -> Iterator[int]:
        """The parts of a node of this table that are in this table."""
        return (part for part in self._parts(self._nodes[number - self._first]) if part >= self._first)

    def _count_hashed(self, items: int) -> None:
        """Python does not remember the hash of a tuple: one that is a key of many dicts is hashed whole for each."""
        self._hashed += items
        if self._hashed > ALL_HASHED_ITEMS:
            raise Malformed("too much is hashed")

    def _parts(self, node: Node) -> Iterator[int]:
        for item in node:
            if type(item) is list:
                if len(item) == 1 and type(item[0]) is int:
                    yield self._number(item)
                else:
                    for inner in item:
                        if type(inner) is list:
                            yield self._number(inner)

    def _number(self, reference: list[Any]) -> int:
        if len(reference) != 1 or type(reference[0]) is not int or not 0 <= reference[0] < len(self._objects):
            raise Malformed("a reference leads nowhere")
        return reference[0]

    def _updated(self, pair: list[Any]) -> int:
        if len(pair) != 2 or type(pair[0]) is not int or not 0 <= pair[0] < self._first:
            raise Malformed("an update is for nothing")
        _checked([pair[1]])
        return pair[0]

    def shell(self, node: Node) -> Any:
        """An empty mutable object for a node that stands for one, else None."""
        kind = node[0]
        if kind == "defaultdict":
            return defaultdict(None)
        if kind == "deque":
            return deque(maxlen=node[1])
        make = _SHELLS.get(kind)
        return None if make is None else make()

    def fill(self, shell: Any, node: Node) -> None:
        """Gives a mutable object the contents that the node says, in place of those it has."""
        kind: object = type(shell)
        if _FILLED.get(node[0]) is not kind:
            raise Malformed("an update is of another kind")
        if node[0] == "bytearray":
            shell[:] = bytes.fromhex(node[1])
            return
        shell.clear()
        if node[0] in ("list", "deque"):
            shell.extend(self.values(node[1 if node[0] == "list" else 2 :]))
        elif node[0] == "set":
            shell.update(_hashable(self.values(node[1:])))
        elif node[0] == "defaultdict":
            factory = FACTORIES[node[1]] if type(node[1]) is str else self.value(node[1])
            if factory is not None and not callable(factory):
                raise Malformed("a factory is none")
            shell.default_factory = factory
            self._fill_pairs(shell, node[2:])
        else:
            self._fill_pairs(shell, node[1:])

    def _fill_pairs(self, shell: dict[object, object], items: list[Any]) -> None:
        values = self.values(items)
        if len(values) % 2:
            raise Malformed("a key has no value")
        _hashable(values[::2])
        update = dict.update if type(shell) is Counter else type(shell).update  # that of a Counter adds up
        update(shell, zip(values[::2], values[1::2], strict=True))

    def build(self, node: Node) -> Any:
        """The immutable object of a node whose parts are there."""
        kind = node[0]
        make = _BUILDS.get(kind)
        if make is not None:
            return make(self.values(node[1:]))
        return self.foreign(node)

    def foreign(self, node: Node) -> Any:
        """What a node stands for that is no plain data. Raises Malformed."""
        raise Malformed("a node is of an unknown kind")


def inner_first(
    numbers: Iterable[int], parts_of: Callable[[int], Iterator[int]], done: Container[int]
) -> Iterator[int]:
    """Each number, and those that it is made of, once, after its own parts; without those that are done.

    The caller adds each to ``done`` before it takes the next. Raises Malformed where one is made of itself.
    """
    for start in numbers:
        if start in done:
            continue
        path, open_numbers = [(start, parts_of(start))], {start}
        while path:
            number, parts = path[-1]
            missing = next((part for part in parts if part not in done), None)
            if missing is None:
                path.pop()
                open_numbers.discard(number)
                yield number
            elif missing in open_numbers:
                raise Malformed("an object is made of itself")
            else:
                path.append((missing, parts_of(missing)))
                open_numbers.add(missing)


def _checked(nodes: object) -> list[Node]:
    for node in (rows := _rows(nodes)):
        if not node or type(node[0]) is not str or dict in map(type, node):
            raise Malformed("a node is none")
    return rows


def _rows(rows: object) -> list[list[Any]]:
    if type(rows) is not list and rows != ():
        raise Malformed("a table is missing")
    assert isinstance(rows, list | tuple)
    if any(type(row) is not list for row in rows):
        raise Malformed("a table's row is no list")
    return list(rows)


def _hashes(shell: object) -> bool:
    return isinstance(shell, set | dict)


def _hashable(items: Sequence[object]) -> Sequence[object]:
    """The same items, after a check that they do not make a hash table quadratic."""
    if len(items) > EQUAL_HASHES:
        most = Counter(map(hash, items)).most_common(1)
        if most[0][1] > EQUAL_HASHES:
            raise Malformed("too many keys have the same hash")
    return items


def _built_int(items: list[Any]) -> int:
    (digits,) = items
    if not digits.lstrip("-").isalnum():
        raise Malformed("an integer is not in hexadecimal")
    return int(digits, 16)


def _built_float(items: list[Any]) -> float:
    (name,) = items
    if name not in ("nan", "inf", "-inf", "-0"):
        raise Malformed("a float is none of the special ones")
    return float(name)


def _built_complex(items: list[Any]) -> complex:
    real, imaginary = items
    return complex(float(real), float(imaginary))


def _built_decimal(items: list[Any]) -> object:
    (text,) = items
    if type(text) is not str:
        raise Malformed("a decimal is no text")
    number = import_module("decimal").Decimal(text)
    if number.is_finite() and abs(number.adjusted()) > DECIMAL_EXPONENT:
        raise Malformed("a decimal's exponent is too large")
    return number


def _built_fraction(items: list[Any]) -> object:
    numerator, denominator = items
    if type(numerator) is not int or type(denominator) is not int:
        raise Malformed("a fraction is not of integers")
    return import_module("fractions").Fraction(numerator, denominator)


def _built_time(items: list[Any]) -> object:
    *clock, fold, zone = items
    return import_module("datetime").time(*clock, zone, fold=fold)


def _built_datetime(items: list[Any]) -> object:
    *clock, fold, zone = items
    return import_module("datetime").datetime(*clock, zone, fold=fold)


def _built_timezone(items: list[Any]) -> object:
    offset, name = items
    arguments = (offset,) if name is None else (offset, name)
    return import_module("datetime").timezone(*arguments)


def _built_uuid(items: list[Any]) -> object:
    (digits,) = items
    if type(digits) is not str:
        raise Malformed("a UUID is no text")
    return import_module("uuid").UUID(hex=digits)


def _built_items(items: list[Any]) -> object:
    return dict(zip(_hashable(items[::2]), items[1::2], strict=True)).items()


_SHELLS: dict[str, type] = {
    "list": list,
    "dict": dict,
    "set": set,
    "bytearray": bytearray,
    "ordereddict": OrderedDict,
    "counter": Counter,
}
_FILLED: dict[str, type] = {"defaultdict": defaultdict, "deque": deque, **_SHELLS}
_HASHING = frozenset({"frozenset", "keys", "items"})
"""Immutable kinds that hash their parts when they are built."""
_BUILDS: dict[str, Callable[[list[Any]], object]] = {
    "int": _built_int,
    "float": _built_float,
    "complex": _built_complex,
    "bytes": lambda items: bytes.fromhex(*items),
    "tuple": tuple,
    "frozenset": lambda items: frozenset(_hashable(items)),
    "keys": lambda items: dict.fromkeys(_hashable(items)).keys(),
    "values": lambda items: dict(enumerate(items)).values(),
    "items": _built_items,
    "range": lambda items: range(*items),
    "slice": lambda items: slice(*items),
    "decimal": _built_decimal,
    "fraction": _built_fraction,
    "date": lambda items: import_module("datetime").date(*items),
    "time": _built_time,
    "datetime": _built_datetime,
    "timedelta": lambda items: import_module("datetime").timedelta(*items),
    "timezone": _built_timezone,
    "uuid": _built_uuid,
}
