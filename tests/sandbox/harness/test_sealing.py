"""A sealed solution does what it is asked to and does not tell how it is written."""

from __future__ import annotations

import pytest

from sandbox.harness import HarnessError, assertions_program, candidate_program, read_results
from tests.sandbox.harness.pairing import run_pair

CODE = """
import io, os, pathlib, random, types
from dataclasses import dataclass

@dataclass
class Point:
    x: int
    def up(self): return self.x + 1

def roll(): return random.randint(1, 6)
def there(path): return os.path.exists(path)
def text(): return io.StringIO('abc')
def space(): return types.SimpleNamespace(a=1)
def path(): return pathlib.PurePosixPath('a/b.txt')
def count(n): yield from range(n)
def top(key, items): return max(items, key=key)
"""
LOOKS = {
    "code": "roll.__code__.co_code",
    "constants": "roll.__code__.co_consts",
    "globals": "roll.__globals__",
    "builtins": "roll.__builtins__",
    "closure": "roll.__closure__",
    "a method's code": "Point(1).up.__func__.__code__",
    "a generator's frame": "count(3).gi_frame",
    "a generator's code": "count(3).gi_code",
    "a copy of the code": "copy.deepcopy(roll.__code__)",
    "code by its name": "raw.call(Point(1), '__getattribute__', ('up',), {})",
    "code by a text": "raw.call('{0.__code__}', 'format', (roll,), {})",
    "code by a text of its map": "raw.call('{f.__code__}', 'format_map', ({'f': roll},), {})",
    "code by the class of texts": "raw.call(str, 'format', ('{0.__code__}', roll), {})",
    "code by the method of texts": "raw.call(str.format, None, ('{0.__code__}', roll), {})",
    "code by attrgetter": "top(operator.attrgetter, ['__code__'])",
    "the loader": "raw.get(None, '__spec__').loader",
    "the module's names": "raw.get(None, '__dict__')",
    "the file by a module": "solution.io.open('candidate.py').read()",
    "the file by a module's module": "solution.random._os.popen('cat candidate.py').read()",
    "the file by a path": "solution.pathlib.Path('candidate.py').read_text()",
    "the file by a function": "top(open, ['candidate.py'])",
    "a text run as a program": "top(eval, ['__import__'])",
    "other classes": "raw.call(raw.get(Point, '__class__'), '__subclasses__', (Point,), {})",
    "another's code in its place": "setattr(roll, '__code__', there)",
}
USES = {
    "calls": "assert Point(1).up() == 2 and list(count(3)) == [0, 1, 2]",
    "comparison and text": "assert Point(1) == Point(1) and repr(Point(1)) == 'Point(x=1)'",
    "names and classes": "assert Point.__name__ == 'Point' and type(Point(1)) is Point and roll.__name__ == 'roll'",
    "a module's function replaced": "from unittest import mock\n"
    "with mock.patch('solution.random.randint', return_value=3):\n    assert roll() == 3",
    "a module's module's function replaced": "from unittest import mock\n"
    "with mock.patch('solution.os.path.exists', return_value=True):\n    assert there('x') is True",
    "files in memory": "assert text().getvalue() == 'abc'",
    "attributes of objects of the library": "assert space().a == 1 and path().name == 'b.txt'",
    "functions passed on": "assert top(len, ['a', 'bb']) == 'bb' and top(operator.neg, [1, 2]) == 1\n"
    "assert top(str.lower, ['a', 'B']) == 'B' and top(lambda x: -x, [1, 2]) == 1",
}
HEAD = "import copy, operator, solution\nfrom solution import *\nraw = vars(solution)['_session']\n"


def status(test: str, sealed: bool) -> str:
    tests = assertions_program("python", [HEAD + test], 10.0)
    first, _ = run_pair(tests, candidate_program("python", CODE, sealed=sealed))
    [result] = read_results(first, 1)
    return str(result.status)


@pytest.mark.parametrize("name", LOOKS)
def test_a_sealed_solution_does_not_tell_how_it_is_written(name: str) -> None:
    assert status(f"found = {LOOKS[name]}", sealed=True) in ("error", "channel_closed")


@pytest.mark.parametrize("name", ["code", "code by a text", "the file by a module", "the file by a function"])
def test_one_that_is_not_sealed_hides_nothing(name: str) -> None:
    assert status(f"found = {LOOKS[name]}", sealed=False) == "passed"


@pytest.mark.parametrize("name", USES)
def test_a_sealed_solution_is_used_like_any_other(name: str) -> None:
    assert status(USES[name], sealed=True) == status(USES[name], sealed=False) == "passed"


def test_javascript_cannot_be_sealed() -> None:
    with pytest.raises(HarnessError):
        candidate_program("javascript", "", sealed=True)
