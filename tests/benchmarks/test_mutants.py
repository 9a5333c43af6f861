"""The faults that are put into the product to try the tests: what they are, how they are drawn and found again."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent, indent

import pytest

from benchmarks.mutants.beside import beside
from benchmarks.mutants.choice import COUNT, choose, chosen
from benchmarks.mutants.mutant import EVENT, Gone, Mutant, marked
from benchmarks.mutants.places import product, spots
from benchmarks.mutants.purity import is_pure
from benchmarks.mutants.spans import edited
from benchmarks.shape.sources import Source
from tests.benchmarks.mutated import CODE, PATH


def source(text: str, path: str = PATH, package: str = "app") -> Source:
    return Source(package, path, dedent(text))


def body(text: str, signature: str = "def made(self, a, b):") -> Source:
    return source(f"{signature}\n{indent(dedent(text).strip(), '    ')}\n")


def faults(made: Source) -> list[tuple[str, str]]:
    """Each place's operator, and what it makes of its line."""
    found = []
    for spot in spots([made]):
        changed = edited(made.text, list(spot.place.edits)).split("\n")
        line = made.text.count("\n", 0, spot.place.edits[0].span.start)
        found.append((spot.place.operator, changed[line].strip()))
    return found


def every(text: str = CODE, path: str = PATH) -> list[Mutant]:
    made = source(text, path)
    return choose([made], count=len(list(spots([made]))))


def one(wanted: Callable[[Mutant], bool], text: str = CODE) -> Mutant:
    return next(mutant for mutant in every(text) if wanted(mutant))


@pytest.mark.parametrize(
    ("line", "operator", "mutated"),
    [
        ("return a < b", "comparison", "return a <= b"),
        ("return (a) >= (b)", "comparison", "return (a) > (b)"),
        ("return a == b", "comparison", "return a != b"),
        ("return a is not b", "comparison", "return a is b"),
        ("return a not  in b", "comparison", "return a in b"),
        ("return a and b and self", "and, or", "return a or b or self"),
        ("return not a", "not removed", "return a"),
        ("return 'é', a[-1]", "number plus 1", "return 'é', a[-2]"),
        ("return a * 0.5", "number plus 1", "return a * 1.5"),
        ("return a(b=True)", "truth", "return a(b=False)"),
        ("return a - b", "arithmetic", "return a + b"),
        ("return a / b", "arithmetic", "return a * b"),
        ("a += b", "arithmetic", "a -= b"),
        ("return min(a, b)", "min, max", "return max(a, b)"),
        ("return a.get(b, self)", "default of get", "return a.get(b, None)"),
        ("a.close(b)", "statement removed", "pass"),
        ("self.a = b", "statement removed", "pass"),
        ("for _ in a: continue", "continue, break", "for _ in a: break"),
    ],
)
def test_an_operator_makes_one_fault(line: str, operator: str, mutated: str) -> None:
    assert (operator, mutated) in faults(body(line))


def test_each_comparison_of_a_chain_is_a_place() -> None:
    assert faults(body("return 'x' <= a < b")) == [
        ("comparison", "return 'x' < a < b"),
        ("comparison", "return 'x' <= a <= b"),
    ]


@pytest.mark.parametrize(("returned", "expected"), [("bool", 1), ("int | None", 1), ("Optional[int]", 1), ("int", 0)])
def test_nothing_is_returned_where_callers_expect_it_at_times(returned: str, expected: int) -> None:
    made = body("return a.b", f"def made(a) -> {returned}:")
    assert faults(made) == [("nothing returned", "return None")] * expected


@pytest.mark.parametrize(
    "text",
    [
        '"""A docstring with 1 < 2."""',
        "return f'{a + b} of {1 < a}'",
        "return 'a' + b",
        "return a + [b]",
        "log.error('event', count=a + 1)",
        "a: Literal[1] = b",
        "assert b, a + 1",
        "if TYPE_CHECKING:\n    a.close()",
        "match a:\n    case 1 | True:\n        return b",
        "return a(timeout=30.0, maxsize=4)",
        "return a.get(b)",
        "a = b",
    ],
)
def test_what_is_no_fault_is_left_out(text: str) -> None:
    assert faults(body(text)) == []


def test_only_bodies_of_functions_are_changed() -> None:
    text = """
        LIMIT = 1 + 2

        @decorated(3)
        def outer(a: int = 4) -> None:
            class Inner:
                field = 5

                def method(self, b: int = 6) -> int:
                    return 7
        """
    found = list(spots([source(text)]))
    assert [(spot.function, spot.place.operator) for spot in found] == [("outer.Inner.method", "number plus 1")]


def test_programs_that_are_data_and_tests_are_no_part_of_the_product() -> None:
    paths = ["app/demo/batch.py", "sandbox/conformance/probes/find.py", "judges/presets/library.py"]
    kept = source("", "rewards/rule.py", "rewards")
    others = [source("", path) for path in paths]
    assert product([kept, *others, source("", "tests/made.py", "tests")]) == [kept]


