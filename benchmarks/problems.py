"""Problems with a right program, a buggy one and tests in every form, written for this benchmark.

``programs/<topic>.yaml`` holds them as data. ``code`` is the right program; the buggy one is the same text with
``bug[0]``, which occurs once, replaced by ``bug[1]``. The tests are those of ``assertions`` (whole test programs, each
after ``setup``), ``checks`` (lines ``f(1, 2) == 3``) or ``calls`` (``[f, [1, 2], 3]``, JavaScript), and ``stdio``. From
these come the forms that a reference can have: the same tests by assertions, in one process, as a test file for pytest,
as calls, and by standard input, for which the program gets a few lines that read calls and print results as JSON.
"""

from __future__ import annotations

import ast
import json
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import JsonValue

PROGRAMS = Path(__file__).parent / "programs"
FORMS = ("assertions", "same_process", "pytest", "calls", "stdio")
TOLERANCE = 1e-6
_LANGUAGES = {"javascript": "javascript", "c": "c"}
"""Of the topics that are languages; the others are in Python."""

_READS_PYTHON = """
import json as _json, sys as _sys
for _line in _sys.stdin:
    _name, _args = _json.loads(_line)
    print(_json.dumps(globals()[_name](*_args), separators=(",", ":")))
"""
_READS_JAVASCRIPT = """
for (const line of require('fs').readFileSync(0, 'utf8').split('\\n').filter(Boolean)) {
  const [name, args] = JSON.parse(line);
  console.log(JSON.stringify(eval(name)(...args)));
}
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A call and its result, written in the language of its problem (``text``) and as values."""

    function: str
    args: list[Any]
    expected: Any
    text: str


@dataclass(frozen=True, slots=True)
class Problem:
    """See the module. ``tolerance``: numbers are compared within :data:`TOLERANCE`."""

    name: str
    topic: str
    code: str
    bug: tuple[str, str]
    setup: str = ""
    assertions: tuple[str, ...] = ()
    called: tuple[Call, ...] = ()
    stdio: tuple[tuple[str, str], ...] = ()
    entry_point: str | None = None
    files: str = ""
    command: str = "pytest"
    tolerance: bool = False

    @property
    def language(self) -> str:
        return _LANGUAGES.get(self.topic, "python")

    def program(self, right: bool, form: str) -> str:
        """The right or the buggy program, as a form of tests needs it."""
        if self.code.count(self.bug[0]) != 1:
            raise ValueError(f"{self.topic}/{self.name}: the bug's place is not clear")
        code = self.code if right else self.code.replace(*self.bug)
        if form == "stdio" and self.called:
            code += _READS_JAVASCRIPT if self.language == "javascript" else _READS_PYTHON
        return code

    def reference(self, form: str) -> dict[str, JsonValue] | None:
        """The tests in that form; None where they cannot be put so."""
        find = {"assertions": self._assertions, "same_process": self._assertions, "pytest": self._pytest}
        found = find.get(form, self._calls if form == "calls" else self._stdio)()
        if found is not None and self.tolerance and form in ("calls", "stdio"):
            found["comparison"] = "floats"
        return found

    @property
    def _texts(self) -> list[str]:
        return [self.setup + text for text in self.assertions] + [self._asserted(call) for call in self.called]

    def _asserted(self, call: Call) -> str:
        if self.language == "javascript":
            return f"require('assert').deepStrictEqual({call.text}, {json.dumps(call.expected)});"
        if self.tolerance:
            return f"assert abs({call.text} - {call.expected!r}) <= {TOLERANCE}"
        return f"assert {call.text} == {call.expected!r}"

    def _assertions(self) -> dict[str, JsonValue] | None:
        if not self._texts:
            return None
        entry: dict[str, JsonValue] = {"entry_point": self.entry_point} if self.entry_point else {}
        return {"assertions": list[JsonValue](self._texts), **entry}

    def _pytest(self) -> dict[str, JsonValue] | None:
        if self.language != "python" or not self._texts:
            return None
        if self.files:
            return {"files": {"test_solution.py": self.files}, "command": self.command}
        tests = [f"def test_{n}():\n{textwrap.indent(text, '    ')}\n" for n, text in enumerate(self._texts)]
        head = "from solution import *\n" + (f"from solution import {self.entry_point}\n" if self.entry_point else "")
        if self.entry_point is not None:
            tests = [f"{test}    if 'check' in locals():\n        check({self.entry_point})\n" for test in tests]
        return {"files": {"test_solution.py": head + "\n".join(tests)}, "command": "pytest"}

    def _calls(self) -> dict[str, JsonValue] | None:
        if not self.called:
            return None
        python = self.language == "python"
        return {
            "calls": [
                {
                    "function": call.function,
                    "args": {"python": repr(call.args)} if python else call.args,
                    "expected": {"python": repr(call.expected)} if python else call.expected,
                }
                for call in self.called
            ]
        }

    def _stdio(self) -> dict[str, JsonValue] | None:
        if self.stdio:
            return {"stdio": [{"stdin": stdin, "stdout": stdout} for stdin, stdout in self.stdio]}
        if not self.called or not all(_is_json(call) for call in self.called):
            return None
        return {
            "stdio": [
                {
                    "stdin": json.dumps([call.function, call.args]),
                    "stdout": json.dumps(call.expected, separators=(",", ":")),
                }
                for call in self.called
            ]
        }


def _is_json(call: Call) -> bool:
    """Whether a call means the same as JSON: no sets, no keys but texts. A tuple is printed as a list is."""
    try:
        args, expected = json.loads(json.dumps([call.args, call.expected]))
    except TypeError:
        return False
    return bool(args == _listed(call.args) and expected == _listed(call.expected))


def _listed(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_listed(item) for item in value]
    return {key: _listed(item) for key, item in value.items()} if isinstance(value, dict) else value


def problems() -> Iterator[Problem]:
    """All of them, topic by topic."""
    for path in sorted(PROGRAMS.glob("*.yaml")):
        for written in yaml.safe_load(path.read_text(encoding="utf-8")):
            fields: dict[str, Any] = {
                key: tuple(value) if isinstance(value, list) else value for key, value in written.items()
            }
            fields["stdio"] = tuple(map(tuple, fields.get("stdio", ())))
            calls = [_javascript(*call) for call in fields.pop("calls", ())]
            calls += [_python(line) for line in fields.pop("checks", "").splitlines()]
            yield Problem(topic=path.stem, called=tuple(calls), **fields)


def _javascript(function: str, args: list[Any], expected: Any) -> Call:
    return Call(function, args, expected, f"{function}({', '.join(map(json.dumps, args))})")


def _python(line: str) -> Call:
    tree = ast.parse(line, mode="eval").body
    match tree:
        case ast.Compare(left=ast.Call(func=ast.Name(id=name), args=args) as call, ops=[ast.Eq()], comparators=[right]):
            values = [_value(each) for each in args]
            return Call(name, values, _value(right), ast.unparse(call))
    raise ValueError(f"{line!r} is no check")


def _value(tree: ast.expr) -> Any:
    """Our own expressions: literals, ``10**40``, ``set()``."""
    return eval(compile(ast.Expression(tree), "check", "eval"), {"__builtins__": {}, "set": set})
