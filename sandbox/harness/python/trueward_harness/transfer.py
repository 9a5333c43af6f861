"""The tests' end of the codec: what may go out, and what is made of the candidate's nodes.

Going out: plain data; the candidate's own things by their number; objects of the tests' classes by value; functions
and iterators of the tests' as numbers that the candidate can call; standard functions by name. Coming in: plain
data and stand-ins (``remote``), nothing else: no name of a module or function of this process can come in.
"""

from __future__ import annotations

import builtins
import io
import sys
import types
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from .containers import KINDS, parts
from .decoder import Decoder
from .encoder import SCALARS, Encoder, Node, Value, plain
from .exceptions import standard, standard_name
from .limits import Malformed
from .records import assign, attributes
from .remote import (
    SHOWN_AS,
    Link,
    Remote,
    RemoteAsyncIterator,
    RemoteClass,
    RemoteCoroutine,
    RemoteError,
    RemoteFunction,
    RemoteIterator,
    Valued,
    methods,
    number,
)
from .surroundings import is_path

if TYPE_CHECKING:
    from .session import Session

CLASSES = 1000
"""Classes of the candidate's that get a stand-in."""

CLASS_NAME = 1000
"""Characters of a class's name and its module's; a candidate's end sends at most 200 of each."""

_DIRECT = frozenset({bool, int, float, str, bytes, tuple, list, dict, set, type(None)})
_SCALARS = {kind.__name__: kind for kind in SCALARS}
_TEXTUAL = ("str", "repr", "format", "call")
_ITERATORS = {"coroutine": RemoteCoroutine, "async_generator": RemoteAsyncIterator}


class Sender(Encoder):
    """Encodes a request. Raises Unencodable for what cannot cross."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._parts: set[int] = set()

    def share(self, *items: object) -> None:
        """The containers among them are to be kept equal to those that the candidate makes of them."""
        self._parts.update(id(item) for item in items if type(item) in KINDS)

    def reference(self, item: object) -> Value:
        kind = type(item)
        if kind not in _DIRECT and number(item) is None and not hasattr(kind, "_fields"):
            item = plain(item)
        return super().reference(item)

    def node(self, item: object) -> Node:
        shared = self._session.shared
        number = shared.numbers.get(id(item)) if shared else None
        if number is None and id(item) not in self._parts:
            return super().node(item)
        if number is None:
            number = self._session.part_number()
        elif not shared.is_changed(number):
            return ["shared", number]
        shared.keep(number, item)
        self._parts.update(map(id, parts(item)))
        return ["shared", number, *super().node(item)]

    def foreign(self, item: object) -> Node:
        held = number(item)
        if held is not None:
            return ["handle", held]
        kind = type(item)
        if isinstance(item, BaseException):
            return self.exception(item, None)
        if isinstance(item, tuple) and hasattr(kind, "_fields"):
            return ["namedtuple", kind.__name__, self.reference(kind._fields), self.reference(tuple(item))]
        if (name := _standard_path(item)) is not None:
            return ["global", *name]
        if is_path(item):
            return ["path", kind.__name__, str(item)]
        if callable(item):
            return ["callback", self._session.callback(item, item), _name(item)]
        if hasattr(kind, "__next__") and not isinstance(item, io.IOBase):
            return ["callback-iterator", self._session.callback(item, kind.__next__.__get__(item)), "next"]
        if is_record(kind):
            node = ["record", self._session.record(item), kind.__name__]
            for key, value in attributes(item):
                node += [key, self.reference(value)]
            return node
        return super().foreign(item)

    def exception(self, error: BaseException, raised: int | None) -> Node:
        """An exception as the nearest standard one."""
        names = (standard_name(kind) for kind in type(error).__mro__)
        name = next((name for name in names if name is not None), "Exception")
        return ["exception", name, self.reference(tuple(error.args)), self.reference({}), str(error), raised]


_HEAP = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class that Python code made


def is_record(kind: type) -> bool:
    """Whether a class is one of the tests' own, whose objects are their attributes."""
    own = kind.__module__.partition(".")[0] not in sys.stdlib_module_names
    python = all(base.__flags__ & _HEAP or base is object for base in kind.__mro__)
    return (own and python) or kind is types.SimpleNamespace


def _name(item: object) -> str:
    name = getattr(item, "__name__", "")
    return name if isinstance(name, str) else ""


