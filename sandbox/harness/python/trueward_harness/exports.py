"""The candidate's end of the codec: what the tests hold of the solution, and what they have sent it.

Objects of the solution stay here and go out as numbers; the tests' own objects (records) and functions (callbacks)
are known here by the tests' numbers.
"""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from .containers import Shared
from .decoder import Decoder
from .encoder import SCALARS, Encoder, Node, Value, plain
from .exceptions import standard, standard_name
from .limits import Malformed
from .numpy_numbers import number as numpy_number
from .numpy_numbers import number_kind
from .operations import SPECIAL
from .records import assign, attributes
from .sealing import refuse_function

MUTABLE = frozenset({"list", "dict", "set", "bytearray", "ordereddict", "counter", "defaultdict", "deque", "record"})
_FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    types.ClassMethodDescriptorType,
    functools.partial,
    functools._lru_cache_wrapper,
)
Call = Callable[[int, tuple[object, ...], dict[str, object]], object]


class Objects:
    """What either end knows by number. ``call`` calls a function of the tests'; ``sealed``: see :mod:`.sealing`."""

    def __init__(self, solution: types.ModuleType, call: Call, sealed: bool = False) -> None:
        self.solution = solution
        self.sealed = sealed
        self.record_names: set[str] = set()
        self.records: dict[int, object] = {}
        self.record_numbers: dict[int, int] = {}
        self.callbacks: dict[int, object] = {}
        self.callback_nodes: dict[int, Node] = {}
        self.raised: dict[int, tuple[int, BaseException]] = {}
        """Exceptions that the tests' functions raised, by id: the tests' number of each."""
        self.shared = Shared()
        self._parts: dict[int, object] = {}
        self._part_numbers: dict[int, int] = {}
        self._call = call
        self._exported: list[object] = []
        self._numbers: dict[int, int] = {}

    def number(self, item: object) -> int:
        """The number that the tests know an object by."""
        number = self._numbers.get(id(item))
        if number is None:
            number = self._numbers[id(item)] = len(self._exported)
            self._exported.append(item)
        return number

    def get_exported(self, number: int) -> object:
        return self._exported[number]

    def part(self, number: int, make: Callable[[], Any]) -> Any:
        """The container of that number, which is negative where the tests made it; a new one where it is not known."""
        if number >= 0:
            return self._exported[number]
        if number not in self._parts:
            made = self._parts[number] = make()
            self._part_numbers[id(made)] = number
        return self._parts[number]

    def part_number(self, item: object) -> int:
        return self._part_numbers.get(id(item)) or self.number(item)

    def new_record(self, item: object) -> int:
        """The number of an object that becomes known to the tests by value: negative, as it was made here."""
        return self.keep_record(-1 - len(self.records), item)

    def keep_record(self, number: int, item: object) -> int:
        self.records[number] = item
        self.record_numbers[id(item)] = number
        return number

    def callback(self, number: int, name: str, iterator: bool) -> object:
        """A function that calls one of the tests', always the same one; or an iterator over it."""
        if number not in self.callbacks:

            def function(*args: object, **kwargs: object) -> object:
                return self._call(number, args, kwargs)

            function.__name__ = function.__qualname__ = name
            stub: object = _Iterator(function) if iterator else function
            self.callbacks[number] = stub
            self.callback_nodes[id(stub)] = ["callback-iterator" if iterator else "callback", number, name]
        return self.callbacks[number]

    def make_named_tuple(self, name: str, fields: tuple[str, ...]) -> type:
        """The solution's named tuple of that name and fields, else one like it."""
        found = vars(self.solution).get(name)
        if isinstance(found, type) and getattr(found, "_fields", None) == fields:
            return found
        return collections.namedtuple(name, fields)  # the tests' names, known only here

    def new(self, name: str) -> object:
        """An object of the solution's class of that name, else of a bare one, which the solution can then name."""
        found = vars(self.solution).get(name)
        if isinstance(found, type):
            try:
                return object.__new__(found)
            except TypeError:  # it is a class of another layout
                pass
        bare = type(name, (), {"__module__": "solution"})
        vars(self.solution).setdefault(name, bare)
        return bare()


class _Iterator:
    def __init__(self, step: Callable[[], object]) -> None:
        self._step = step

    def __iter__(self) -> _Iterator:
        return self

    def __next__(self) -> object:
        return self._step()


