"""What a candidate could let judge in the tests' place: loops that it ends, matchers, libraries of arrays.

Each attack goes with what looks like it and is right.
"""

from __future__ import annotations

import pytest

from sandbox.harness import Call, NotPlain, Returned, calls_program, encode_calls, results_of
from tests.sandbox.harness.pairing import run_alone, split

STOPS = "def f(x): raise StopIteration"
LOOPS = {
    "all of map": "assert all(map(lambda case: f(case[0]) == case[1], [(1, 2), (3, 4)]))",
    "not any of map": "assert not any(map(lambda case: f(case[0]) != case[1], [(1, 2), (3, 4)]))",
    "zip of map": "for got, want in zip(map(f, [1, 2]), [5, 6]):\n    assert got == want",
    "next with a default": "assert next(filter(lambda case: f(case[0]) != case[1], [(1, 2)]), None) is None",
    "dict of zip": "for got in dict(zip('ab', map(f, [1, 2]))).values():\n    assert got == 7",
    "takewhile": "import itertools\nassert not list(itertools.takewhile(lambda x: f(x) != 3, [1]))",
}
WAYS = {
    "a function": (STOPS, "f"),
    "a class of its own": ("class Stop(StopIteration): pass\ndef f(x): raise Stop", "f"),
    "a method": ("class A:\n    def g(self, x): raise StopIteration", "A().g"),
    "a property": (
        "class A:\n    @property\n    def b(self): raise StopIteration\ndef g(): return A()",
        "lambda x: g().b",
    ),
    "a text": ("class A:\n    def __str__(self): raise StopIteration\ndef g(): return A()", "lambda x: str(g())"),
    "the tests' own": ("def f(x): return next(x)", "lambda x: f(iter(()))"),
}


@pytest.mark.parametrize("name", LOOPS)
def test_no_solution_ends_a_loop_of_the_tests(name: str) -> None:
    [result] = split(STOPS, LOOPS[name])
    assert (result.status, result.message) == ("error", "the solution raised StopIteration, which no test expects")


@pytest.mark.parametrize("name", WAYS)
def test_whatever_raises_it(name: str) -> None:
    code, called = WAYS[name]
    [result] = split(code, f"for got, want in zip(map({called}, [1, 2]), [5, 6]):\n    assert got == want")
    assert not result.passed


def test_nor_a_group_of_tasks() -> None:
    code = "import asyncio\nasync def f(x): raise asyncio.CancelledError"
    test = (
        "async def check(x):\n    assert await f(x) == 4\nasync def main():\n"
        "    async with tasks.TaskGroup() as group:\n        group.create_task(check(1))\n"
        "import asyncio as tasks\ntasks.run(main())"
    )
    [result] = split(code, test)
    assert result.message == "the solution raised CancelledError, which no test expects"


def test_a_stop_that_the_tests_name_and_the_end_of_an_iterator_are_what_they_are() -> None:
    code = (
        "def first(items): return next(iter(items))\ndef two():\n    yield 1\n    yield 2\n"
        "class Count:\n    def __init__(self): self.n = 0\n    def __iter__(self): return self\n"
        "    def __next__(self):\n        self.n += 1\n        if self.n > 2: raise StopIteration\n"
        "        return self.n\n"
    )
    results = split(
        code,
        "try:\n    first([])\nexcept StopIteration:\n    pass\nelse:\n    assert False",
        "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n"
        "        with self.assertRaises(StopIteration): first([])",
        "assert list(two()) == [1, 2]",
        "assert list(Count()) == [1, 2] and sum(Count()) == 3 and max(map(abs, Count())) == 2",
        "assert next(iter(two()), None) == 1",
    )
    assert [result.status for result in results] == ["passed"] * len(results), results