def _standard_path(item: object) -> tuple[str, str] | None:
    """Module and name of a builtin or standard library function or class."""
    if not isinstance(item, type | types.FunctionType | types.BuiltinFunctionType | types.MethodDescriptorType):
        return None
    module = getattr(item, "__module__", None) or getattr(getattr(item, "__objclass__", None), "__module__", None)
    path = item.__qualname__
    if not isinstance(module, str) or module.partition(".")[0] not in sys.stdlib_module_names or "<" in path:
        return None
    found: object = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return (module, path) if found is item and module != "__main__" else None


class Receiver(Decoder):
    """Decodes what the candidate sent; each class, object and record is made once."""

    def __init__(self, session: Session, nodes: object, known: list[object], updates: object) -> None:
        self._session = session
        self._attributes: list[tuple[BaseException, dict[object, object]]] = []
        super().__init__(nodes, known, updates)
        for error, own in self._attributes:  # dicts are filled last
            for name, value in own.items():
                if type(name) is str and name not in vars(error) and not hasattr(BaseException, name):
                    vars(error)[name] = value

    def shell(self, node: Node) -> Any:
        if node[0] == "shared":
            return self._shared(node)
        if node[0] == "record":
            return self._session.receive_record(node[1], node[2])
        return super().shell(node)

    def _shared(self, node: Node) -> Any:
        """The tests' copy of a container of the solution's: the one that they hold, if any."""
        number, contents = node[1], node[2:]
        if type(number) is not int or not contents or type(contents[0]) is not str:
            raise Malformed("a container is described wrongly")
        found = self._session.shared.find(number)
        if found is None:
            found = super().shell(contents)
            if found is None:
                raise Malformed("a container is none")
            self._keep(number, found)
        return found

    def _keep(self, number: int, found: Any) -> None:
        self._session.shared.keep(number, found)
        self._session.retain(partial(self._session.shared.forget, number))

    def fill(self, shell: Any, node: Node) -> None:
        if node[0] == "shared":
            found = self._session.shared.find(node[1])
            if found is not None and found is not shell:
                raise Malformed("an update of another container")
            super().fill(shell, node[2:])
            if found is not None:
                self._keep(node[1], shell)
            return
        if node[0] != "record":
            super().fill(shell, node)
            return
        if self._session.receive_record(node[1], node[2]) is not shell:
            raise Malformed("an update of another record")
        names, values = node[3::2], self.values(node[4::2])
        for name, value in zip(names, values, strict=True):
            # a method of the tests' class must not give way to a function of the candidate's
            if type(name) is not str or (callable(value) and hasattr(type(shell), name)):
                raise Malformed("a record's attribute is none")
        assign(shell, dict(zip(names, values, strict=True)))

    def foreign(self, node: Node) -> Any:
        kind, *fields = node
        make: Callable[..., Any] | None = getattr(self, f"_{kind.replace('-', '_')}", None) if kind in _KINDS else None
        if make is None:
            return super().foreign(node)
        return make(*fields)

    def _callback(self, count: object, name: object) -> object:
        return self._session.callback_of(count)[0]

    _callback_iterator = _callback

    def _raised(self, count: object) -> BaseException:
        return self._session.find_raised(count)

    def _object(self, count: object, kind: object) -> object:
        cls = self._class_of(kind)
        return self._session.hold(count, lambda: _linked(object.__new__(cls), Link(self._session, _count(count))))

    def _function(self, count: object, name: object) -> object:
        return remote_function(self._session, _count(count))

    def _module(self, count: object, name: object) -> object:
        return self._held(count, Remote, None)

    def _iterator(self, count: object, name: object) -> object:
        known = type(name) is str
        kind = _ITERATORS.get(str(name), RemoteIterator) if known else RemoteIterator
        return self._held(count, kind, SHOWN_AS.get(str(name)) if known else None)

    def _held(self, count: object, kind: type, shown: type | None) -> object:
        link = Link(self._session, _count(count), shown)
        return self._session.hold(count, lambda: _linked(object.__new__(kind), link))

    def _valued(self, count: object, kind: object, value: object) -> object:
        cls: Any = self._class_of(kind)
        plain = self.value(value)
        if not issubclass(cls, Valued) or not issubclass(cls, type(plain)) or type(plain) not in SCALARS:
            raise Malformed("a value is not of its class")
        link = Link(self._session, _count(count))
        return self._session.hold_value(link, plain, lambda: _linked(type(plain).__new__(cls, plain), link))

    def _class(self, count: object, name: object, module: object, bases: object, specials: object) -> object:
        number = _count(count)
        if number in self._session.classes:
            return self._session.classes[number]
        if type(name) is not str or type(module) is not str or type(bases) is not list or type(specials) is not list:
            raise Malformed("a class is described wrongly")
        if len(self._session.classes) >= CLASSES or len(name) + len(module) > CLASS_NAME:
            raise Malformed("too many classes, or too long a name")
        local = tuple(self._base(base) for base in bases)
        shown = getattr(builtins, name, None) if module == "builtins" else None
        if local and issubclass(local[0], BaseException) and (name, module) == (local[0].__name__, local[0].__module__):
            cls, shown = standard_stand_in(self._session, local[0]), local[0]
        else:
            cls = stand_in(name, module, local, [str(special) for special in specials])
        link = Link(self._session, number, shown if isinstance(shown, type) else None)
        type.__setattr__(cls, "_remote_class", link)
        self._session.classes[number] = cls
        return cls

    def _base(self, base: object) -> type:
        if type(base) is str:
            found = _SCALARS.get(base) or standard(base)
            if found is None:
                raise Malformed("a class has an unknown base")
            return found
        return self._class_of(base)

    def _class_of(self, value: object) -> type:
        cls = self.value(value)
        if not isinstance(cls, RemoteClass):
            raise Malformed("a class is none")
        return cls

    def _exception(self, kind: object, args: object, attributes: object, text: object, count: object) -> object:
        arguments, own = self.value(args), self.value(attributes)
        if type(arguments) is not tuple or type(own) is not dict or type(text) is not str:
            raise Malformed("an exception is described wrongly")
        cls = self._standard(kind) if type(kind) is str else self._class_of(kind)
        if not issubclass(cls, BaseException):
            raise Malformed("an exception is of no class of exceptions")
        error = _made(cls, arguments)
        self._attributes.append((error, own))
        vars(error)["_remote"] = Link(self._session, None if count is None else _count(count))
        vars(error)["_text"] = text
        return error

    def _standard(self, name: str) -> type:
        real = standard(name)
        if real is None:
            raise Malformed("an exception is of no known class")
        return standard_stand_in(self._session, real)


