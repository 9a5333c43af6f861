"""Things that other packages may bring, by kind and name.

A kind has a group of entry points, such as ``trueward.losses``. The built-in things of a kind are entry points too,
written out where the kind is defined. Nothing is imported before it is asked for. A plug-in that cannot be loaded costs
nothing else: :meth:`Kind.failures` says what is wrong with it, and so does asking for it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar, cast

Thing = TypeVar("Thing")


class UnknownName(ValueError):
    """There is nothing of that kind and name, or it cannot be loaded."""


class Kind(Generic[Thing]):
    """One kind of things; ``what`` names one of them in messages, such as "loss".

    ``defect`` says in words why an object is none of the kind, given the name of its entry point, or returns "".
    ``raises`` is the exception of :meth:`get`, made of one sentence; ``listed`` ends that sentence where no such name
    is known.
    """

    def __init__(
        self,
        what: str,
        built_ins: Iterable[EntryPoint],
        plugins: Iterable[EntryPoint],
        defect: Callable[[object, str], str],
        *,
        raises: Callable[[str], Exception] = UnknownName,
        listed: str | None = None,
    ) -> None:
        self.what = what
        self._defect = defect
        self._raises = raises
        self._listed = listed
        self._points = {point.name: point for point in built_ins}
        self._loaded: dict[str, Thing] = {}
        self._failures: dict[str, str] = {}
        reserved = self._built_in = frozenset(self._points)
        for point in plugins:
            if point.name in reserved:
                self._failures[source(point)] = f"the name {point.name!r} is that of a built-in {what}"
            elif point.name in self._points:
                taken = source(self._points[point.name])
                self._failures[source(point)] = f"the name {point.name!r} is taken by {taken}"
            else:
                self._points[point.name] = point

    def names(self) -> list[str]:
        """Every name, sorted, without importing anything; one that fails to load is in :meth:`failures`."""
        return sorted(self._points)

    def plugins(self) -> list[str]:
        """The names of those that are not built in."""
        return [name for name in self.names() if name not in self._built_in]

    def get(self, name: str) -> Thing:
        """The thing of that name. Raises what the kind raises, also where it cannot be loaded."""
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def load_all(self) -> dict[str, Thing]:
        """By name, built-in things first; a plug-in that cannot be loaded is in :meth:`failures` instead.

        A built-in thing that cannot be loaded is an error of ours, and raises.
        """
        found = {name: self.get(name) for name in self._points if name in self._built_in}
        for name in self.plugins():
            with suppress(Exception):  # what `raises` makes; it is kept
                found[name] = self.get(name)
        return found

    def failures(self) -> dict[str, str]:
        """What is wrong, by ``name (distribution)``; loads everything."""
        self.load_all()
        return dict(self._failures)

    def _load(self, name: str) -> Thing:
        point = self._points.get(name)
        if point is None:
            raise self._raises(self._unknown(name))
        try:
            found = point.load()
        except (Exception, SystemExit) as failure:  # noqa: BLE001 - a plug-in's import can raise anything
            problem = f"{type(failure).__name__}: {failure}"
        else:
            problem = self._defect(found, name)
            if not problem:
                return cast("Thing", found)
        self._failures[source(point)] = problem
        raise self._raises(f"the {self.what} {source(point)} is installed but cannot be loaded: {problem}")

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name[:100], self.names(), n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        listed = self._listed or f"there are {', '.join(self.names())}"
        return f"there is no {self.what} {name[:100]!r}; {hint}{listed}"


def list_built_in(group: str, places: Mapping[str, str]) -> list[EntryPoint]:
    """Entry points of our own: by name, where each is defined, as ``module:attribute``."""
    return [EntryPoint(name, place, group) for name, place in places.items()]


def list_installed(group: str) -> list[EntryPoint]:
    """What installed packages announce under a group, in an order that does not depend on the machine."""
    return sorted(entry_points(group=group), key=source)


def source(point: EntryPoint) -> str:
    """An entry point as messages name it: with its distribution where it has one."""
    return f"{point.name} ({point.dist.name if point.dist else point.value})"


def of_class(base: type, *, many: bool = False) -> Callable[[object, str], str]:
    """The defect of what should be an instance of a class or, with ``many``, a tuple or list of such."""

    def defect(found: object, name: str) -> str:
        if many and isinstance(found, tuple | list) and found and all(isinstance(one, base) for one in found):
            return ""
        wanted = f"a tuple of {base.__name__}" if many else f"a {base.__name__}"
        return "" if not many and isinstance(found, base) else f"{found!r:.80} is not {wanted}"

    return defect


def no_function(found: object, name: str) -> str:
    """The defect of what should be a function."""
    return "" if callable(found) else f"{found!r:.80} is not a function"