class Exporter(Encoder):
    """Encodes for the tests: everything crosses, as a number where it is no plain data."""

    def __init__(self, objects: Objects, first: int = 0, known: dict[int, int] | None = None) -> None:
        super().__init__(first, known)
        self._objects = objects
        self._sharing = False

    def share(self, item: object) -> Value:
        """The item encoded; the tests' copies of the containers in it are kept equal to them from now on."""
        self._sharing = True
        try:
            return self.value(item)
        finally:
            self._sharing = False

    def refresh(self) -> None:
        """Encodes what the solution has changed of shared containers that the request did not name."""
        for item in self._objects.shared.iter_changed():
            self.share(item)

    def _refreshed(self, item: object) -> Node:
        self._sharing = True
        try:
            begin = len(self.nodes)
            contents = self.node(item)
            self.complete(begin)
        finally:
            self._sharing = False
        return contents

    def node(self, item: object) -> Node:
        node = super().node(item)
        if not self._sharing or node[0] not in MUTABLE or node[0] == "record":
            return node
        number = self._objects.part_number(item)
        self._objects.shared.keep(number, item)
        return ["shared", number, *node]

    def foreign(self, item: object) -> Node:
        kind = type(item)
        objects = self._objects
        if id(item) in objects.callback_nodes:
            return objects.callback_nodes[id(item)]
        if id(item) in objects.record_numbers:
            return self._record(item, objects.record_numbers[id(item)])
        if isinstance(item, BaseException):
            return self.exception(item)
        if isinstance(item, type):
            return self._class(item)
        counted = numpy_number(item)
        derived = isinstance(item, tuple(SCALARS)) or counted is not None
        if not derived and kind.__module__ == "solution" and kind.__name__ in objects.record_names:
            return self._record(item, objects.new_record(item))
        number = objects.number(item)
        if isinstance(item, _FUNCTIONS):
            return ["function", number, _text(getattr(item, "__name__", ""))]
        if isinstance(item, types.ModuleType):
            return ["module", number, _text(item.__name__)]
        if kind.__module__ in ("builtins", "itertools") and (hasattr(kind, "__next__") or hasattr(kind, "__await__")):
            return ["iterator", number, kind.__name__]
        if kind is types.AsyncGeneratorType:
            return ["iterator", number, kind.__name__]
        if derived:
            value = plain(item) if counted is None else counted
            return ["valued", number, self.reference(kind), self.reference(value)]
        return ["object", number, self.reference(kind)]

    def exception(self, error: BaseException) -> Node:
        """The node of an exception, raised or not."""
        if id(error) in self._objects.raised:
            return ["raised", self._objects.raised[id(error)][0]]
        name = standard_name(type(error))
        return [
            "exception",
            name if name is not None else self.reference(type(error)),
            self.reference(_arguments(error)),
            self.reference({key: value for key, value in vars(error).items() if type(key) is str}),
            _printed(error),
            None if name is not None else self._objects.number(error),
        ]

    def _class(self, kind: type) -> Node:
        name = standard_name(kind)
        bases = (kind,) if name is not None else kind.__bases__
        return [
            "class",
            self._objects.number(kind),
            _text(kind.__name__),
            _text(kind.__module__),
            [number_kind(kind)] if number_kind(kind) else [self._base(base) for base in bases if base is not object],
            [special for special in SPECIAL if _has(kind, f"__{special}__")],
        ]

    def _base(self, base: type) -> Value:
        return standard_name(base) or (base.__name__ if base in SCALARS else self.reference(base))

    def _record(self, item: object, number: int) -> Node:
        node = ["record", number, type(item).__name__]
        for name, value in attributes(item):
            node += [name, self.reference(value)]
        return node

    def updates(self, nodes: Sequence[Node], objects: Sequence[object]) -> list[list[Any]]:
        """New contents of those mutable objects of a request that the solution has changed."""
        found = []
        for number, (node, item) in enumerate(zip(nodes, objects, strict=True)):
            if node[0] == "shared" and self._objects.shared.is_changed(node[1]):
                found.append([number, self._refreshed(item)])
            if node[0] in MUTABLE:
                begin = len(self.nodes)
                contents = self.node(item)
                self.complete(begin)
                if repr(contents) != repr(node):
                    found.append([number, contents])
        return found


def _has(kind: type, name: str) -> bool:
    """Whether a class has a special method that object does not give it, and that is not None."""
    for base in kind.__mro__:
        if name in base.__dict__:
            return base is not object and base.__dict__[name] is not None
    return False


def _text(name: object) -> str:
    return name[:200] if type(name) is str else ""


def _arguments(error: BaseException) -> tuple[object, ...]:
    """What an exception was made with; those of a group as a tuple, which is whole before the group is made."""
    if isinstance(error, BaseExceptionGroup):
        return (error.message, error.exceptions)
    return tuple(error.args)


def _printed(error: BaseException) -> str:
    try:
        return str(error)[:10_000]
    except BaseException:  # noqa: BLE001 - the solution's own __str__ may raise anything
        return ""


class Importer(Decoder):
    """Decodes what the tests sent."""

    def __init__(self, objects: Objects, nodes: object) -> None:
        self._known = objects
        super().__init__(nodes)

    @property
    def objects(self) -> Sequence[object]:
        """What each node stands for."""
        return self._objects

    def shell(self, node: Node) -> Any:
        if node[0] == "shared":
            return self._known.part(node[1], lambda: super(Importer, self).shell(node[2:]))
        if node[0] != "record":
            return super().shell(node)
        number, name = node[1], node[2]
        self._known.record_names.add(name)
        if number not in self._known.records:
            self._known.keep_record(number, self._known.new(name))
        return self._known.records[number]

    def fill(self, shell: Any, node: Node) -> None:
        if node[0] == "record":
            assign(shell, dict(zip(node[3::2], self.values(node[4::2]), strict=True)))
        elif node[0] == "shared":
            if len(node) > len(("shared", 0)):  # else the tests have not changed it
                super().fill(shell, node[2:])
                self._known.shared.keep(node[1], shell)
        else:
            super().fill(shell, node)

    def foreign(self, node: Node) -> Any:
        match node:
            case ["handle", number]:
                return self._known.get_exported(number)
            case ["callback" | "callback-iterator" as kind, number, name]:
                return self._known.callback(number, name, kind == "callback-iterator")
            case ["namedtuple", name, fields, values]:
                return self._known.make_named_tuple(name, tuple(self.value(fields)))(*self.value(values))
            case ["global", module, name]:
                found = functools.reduce(getattr, name.split("."), import_module(module))
                if self._known.sealed:
                    refuse_function(found)
                return found
            case ["path", name, text]:
                return getattr(import_module("pathlib"), name)(text)
            case ["exception", name, arguments, _, _, number]:
                kind = standard(name) or Exception
                error = kind(*self.value(arguments))
                if number is not None:
                    self._known.raised[id(error)] = (number, error)
                return error
        raise Malformed(f"a node of kind {node[0]}")