def _made(cls: type[BaseException], arguments: tuple[object, ...]) -> BaseException:
    """An exception of the class, made by the nearest of its bases that can: a MemoryError only makes itself."""
    bases = [base for base in cls.__mro__ if issubclass(base, BaseException)]
    for base in bases[:-1]:
        with suppress(TypeError):
            return base.__new__(cls, *arguments)
    return BaseException.__new__(cls, *arguments)


_KINDS = frozenset(
    {
        *("callback", "callback-iterator", "raised", "object", "function", "module", "iterator"),
        *("valued", "class", "exception"),
    }
)


def remote_function(session: Session, count: int) -> Any:
    """The stand-in of the candidate's function of that number."""
    return session.hold(count, lambda: _linked(object.__new__(RemoteFunction), Link(session, count)))


def _count(count: object) -> int:
    if type(count) is not int or count < 0:
        raise Malformed("a number is none")
    return count


def _linked(item: Any, link: Link) -> Any:
    object.__setattr__(item, "_remote", link)
    return item


def stand_in(name: str, module: str, bases: tuple[type, ...], specials: list[str]) -> RemoteClass:
    """The local class for one of the candidate's."""
    space: dict[str, object] = {"__module__": module, "__qualname__": name}
    scalar = next((scalar for scalar in _SCALARS.values() if any(issubclass(base, scalar) for base in bases)), None)
    if scalar is not None:
        root: type = Valued
        space |= methods(special for special in specials if special in _TEXTUAL)
        space |= {name: getattr(scalar, name) for name in ("__eq__", "__ne__", "__hash__")}
        space["__bool__"] = lambda item: scalar(item) != scalar()
    elif any(issubclass(base, BaseException) for base in bases):
        root = RemoteError
    else:
        root = Remote
        space |= methods(specials)
    whole = bases if any(issubclass(base, root) for base in bases) else (root, *bases)
    try:
        return RemoteClass(name, whole, space, ours=True)
    except (TypeError, ValueError):  # bases whose layouts or orders do not go together here
        return RemoteClass("Object", (Remote,), {"__module__": module, **methods(specials)}, ours=True)


def standard_stand_in(session: Session, real: type[BaseException]) -> RemoteClass:
    """The local class of a standard exception: what is returned, not raised, must not be judged by its truth."""
    if real not in session.standard_classes:
        cls = stand_in(real.__name__, real.__module__, (real,), [])
        type.__setattr__(cls, "_remote_class", Link(session, None, real))
        session.standard_classes[real] = cls
    return session.standard_classes[real]
