"""Stand-ins, in the tests' process, for what stays in the candidate's: objects, functions, classes, exceptions.

Each forwards what gives nothing away (attributes, calls, items, iteration, ``str``, ``float``, ...). Whatever
would let the candidate judge raises NotPlain: truth, comparison and arithmetic with anything but another
stand-in, ``in`` where the class has its own, and a context manager that swallows an exception.
Classes are real classes here, with the bases they have there, so ``isinstance``, ``except`` and ``type`` work.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from .flaws import NotPlain, Unsupported
from .operations import BINARY, REFLECTED, UNARY

if TYPE_CHECKING:
    from .session import Session

SHOWN_AS: dict[str, type] = {
    "generator": types.GeneratorType,
    "coroutine": types.CoroutineType,
    "async_generator": types.AsyncGeneratorType,
    "map": map,
    "filter": filter,
    "zip": zip,
    "enumerate": enumerate,
    "reversed": reversed,
}
_FOREIGN = re.compile(r"__(array|dlpack|cuda|torch|jax|arrow|dataframe)")
"""Attributes by which libraries of arrays and tables let an object compute, compare, or name an address in memory."""

_ASKING = ("_pytest.", "traceback")
"""Modules that ask a class or an exception for its truth on the way, not to judge."""


def number(item: object) -> int | None:
    """The candidate's number of what an object stands for; None for all that is the tests' own."""
    if isinstance(item, RemoteClass):
        found = type.__getattribute__(item, "_remote_class")
    elif isinstance(type(item), RemoteClass):
        found = object.__getattribute__(item, "_remote")
    else:
        return None
    return found.number  # type: ignore[no-any-return]


class Link(NamedTuple):
    """What a stand-in stands for. ``shown``: the real type of which it is a kind, or that it is."""

    session: Session
    number: int | None
    shown: type | None = None


def _session(item: Any) -> Session:
    if isinstance(item, RemoteClass):
        return type.__getattribute__(item, "_remote_class").session  # type: ignore[no-any-return]
    return object.__getattribute__(item, "_remote").session  # type: ignore[no-any-return]


def _asked(item: Any, name: str) -> Any:
    """An attribute of what an object stands for."""
    if _FOREIGN.match(name):
        raise AttributeError(name)
    return _session(item).get(item, name)


class RemoteClass(type):
    """The type of every stand-in's class."""

    def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, object], ours: bool = False) -> RemoteClass:
        if not ours:
            for base in bases:
                if isinstance(base, RemoteClass):
                    raise _session(base).flaw(
                        Unsupported("a class derived from one of the solution's needs same_process")
                    )
        return super().__new__(cls, name, bases, space)

    def __init__(cls, name: str, bases: tuple[type, ...], space: dict[str, object], ours: bool = False) -> None:
        super().__init__(name, bases, space)

    def __call__(cls, *args: object, **kwargs: object) -> Any:
        return _session(cls).call(cls, None, args, kwargs)

    def __getattr__(cls, name: str) -> Any:
        return _asked(cls, name)

    def __setattr__(cls, name: str, value: object) -> None:
        _session(cls).set(cls, name, value)

    def __delattr__(cls, name: str) -> None:
        _session(cls).delete(cls, name)

    def __iter__(cls) -> Any:
        return _session(cls).special("iter", cls)

    def __len__(cls) -> Any:
        return _session(cls).special("len", cls)

    def __getitem__(cls, key: object) -> Any:
        return _session(cls).special("getitem", cls, key)

    def __contains__(cls, item: object) -> bool:
        raise _session(cls).flaw(NotPlain("`in` of a class of the solution's"))

    def __bool__(cls) -> bool:
        if _asked_on_the_way():
            return True
        raise _session(cls).flaw(NotPlain("the truth of a class of the solution's"))

    def __eq__(cls, other: object) -> bool:
        if isinstance(other, type):
            return cls is other or type.__getattribute__(cls, "_remote_class").shown is other
        raise _session(cls).flaw(NotPlain("a class of the solution's compared with plain data"))

    __hash__ = type.__hash__


def _asked_on_the_way() -> bool:
    asking: str = sys._getframe(2).f_globals.get("__name__", "")
    return asking.startswith(_ASKING)


class Forwarding(metaclass=RemoteClass, ours=True):
    """Attributes and copies."""

    @property
    def __dict__(self) -> Any:  # type: ignore[override]  # what vars() gives
        return _session(self).get(self, "__dict__")

    def __getattr__(self, name: str) -> Any:
        return _asked(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        _session(self).set(self, name, value)

    def __delattr__(self, name: str) -> None:
        _session(self).delete(self, name)

    def __copy__(self) -> Any:
        return _session(self).special("copy", self)

    def __deepcopy__(self, memo: object) -> Any:
        return _session(self).special("deepcopy", self)

    def __reduce_ex__(self, protocol: object) -> Any:
        if _goes_to_another_process():
            raise _session(self).flaw(Unsupported("an object of the solution's in a third process needs same_process"))
        held = number(self)
        assert held is not None
        _PICKLED[held] = self
        return _unpickled, (held,)


_PICKLED: dict[int, object] = {}
"""What the tests have pickled, by its number: all that a pickle holds."""


def _unpickled(held: int) -> Any:
    """A deep copy, which the candidate makes: its pickle would be no other."""
    item = _PICKLED[held]
    return _session(item).special("deepcopy", item)


def _goes_to_another_process() -> bool:
    frame = sys._getframe(1).f_back
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] == "multiprocessing":
            return True
        frame = frame.f_back
    return False


