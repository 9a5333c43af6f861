"""Objects of classes that the tests define: what crosses is their attributes."""

from __future__ import annotations


def attributes(item: object) -> list[tuple[str, object]]:
    """Names and values of an object's attributes, slots included."""
    found = list(getattr(item, "__dict__", {}).items())
    return found + [(name, getattr(item, name)) for name in _slots(type(item)) if hasattr(item, name)]


def assign(item: object, values: dict[str, object]) -> None:
    """Gives an object these attributes in place of those that it has, past every method of its class.

    Where it has no dict, names that are no slots are left out.
    """
    slots = _slots(type(item))
    own = getattr(item, "__dict__", None)
    if own is not None:
        own.clear()
    for name, value in values.items():
        if name in slots:
            object.__setattr__(item, name, value)
        elif own is not None:
            own[name] = value


def _slots(kind: type) -> list[str]:
    found: list[str] = []
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        found += [slots] if isinstance(slots, str) else slots
    return [name for name in found if not name.startswith("__")]
