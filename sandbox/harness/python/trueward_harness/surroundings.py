"""What tests change around a solution that the solution's own process does not see.

Known from the tests alone, so that no solution has a say in it: from their text, from what they have replaced in their
own process, and from paths of their own files that they pass. A replaced ``print`` counts only where the text asks a
mock how it was called: a test may just mean to be quiet.
"""

from __future__ import annotations

import ast
import builtins
import io
import os
import sys
from collections.abc import Iterable, Mapping
from types import ModuleType, TracebackType
from typing import Any

from .origins import Origins
from .remote import number

_FEEDING = {"input": builtins.input, "open": builtins.open}
_CAPTURES = frozenset(
    {
        *("caplog", "recwarn", "assertLogs", "assertNoLogs", "assertWarns", "assertWarnsRegex"),
        *("pytest.warns", "pytest.deprecated_call"),
    }
)
_ASKED_OF_MOCKS = frozenset(
    {
        *("called", "call_count", "call_args", "call_args_list", "mock_calls", "method_calls"),
        *("assert_called", "assert_called_once", "assert_called_with", "assert_called_once_with"),
        *("assert_any_call", "assert_has_calls", "assert_not_called"),
    }
)
_SEEN = frozenset({("sys", "stdout"), ("sys", "stderr")})
"""What may be replaced: printed output is brought over."""

_RUNNERS_OWN = "PYTEST_"
_RUNNERS_FOLDERS = frozenset({"__pycache__", ".pytest_cache"})
_HARNESS_OWN = frozenset({"tests.json", "results.ndjson", "trueward-suite.json"})
_LONGEST_PATH = 4096


