"""Rewrites of programs do what the programs did, mutants are made where they can be killed, hostile source is left."""

from __future__ import annotations

import ast
import contextlib
import io
from collections.abc import Callable

import pytest

from audits.metamorphic import mutants, programs
from audits.metamorphic.program import LONGEST, parse_program
from audits.metamorphic.transformation import Task, Transformation
from trueward.wire.sample import Sample
from verifiers.code.block import blocks

PROGRAM = '''\
"""Counts."""
from __future__ import annotations
import math

def count(words, least=1):
    # a comment
    found = {}
    total = 0
    for word in words:
        if len(word) >= 3 and word not in found:
            found[word] = sum(len(each) for each in words if each == word)
            total += 1
        else:
            total = total + 0
    return found, total, f"{total=}"

def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps > 1000:
            break
    return steps

def primes(limit):
    """Below a limit."""
    out = []
    for number in range(2, limit):
        if all(number % each for each in range(2, math.isqrt(number) + 1)):
            out.append(number)
    return (
        out
    )

def safe(text):
    try:
        value = int(text)
    except ValueError as value_error:
        return str(value_error)
    else:
        return -value

print(count(["abc", "de", "abc", "fgh"]), collatz(27), primes(30), safe("x"), safe("4"))
'''
TESTS = {"stdio": [{"stdin": "", "stdout": ""}]}


def said(program: str) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(program, "program", "exec", dont_inherit=True), {"__name__": "__main__"})
    return output.getvalue()


def changed(transformation: Transformation, program: str, seed: int = 0) -> str | None:
    sample = Sample(response=f"````python\n{program}\n````", reference=TESTS)
    response = transformation.apply(Task(sample, "", "code"), seed)
    return None if response is None else blocks(response)[-1].text


def named(name: str) -> Callable[[str], str | None]:
    [transformation] = [each for each in (*programs.PROGRAMS, *mutants.MUTANTS) if each.name == name]
    return lambda program: changed(transformation, program)


@pytest.mark.parametrize("transformation", programs.PROGRAMS, ids=lambda each: each.name)
def test_a_rewrite_fits_and_says_the_same(transformation: Transformation) -> None:
    rewritten = changed(transformation, PROGRAM)
    assert rewritten is not None
    assert rewritten != PROGRAM
    assert said(rewritten) == said(PROGRAM)


@pytest.mark.parametrize("transformation", mutants.MUTANTS, ids=lambda each: each.name)
def test_a_mutant_is_another_program_of_one_change(transformation: Transformation) -> None:
    found = {changed(transformation, PROGRAM, seed) for seed in range(6)}
    assert None not in found
    assert len(found) > 1 or transformation.name == "mutant_connective"
    printed = ast.unparse(ast.parse(PROGRAM)).splitlines()
    for mutant in found:
        assert mutant is not None
        assert sum(old != new for old, new in zip(printed, mutant.splitlines(), strict=True)) == 1


def test_names_that_others_see_stay() -> None:
    rename = named("program_locals_renamed")
    kept = (
        "def f(a, *b, c=1, **d):\n    global e\n    e = a\n    import os as g\n    return [x for x in b]\nprint(f(1))"
    )
    assert rename(kept) is None
    assert rename("def f():\n    a = 1\n    def g():\n        return a\n    return g()\nprint(f())") is None
    assert rename("def f():\n    a = 1\n    return locals()\nprint(f())") is None
    renamed = rename("def f():\n    a = 1\n    return a\nprint(f())")
    assert renamed is not None
    assert "a = 1" not in renamed.replace("local_0_of_f", "")


def test_only_counters_are_counted_otherwise() -> None:
    count = named("program_increments")
    assert count("def f(a):\n    a += 1\n    return a") is None
    assert count("def f():\n    a = []\n    a += [1]\n    return a") is None
    assert count("def f():\n    a = 0\n    for a in range(3):\n        a += 1\n    return a") is None
    assert count("def f():\n    a = 0\n    a += 1\n    return a") == "def f():\n    a = 0\n    a = a + 1\n    return a"


def test_a_loop_with_an_else_stays() -> None:
    assert named("program_loops")("while input():\n    pass\nelse:\n    print(1)") is None


def test_functions_whose_definition_does_something_stay_in_order() -> None:
    reorder = named("program_functions_reordered")
    assert reorder("def f():\n    return 1\ndef g(a=f()):\n    return a") is None
    assert reorder("def f():\n    return 1\ndef f():\n    return 2") is None
    assert reorder("@print\ndef f():\n    return 1\ndef g():\n    return 2") is None


def test_the_test_for_main_is_no_logic() -> None:
    main = "if __name__ == '__main__':\n    print('x')"
    assert named("mutant_comparison")(main) is None
    assert named("mutant_condition")(main) is None
    assert named("mutant_return_removed")("def f():\n    return None\n    return") is None


@pytest.mark.parametrize(
    "program",
    [
        "def f(:",
        "x = " + "(" * 5000 + ")" * 5000,
        "x = " + "1+" * 20_000 + "1",
        "x = " + "-" * 3000 + "1",
        "x = [" + "[" * 90 + "]" * 90 + "]",
        "x = 1\n" * LONGEST,
        "x = " + "9" * 5000,
        "x = '\\d'\0",
        "",
    ],
    ids=["broken", "nested", "long sum", "signs", "lists", "long", "digits", "nul", "empty"],
)
def test_hostile_source_is_left_alone(program: str) -> None:
    assert all(changed(each, program) is None for each in (*programs.PROGRAMS, *mutants.MUTANTS))


def test_a_program_with_fences_in_it_stays_one_block() -> None:
    program = 'text = """\n```\nprint(1)\n```\n"""\nprint(text)'
    rewritten = named("program_with_comments")(program)
    assert rewritten is not None
    assert said(rewritten) == said(program)


def test_other_languages_and_other_references_do_not_fit() -> None:
    transformation = programs.PROGRAMS[0]
    response = "```python\nprint(1)\n```"
    fits = Task(Sample(response=response, reference='{"stdio": []}'), "", "code")
    assert transformation.apply(fits, 0) is not None
    for task in (
        Task(Sample(response=response, reference="1"), "", "code"),
        Task(Sample(response=response, reference=TESTS, metadata={"language": "cpp"}), "", "code"),
        Task(Sample(response=response, reference=TESTS), "", "code", {"language": "java"}),
        Task(Sample(response="```java\nint x;\n```", reference=TESTS), "", "code"),
        Task(Sample(response="no program", reference=TESTS), "", "code"),
    ):
        assert transformation.apply(task, 0) is None
    assert parse_program("x = '\\d'") is not None