def test_the_same_seed_draws_the_same_places() -> None:
    sources = [source(CODE), source(CODE, "app/other.py")]
    assert choose(sources, 5, seed=1) == choose(sources, 5, seed=1)
    assert choose(sources, 5, seed=1) != choose(sources, 5, seed=2)


def test_every_place_is_drawn_once_and_none_is_likelier() -> None:
    few, many = source("def made(a): return a < 1", "app/few.py"), source(CODE)
    total = len(list(spots([few, many])))
    places = [(mutant.path, mutant.line, mutant.mutated) for mutant in choose([few, many], count=10 * total)]
    assert len(places) == len(set(places)) == total
    drawn = Counter(choose([few, many], 1, seed)[0].path for seed in range(200))
    assert drawn["app/few.py"] / 200 == pytest.approx(2 / total, abs=0.05)


def test_what_is_no_program_is_passed_over() -> None:
    made = source("def made(a):\n    return not(a)\n")
    assert faults(made) == [("not removed", "return a)")]
    assert choose([made]) == []


def test_a_mutant_is_found_where_its_text_has_moved_to() -> None:
    mutant = one(lambda mutant: mutant.mutated == "    if a <= b:")
    later = "import late\n\n" + CODE.replace("def both", "def first(a, b):\n    if a < b:\n        pass\n\n\ndef both")
    assert mutant.applied(later) == later.replace("-> bool:\n    if a < b:", "-> bool:\n    if a <= b:")


def test_a_line_that_a_function_has_twice_is_told_apart() -> None:
    text = "def made(a):\n    a.go()\n    a.stop()\n    a.go()\n"
    first, _, second = every(text)
    assert (first.nth, second.nth) == (0, 1)
    assert second.applied(text) == "def made(a):\n    a.go()\n    a.stop()\n    pass\n"


@pytest.mark.parametrize("later", [CODE.replace("a < b", "b > a"), CODE.replace("def both", "def other"), ""])
def test_a_mutant_whose_text_is_gone_says_so(later: str) -> None:
    mutant = one(lambda mutant: mutant.mutated == "    if a <= b:")
    with pytest.raises(Gone, match=r"app/made\.py: both"):
        mutant.applied(later)
    assert marked(later, [mutant]) == later


def test_marked_code_does_the_same_and_tells_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[object, ...]] = []
    mutants = every()
    names: dict[str, Callable[[int, int], bool]] = {}
    exec(marked(CODE, mutants), names)
    monkeypatch.setattr(sys, "audit", lambda *event: heard.append(event))
    assert (names["both"](2, 1), names["both"](1, 1)) == (True, False)
    reached = {mutant.number for mutant in mutants if "a == 1" not in mutant.original}
    assert set(heard) == {(EVENT, number) for number in reached}


def test_statements_and_several_lines_are_marked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def made(a):\n    if a: a.append(\n        1\n    )\n    return [b for b in a if b and\n        b < 3]\n"
    heard: list[object] = []
    names: dict[str, Callable[[list[int]], list[int]]] = {}
    mutants = every(text)
    exec(marked(text, mutants), names)
    monkeypatch.setattr(sys, "audit", lambda _, number: heard.append(number))
    assert names["made"]([4, 2]) == [2, 1]
    assert set(heard) == {mutant.number for mutant in mutants}


def test_the_files_beside_a_module_mirror_it_or_import_it(tmp_path: Path) -> None:
    texts = {
        "tests/app/kit/test_text.py": "",
        "tests/app/kit/test_other.py": "from app.kit import clock",
        "tests/client/test_retries.py": "import trueward.client.deadline",
        "tests/trainer/losses/test_losses.py": "",
    }
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = {
        path: beside(path, sorted(texts), tmp_path, pure=pure)
        for path, pure in {
            "app/kit/text.py": False,
            "app/kit/clock.py": False,
            "app/kit/unknown.py": False,
            "app/kit/computed.py": True,
            "client/src/trueward/client/deadline.py": False,
            "trainer/src/trueward_trainer/losses/__init__.py": False,
            "rewards/rule.py": True,
        }.items()
    }
    assert list(found.values()) == [
        ["tests/app/kit/test_text.py"],
        ["tests/app/kit/test_other.py"],
        [],
        ["tests/app/kit/test_other.py", "tests/app/kit/test_text.py"],
        ["tests/client/test_retries.py"],
        ["tests/trainer/losses/test_losses.py"],
        [],
    ]


def test_a_module_is_pure_that_reaches_out_for_nothing() -> None:
    assert is_pure(source("import math\nfrom app.kit import text\n"))
    assert not is_pure(source("def made():\n    from app import tables\n"))
    assert not is_pure(source("async def made(): ...\n"))


def test_the_list_is_of_as_many_places_of_the_product_as_it_says() -> None:
    mutants = chosen()
    assert [mutant.number for mutant in mutants] == list(range(1, COUNT + 1))
    assert len({(mutant.path, mutant.line, mutant.mutated) for mutant in mutants}) == COUNT
    assert not [mutant for mutant in mutants if mutant.original == mutant.mutated]