class Surroundings:
    """The tests' process as the solution would meet it in one process. ``judged``: the tests are the policy's own,
    and nothing that they do is held against the solution: nothing here is ever refused."""

    def __init__(self, judged: bool = False) -> None:
        self.judged = judged
        self._directory = os.getcwd()  # noqa: PTH109 - pathlib would cost every start
        self._temporary = ("/tmp", os.path.realpath("/tmp"))  # noqa: S108 - the jail's own
        self._environment = _environment()
        self.need = ""
        """What the text does that only works in one process, whatever it calls; empty for nothing."""
        self._captures = ""
        self._asks_mocks = False
        self._replaced: list[tuple[object, object, str]] = []
        self._watches_mocks = False
        self._origins = Origins({})

    def read(self, nodes: Iterable[ast.AST], origins: Origins) -> None:
        """Takes in the text of the tests that are to be run."""
        self._origins = origins
        self.need, self._captures, self._asks_mocks, mocks = "", "", False, False
        for node in nodes:
            name = _name(node)
            if name in _CAPTURES or (isinstance(node, ast.Call) and _records_warnings(node)):
                self._captures = self._captures or name or "catch_warnings"
            elif isinstance(node, ast.Attribute) and node.attr in _ASKED_OF_MOCKS:
                self._asks_mocks = True
            elif isinstance(node, ast.Constant) and not self.judged and _is_solutions_file(node.value):
                self.need = "the test uses the file solution.py, and has none"
            elif isinstance(node, ast.Import | ast.ImportFrom):
                mocks = mocks or "mock" in ast.unparse(node)
        if not self.need and not self.judged and origins.makes_tests():
            self.need = "the solution has a say in which tests there are"
        if mocks and not self._watches_mocks:
            self._watches_mocks = True
            self._watch_mocks()

    def find_unseen(self, passed: Iterable[object]) -> str:
        """What a call that passes these relies on and the solution does not see, in words; empty for nothing."""
        if self.judged:
            return ""
        if change := self._find_change():
            return f"the test {change}, and the solution is in another process"
        if self._find_file(passed) and not self._origins.passes_given(sys._getframe(1)):
            return "the test passes a path of its own, and the solution has other files"
        return ""

    def _find_change(self) -> str:
        """What the running test has changed; empty for nothing."""
        for name, own in _FEEDING.items():
            if getattr(builtins, name, None) is not own:
                return f"replaces {name}"
        if isinstance(sys.stdin, io.StringIO):
            return "replaces sys.stdin"
        if self._captures:
            return f"looks at warnings or logs ({self._captures})"
        for _, target, name in self._replaced:
            place = getattr(target, "__name__", "")
            quiet = place == "builtins" and name == "print" and not self._asks_mocks
            if not quiet and (place, name) not in _SEEN:
                return f"replaces {place}.{name}"
        if os.getcwd() != self._directory:  # noqa: PTH109
            return "changes the working directory"
        return ""

    def _find_file(self, items: Iterable[object]) -> bool:
        """Whether one of these is the path of a file or folder of the tests', or lies in a folder that they made."""
        for item in items:
            path = str(item) if type(item) is str or is_path(item) else ""
            if not 0 < len(path) <= _LONGEST_PATH or "\0" in path:
                continue
            if ("/" in path or "." in path) and self._is_ours(path):
                return True
        return False

    def misses_own(self, trace: TracebackType | None) -> bool:
        """Whether the tests look for a file that they name to the solution, which may have written another."""
        return not self.judged and self._origins.misses_own(trace)

    def changed_environment(self) -> Mapping[str, str | None]:
        """The variables that the tests have set (None: removed) since this was last asked."""
        now, before = _environment(), self._environment
        if now == before:
            return {}
        self._environment = now
        changed: dict[str, str | None] = {name: text for name, text in now.items() if before.get(name) != text}
        return changed | dict.fromkeys(before.keys() - now.keys())

    def watch_monkeypatch(self, kind: Any) -> None:
        """Notes what pytest's ``MonkeyPatch`` replaces."""
        replace, undo = kind.setattr, kind.undo

        def noting(patcher: object, target: object, *rest: object, **options: object) -> None:
            replace(patcher, target, *rest, **options)
            if isinstance(target, str):
                path, _, name = target.rpartition(".")
                self._note(patcher, _resolve(path), name)
            elif rest:
                self._note(patcher, target, str(rest[0]))

        def undoing(patcher: object) -> None:
            undo(patcher)
            self._forget(patcher)

        kind.setattr, kind.undo = noting, undoing

    def _watch_mocks(self) -> None:
        from unittest import mock

        kind: Any = type(mock.patch("builtins.print"))
        enter, leave = kind.__enter__, kind.__exit__

        def entering(patcher: Any) -> object:
            result = enter(patcher)
            self._note(patcher, patcher.target, patcher.attribute)
            return result

        def leaving(patcher: Any, *error: object) -> object:
            self._forget(patcher)
            return leave(patcher, *error)

        kind.__enter__, kind.__exit__ = entering, leaving

    def _note(self, patcher: object, target: object, name: str) -> None:
        if self._is_outside(target):
            self._replaced.append((patcher, target, name))

    def _forget(self, patcher: object) -> None:
        self._replaced = [one for one in self._replaced if one[0] is not patcher]

    def _is_outside(self, target: object) -> bool:
        """Whether it is a module that is neither the tests' own nor the solution, or a class of one."""
        if number(target) is not None:
            return False
        module = sys.modules.get(target.__module__) if isinstance(target, type) else target
        if not isinstance(module, ModuleType) or module.__name__ in ("solution", "__main__"):
            return False
        return not (getattr(module, "__file__", None) or "").startswith(f"{self._directory}/")

    def _is_ours(self, path: str) -> bool:
        """Whether a path is of a file of the tests', or in a folder that they made.

        None whose name a solution can know: it may have given the text that the tests pass (``decode(encode(x))``).
        """
        path = os.path.normpath(os.path.join(self._directory, path))  # noqa: PTH118
        if path.startswith(f"{self._directory}/"):
            name = os.path.relpath(path, self._directory)
            known = name in _HARNESS_OWN or name.endswith(".py") or name.partition("/")[0] in _RUNNERS_FOLDERS
            return not known and os.path.lexists(path)
        folder = os.path.dirname(path)  # noqa: PTH120
        if folder in self._temporary:
            return not os.path.basename(path).startswith("pytest-of-") and os.path.lexists(path)  # noqa: PTH119
        parents = next((folder[len(one) :].split("/")[1:] for one in self._temporary if folder.startswith(one)), [])
        own = parents[2:] if parents and parents[0].startswith("pytest-of-") else parents
        return bool(own) and os.path.isdir(folder)  # noqa: PTH112


def _environment() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if not name.startswith(_RUNNERS_OWN)}


def is_path(item: object) -> bool:
    """Whether it is a path of ``pathlib``."""
    return isinstance(item, os.PathLike) and type(item).__module__.partition(".")[0] == "pathlib"


def _name(node: ast.AST) -> str:
    """The name that a node uses: of an attribute also with that which it is taken of, where that is pytest."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, ast.Attribute):
        of_pytest = isinstance(node.value, ast.Name) and node.value.id == "pytest"
        return f"pytest.{node.attr}" if of_pytest else node.attr
    return ""


def _is_solutions_file(text: object) -> bool:
    return isinstance(text, str) and text.rpartition("/")[2] == "solution.py"


def _records_warnings(call: ast.Call) -> bool:
    return _name(call.func) == "catch_warnings" and any(keyword.arg == "record" for keyword in call.keywords)


def _resolve(path: str) -> object:
    """What a dotted name stands for; None where it is the solution's or nothing."""
    if path.partition(".")[0] == "solution":
        return None
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        found: object = sys.modules.get(".".join(parts[:count]))
        if found is not None:
            for part in parts[count:]:
                found = getattr(found, part, None)
            return found
    return None
