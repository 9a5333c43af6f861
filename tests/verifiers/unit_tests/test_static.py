"""What the text of a suite shows: its tests, and each smell alone."""

from __future__ import annotations

import ast

import pytest

from verifiers.unit_tests.static import each_test, smells_of


def smells(body: str) -> set[str]:
    [(_, statements)] = each_test(ast.parse("def test_it():\n    " + body.replace("\n", "\n    ")))
    return set(smells_of(statements))


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("assert f(1) == 2", ""),
        ("self.assertEqual(f(1), 2)", ""),
        ("with pytest.raises(ValueError):\n    f(-1)", ""),
        ("x = f(1)\nassert x\nassert x > 1", ""),
        ("f(1)", "no_assertion"),
        ("f(1)\nassert True", "trivial_assertion"),
        ("f(1)\nself.assertEqual(1, 1)", "trivial_assertion"),
        ("assert f(1) == 2\nassert f(1) == 2", "duplicate_assertion"),
        ("assert x == 2", "no_call"),
        ("if f(1):\n    assert f(2)", "conditional"),
        ("assert (1 if f(1) else 2) == 1", "conditional"),
        ("try:\n    assert f(1)\nexcept ValueError:\n    pass", "exception_handling"),
        ("print(f(1))\nassert f(1)", "print"),
        ("time.sleep(1)\nassert f(1)", "sleep"),
        ("assert f(1)\nsys.exit(0)", "exit_or_skip"),
        ("pass", "no_assertion no_call"),
    ],
)
def test_each_smell_is_found_and_no_other(body: str, found: str) -> None:
    assert smells(body) == set(found.split())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def test_a(): pass\ndef helper(): pass\nasync def test_b(): pass", ["test_a", "test_b"]),
        ("class TestX:\n    def test_a(self): pass\n    def setUp(self): pass", ["TestX.test_a"]),
        ("from solution import f\nassert f(1) == 2", ["<module>"]),
        ("def helper(): assert True", []),
        ("x = 1", []),
    ],
)
def test_tests_are_found(text: str, names: list[str]) -> None:
    assert [name for name, _ in each_test(ast.parse(text))] == names