ANYTHING = "class Any:\n    def __eq__(self, other): return True\n"
NEAR = (
    "class Near:\n    def __init__(self, value, within=1e-6): self.value, self.within = value, within\n"
    "    def __eq__(self, other): return abs(self.value - other) <= self.within\n"
)
PATTERN = (
    "import re\nclass Like:\n    def __init__(self, pattern): self.pattern = pattern\n"
    "    def __eq__(self, other): return re.fullmatch(self.pattern, other) is not None\n"
)
MADE = "def f():\n    class {name}: pass\n    made = {name}()\n    vars(made).update({values})\n    return made"
MATCHERS = {
    "anything is a number": (ANYTHING, MADE.format(name="Any", values="{}"), "assert f() == 4"),
    "anything is a dict": (ANYTHING, MADE.format(name="Any", values="{}"), "assert {'a': 4} == f()"),
    "anything within": (ANYTHING, "def f():\n    class Any: pass\n    return [Any()]", "assert f() == [4]"),
    "anything among": (ANYTHING, MADE.format(name="Any", values="{}"), "assert f() in (4, 5)"),
    "far is near": (NEAR, MADE.format(name="Near", values="{'value': 0, 'within': 1e9}"), "assert f() == 4"),
    "any text": (PATTERN, MADE.format(name="Like", values="{'pattern': '.*'}"), "assert f() == 'four'"),
    "any digit": (PATTERN, MADE.format(name="Like", values="{'pattern': '[0-9]'}"), "assert f() == '4'"),
    "not far is near": (
        NEAR.replace("__eq__", "__ne__").replace("<=", ">"),
        MADE.format(name="Near", values="{'value': 0, 'within': 1e9}"),
        "if f() != 4:\n    raise ValueError",
    ),
    "near by a part of a function": (
        f"import functools\n{NEAR}    __eq__ = functools.partialmethod(__eq__)\n",
        MADE.format(name="Near", values="{'value': 0, 'within': 1e9}"),
        "assert f() == 4",
    ),
}
SIEVES = {
    "every second number": ("range(-10**14, 10**14, 2)", "900000000004"),
    "every seventh": ("range(-7 * 10**13, 10**14, 7)", "700000000000"),
    "every thirtieth": ("range(-3 * 10**14, 10**14, 30)", "900000000030"),
    "numbers of twelve digits": ("range(10**11, 10**12, 10)", "900000000010"),
    "some letters": ("{'hello': 1, 'jello': 1, 'cello': 1, **{f'h{x}llo': 1 for x in 'abcdefgh'}}", "'hello'"),
    "digits": ("[str(number) for number in range(0, 10000, 3)]", "'4242'"),
}
ONE_OF = (
    "class OneOf:\n    def __init__(self, of): self.of = of\n    def __eq__(self, other): return other in self.of\n"
)


@pytest.mark.parametrize("name", MATCHERS)
def test_no_solution_makes_a_matcher_of_the_tests(name: str) -> None:
    tests, code, judged = MATCHERS[name]
    [result] = split(code, tests + judged)
    assert result.status == "not_plain", result


@pytest.mark.parametrize("name", SIEVES)
def test_nor_one_with_holes(name: str) -> None:
    allowed, wanted = SIEVES[name]
    code = f"def f():\n    class OneOf: pass\n    made = OneOf()\n    made.of = {allowed}\n    return made"
    # in some of them the tests look for as long as they are let
    [result] = split(code, f"{ONE_OF}assert f() == {wanted}", wall_s=2.0)
    assert not result.passed


def test_the_tests_own_matchers_and_classes_with_an_equality_work() -> None:
    money = (
        "class Money:\n    def __init__(self, n): self.n = n\n"
        "    def __eq__(self, other): return self.n == (other.n if isinstance(other, Money) else other)\n"
    )
    code = (
        "class Money:\n    def __init__(self, n): self.n = n\n"
        "def f(x): return Money(x + 1)\ndef g(x): return {'id': x, 'root': 1.4142135}"
    )
    results = split(
        code,
        f"{money}assert f(3) == Money(4) and f(3) == 4 and 4 == f(3) and f(3) != 5 and f(3) in [1, 4]",
        f"{ANYTHING}assert g(7) == {{'id': Any(), 'root': 1.4142135}}",
        f"{NEAR}assert g(7) == {{'id': 7, 'root': Near(2 ** 0.5)}}",
        f"{money}assert f(3) == 5",
    )
    assert [result.status for result in results] == ["passed", "passed", "passed", "failed"], results


ARRAYS = {
    "functions": "def __array_function__(self, *given): return True",
    "operators": "def __array_ufunc__(self, *given, **named): return True",
    "memory": "__array_interface__ = {'version': 3, 'shape': (1,), 'typestr': '<f8', 'data': (4096, False)}",
    "conversion": "def __array__(self, *given, **named): return [4.0]",
    "struct": "__array_struct__ = 7",
}


