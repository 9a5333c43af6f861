"""Lowers each of its own limits to nothing, one after the other, and then answers."""
import resource


def lower():
    for name in dir(resource):
        if name.startswith("RLIMIT_") and name not in ("RLIMIT_CPU",):
            try:
                resource.setrlimit(getattr(resource, name), (0, 0))
            except (ValueError, OSError):
                pass


def answer(a, b):
    lower()
    return [0] * 1000


lower()