class Opaque(metaclass=RemoteClass, ours=True):
    """No judgement: neither truth nor comparison with plain data."""

    def __bool__(self) -> bool:
        if isinstance(self, BaseException) and _asked_on_the_way():
            return True
        raise _session(self).flaw(NotPlain("the truth of an object of the solution's"))

    def __eq__(self, other: object) -> Any:
        if other is None and number(self) is not None:
            return _is_nothing(self)
        if number(other) is None:
            raise _session(self).flaw(NotPlain("an object of the solution's compared with plain data"))
        return self is other

    def __ne__(self, other: object) -> Any:
        return not self == other

    __hash__ = object.__hash__


class Remote(Forwarding, Opaque, ours=True):
    """An object of the candidate's."""

    def __str__(self) -> Any:
        return _session(self).special("str", self)

    def __repr__(self) -> Any:
        return _session(self).special("repr", self)


class RemoteFunction(Remote, ours=True):
    """A function, method or the like."""

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return _session(self).call(self, None, args, kwargs)


class RemoteKind(Remote, ours=True):
    """An object of a builtin type that ``isinstance`` has to recognise."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return object.__getattribute__(self, "_remote").shown or type(self)


class RemoteIterator(RemoteKind, ours=True):
    """An iterator. What is looked for with ``in`` is compared here, item by item."""

    def __iter__(self) -> RemoteIterator:
        return self

    def __next__(self) -> Any:
        return _session(self).special("next", self)


class RemoteCoroutine(RemoteKind, ours=True):
    """A coroutine, awaited to its end in the candidate's process."""

    cr_code = cr_frame = cr_await = None  # asyncio asks for their truth
    cr_running = False

    def __await__(self) -> RemoteCoroutine:
        return self

    def __iter__(self) -> RemoteCoroutine:
        return self

    def __next__(self) -> Any:
        raise StopIteration(_session(self).special("await", self))

    def send(self, value: object) -> Any:
        return self.__next__()

    def throw(self, *error: Any) -> Any:
        raise error[0]

    def close(self) -> None:
        pass


class RemoteAsyncIterator(RemoteKind, ours=True):
    """An asynchronous generator, one step at a time on the candidate's event loop."""

    def __aiter__(self) -> RemoteAsyncIterator:
        return self

    async def __anext__(self) -> Any:
        return _session(self).special("anext", self)


class RemoteError(Opaque, BaseException, ours=True):
    """An exception of a class of the solution's own, or one that it returned: text and attributes as sent."""

    def __str__(self) -> str:
        return str(object.__getattribute__(self, "_text"))

    def __getattr__(self, name: str) -> Any:
        if number(self) is None:
            raise AttributeError(name)
        return _session(self).get(self, name)


class Valued(Forwarding, ours=True):
    """An object of a class derived from int, float, str, bytes or tuple: its value is data, its attributes are not."""


def _unary(name: str) -> Callable[..., Any]:
    def forward(self: Any, *arguments: object) -> Any:
        return _session(self).special(name, self, *arguments)

    return forward


def _is_nothing(item: Any) -> bool:
    """Whether it equals None: it does not, whatever it says."""
    _session(item).believe(item)
    return False


def _binary(name: str) -> Callable[[Any, Any], Any]:
    def forward(self: Any, other: Any) -> Any:
        if other is None and name in ("eq", "ne"):
            return _is_nothing(self) is (name == "eq")
        if number(other) is None:
            raise _session(self).flaw(NotPlain("an object of the solution's compared or computed with plain data"))
        return _session(self).special(name, self, other)

    return forward


def _reflected(name: str) -> Callable[[Any, Any], Any]:
    def forward(self: Any, other: Any) -> Any:
        raise _session(self).flaw(NotPlain("an object of the solution's computed with plain data"))

    return forward


def _call(self: Any, *args: object, **kwargs: object) -> Any:
    return _session(self).call(self, None, args, kwargs)


def _contains(self: Any, item: object) -> bool:
    raise _session(self).flaw(NotPlain("`in` of an object of the solution's"))


def _leaving(name: str) -> Callable[..., bool]:
    def leave(self: Any, kind: object, error: BaseException | None, trace: object) -> bool:
        result = _session(self).special(name, self, error if isinstance(error, Exception) else None)
        # what it swallows may be an assertion, or an error that skipped one
        if error is not None and result is not None and result is not False:
            raise _session(self).flaw(NotPlain("a context manager of the solution's would swallow an exception"))
        return False

    return leave


def _asynchronous(name: str) -> Callable[..., Any]:
    async def forward(self: Any, *arguments: object) -> Any:
        return _session(self).special(name, self, *arguments)

    return forward


def _await(self: Any) -> Any:
    return _session(self).special("await", self)
    yield  # a generator that never yields: the result is there at once


async def _aexit(self: Any, *error: Any) -> bool:
    return _leaving("aexit")(self, *error)


def methods(specials: Iterable[str]) -> dict[str, object]:
    """Local special methods for those that a class has in the candidate's process."""
    specials = list(specials)
    asked = "bool" in specials or "len" in specials
    found: dict[str, object] = {"__bool__": lambda self: _session(self).truth(self, asked)}
    for name in specials:
        if name == "bool":
            continue
        if name in _OWN:
            found[f"__{name}__"] = _OWN[name]
        elif name in UNARY:
            found[f"__{name}__"] = _unary(name)
        elif name in BINARY:
            found[f"__{name}__"] = _binary(name)
            if name in REFLECTED:
                found[f"__r{name}__"] = _reflected(name)
        elif name.startswith("r") and name[1:] in REFLECTED:
            found[f"__{name}__"] = _reflected(name)
    return found


_OWN = {
    "call": _call,
    "exit": _leaving("exit"),
    "contains": _contains,
    "await": _await,
    "anext": _asynchronous("anext"),
    "aenter": _asynchronous("aenter"),
    "aexit": _aexit,
}