@pytest.mark.parametrize("name", ARRAYS)
def test_no_object_tells_a_library_of_arrays_what_is_close(name: str) -> None:
    code = f"class N:\n    __array_priority__ = 1e9\n    {ARRAYS[name]}\ndef f(x): return N()"
    results = split(
        code,
        "import numpy as np\nassert np.allclose(f(2), [4.0])",
        "import numpy as np\nassert (np.array([4.0]) == f(2)).all()",
        "import numpy as np\nnp.testing.assert_allclose(f(2), [4.0])",
        "import numpy as np\nassert np.array_equal(f(2), [4.0])",
    )
    assert {result.status for result in results} <= {"error", "failed", "not_plain"}, results


def test_arrays_and_numbers_of_numpy_are_what_they_hold() -> None:
    results = split(
        "import numpy as np\ndef eye(n): return np.eye(n)\ndef ints(): return np.array([1, 4])\n"
        "def count(): return np.int64(4)\ndef yes(): return np.bool_(True)\ndef half(): return np.float32(0.5)",
        "import numpy as np\nassert np.allclose(eye(2), [[1, 0], [0, 1]])",
        "import numpy as np\nnp.testing.assert_array_equal(ints(), np.array([1, 4]))",
        "assert list(ints()) == [1, 4] and ints().tolist() == [1, 4] and ints()[1] == 4 and len(ints()) == 2",
        "assert count() == 4 and count() + 1 == 5 and yes() == True and yes() and half() == 0.5",
        "import numpy as np\nassert np.allclose(eye(2), [[1, 0], [0, 2]])",
        "assert count() == 5",
    )
    assert [result.status for result in results] == ["passed"] * 4 + ["failed"] * 2, results


def test_a_group_of_exceptions_crosses_with_its_exceptions() -> None:
    code = "def f(): raise ExceptionGroup('both', [ValueError('a'), TypeError('b')])"
    results = split(
        code,
        "try:\n    f()\nexcept* ValueError as found:\n    assert [str(one) for one in found.exceptions] == ['a']\n"
        "except* TypeError:\n    pass\nelse:\n    assert False",
        "try:\n    f()\nexcept ExceptionGroup as found:\n    assert len(found.exceptions) == 3",
    )
    assert [result.status for result in results] == ["passed", "failed"], results


def test_numbers_of_numpy_are_numbers_for_the_host_too() -> None:
    code = (
        "import numpy as np\ndef total(items): return np.sum(items)\n"
        "def each(): return [np.int8(1), {np.int64(2): 0}]\n"
        "def yes(): return np.bool_(True)\ndef third(): return np.float32(0.25)\ndef many(): return np.array([1])"
    )
    calls = [Call("total", [[1, 2]], {}), *(Call(name, [], {}) for name in ("each", "yes", "third", "many"))]
    found = results_of(run_alone(calls_program("python", code), encode_calls(calls)).stdout)
    values = [result.value if isinstance(result, Returned) else type(result) for result in found]
    assert values == [3, [1, {2: 0}], True, 0.25, NotPlain]
    assert type(values[2]) is bool


OWN = {
    "unittest": "class unittest:\n    class TestCase:\n        def assertEqual(self, *args): pass\ndef f(x): return 0",
    "pytest": "class pytest:\n    @staticmethod\n    def approx(*args): return 0\ndef f(x): return 0",
    "sys": "class sys:\n    @staticmethod\n    def intern(text): return 0\ndef f(x): return 0",
    "difflib": "class difflib:\n    @staticmethod\n    def get_close_matches(*args): return [1]\ndef f(x): return 0",
}
WITHOUT_IMPORT = {
    "unittest": "unittest.TestCase().assertEqual(f(1), 4)",
    "pytest": "assert f(1) == pytest.approx(4)",
    "sys": "assert f(1) == sys.intern('4')",
    "difflib": "assert difflib.get_close_matches(str(f(1)), ['4'])",
}
IMPORTS = {"sys": "'4'"}


@pytest.mark.parametrize("name", OWN)
def test_a_module_that_a_test_names_without_importing_it_is_never_the_solutions(name: str) -> None:
    right = f"import {name}\ndef f(x): return {IMPORTS.get(name, '4')}"
    [forged], [passed] = split(OWN[name], WITHOUT_IMPORT[name]), split(right, WITHOUT_IMPORT[name])
    assert (forged.passed, passed.passed) == (False, True)


def test_what_no_module_of_that_name_has_is_the_solutions() -> None:
    code = "class Lines:\n    def join(self, who): return [who]\nqueue = calendar = Lines()\ndef select(x): return x"
    results = split(
        code, "assert queue.join('a') == ['a']", "assert calendar.join('b') == ['b']", "assert select(1) == 1"
    )
    assert all(result.passed for result in results), results
