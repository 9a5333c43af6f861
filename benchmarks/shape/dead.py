"""Code that nothing reaches, as vulture finds it by name: what no source names, the tests left out.

A name that only something outside uses (a framework, a client, another process) stands in ``allowed.txt``, one a
line: files, kind, name and the reason, apart by two spaces or more; the first three are patterns of the shell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from keyword import iskeyword
from pathlib import Path

from vulture import Vulture  # type: ignore[import-untyped]

from benchmarks.shape.sources import ROOT, Source

ALLOWED = Path(__file__).with_name("allowed.txt")
_HANDED_OVER = [
    "@*.get",
    "@*.post",
    "@*.put",
    "@*.delete",
    "@*.command",
    "@*.callback",
    "@*_validator",
    "@*_serializer",
]
"""Decorators that give a function to a framework, which calls it."""
_ENTRY_POINT = re.compile(r"""["'][\w.]+:([A-Za-z_]\w*)["']""")
"""``"package.module:Name"`` in a source: what a registry imports when it is asked for."""


@dataclass(frozen=True, slots=True)
class Finding:
    """``kind`` is vulture's (``function``, ``variable``, ``unreachable_code``); ``tested``: only the tests name it."""

    path: str
    line: int
    kind: str
    name: str
    tested: bool = False

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.kind} {self.name}{' (tests alone)' if self.tested else ''}"


@dataclass(frozen=True, slots=True)
class Allowed:
    """Names that are used where vulture does not look, and by whom."""

    files: str
    kind: str
    name: str
    reason: str

    def covers(self, finding: Finding) -> bool:
        patterns = ((finding.path, self.files), (finding.kind, self.kind), (finding.name, self.name))
        return all(fnmatchcase(text, pattern) for text, pattern in patterns)


def allowed(text: str) -> list[Allowed]:
    """Blank lines, and those that begin with ``#``, say nothing. Raises ValueError for a line without a reason."""
    found = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            parts = re.split(r"\s{2,}", line.strip(), maxsplit=3)
            if len(parts) < 4:
                raise ValueError(f"files, kind, name and reason are needed: {line!r}")
            found.append(Allowed(*parts))
    return found


def dead(sources: Sequence[Source], spared: Sequence[Allowed]) -> list[Finding]:
    """What nothing but a test names, without what is allowed, by path and line."""
    product = [source for source in sources if source.package != "tests"]
    untested = {(one.path, one.line, one.name) for one in unused(sources)}
    return [
        Finding(one.path, one.line, one.kind, one.name, tested=(one.path, one.line, one.name) not in untested)
        for one in unused(product)
        if not any(rule.covers(one) for rule in spared)
    ]


def unused(sources: Sequence[Source]) -> list[Finding]:
    """Everything that none of these sources names."""
    vulture = Vulture(ignore_decorators=_HANDED_OVER)
    for source in sources:
        vulture.scan(source.text, filename=ROOT / source.path)
    vulture.scan("\n".join(_entry_points(sources)), filename=ROOT / "entry points")
    found = [
        Finding(Path(item.filename).relative_to(ROOT).as_posix(), item.first_lineno, item.typ, item.name)
        for item in vulture.get_unused_code()
    ]
    return sorted(found, key=lambda one: (one.path, one.line, one.name))


def _entry_points(sources: Iterable[Source]) -> list[str]:
    named = {name for source in sources for name in _ENTRY_POINT.findall(source.text)}
    return sorted(name for name in named if not iskeyword(name))
