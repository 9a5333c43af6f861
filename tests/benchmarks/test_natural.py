"""The benchmark on others' references: its evaluator, what it makes of a reference, and that all of it runs."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from random import Random

import pytest

from benchmarks.natural.__main__ import main
from benchmarks.natural.math import items
from benchmarks.natural.misses import RULES, misses
from benchmarks.natural.part import PARTS, part
from benchmarks.natural.read import read
from benchmarks.natural.respellings import respellings
from benchmarks.natural.tree import Unread
from benchmarks.natural.worth import Same, compared

REFERENCES = (
    "42", "\\frac{3}{8}", "-56 x^{2} y", "x=2", "y=e^{-3 t}(10 \\cos t-70 \\sin t)", "(1,-16,-4,43)", "2 \\sqrt{3}+1",
    "x > - 2", "(-\\infty, 2) \\cup (3, \\infty)", "$x=-2$ or $x=2$", "25 \\mathrm{ft}", "f(0)+1", "90^\\circ",
)  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("\\frac{1}{2} x", "x / 2", Same.YES),
        ("(x+1)^2", "x^2+2x+1", Same.YES),
        ("(x+1)^2", "x^2+1", Same.NO),
        ("x=5", "x=6", Same.NO),
        ("2x-y=3", "4x-2y=6", Same.UNSURE),
        ("f(x)+1", "f(x)+2", Same.NO),
        ("k(x+1)", "kx+k", Same.UNSURE),
        ("[0,1)", "[0,1]", Same.NO),
        ("1,2", "2,1", Same.UNSURE),
        ("90^\\circ", "\\pi/2", Same.YES),
        ("25 \\mathrm{ft}", "26 \\mathrm{ft}", Same.NO),
    ],
)
def test_what_the_evaluator_says(one: str, other: str, same: Same) -> None:
    assert compared(one, other) is same


@pytest.mark.parametrize("text", ["the answer", "2\\frac12", "\\sum_{k=1}^n k", "x^10", "a \\to b"])
def test_what_it_does_not_read(text: str) -> None:
    with pytest.raises(Unread):
        read(text)


def test_it_knows_nothing_of_the_verifiers() -> None:
    folder = Path(main.__code__.co_filename).parent
    for path in folder.glob("*.py"):
        if f"benchmarks.natural.{path.stem}" in PARTS.values():  # a part asks the verifier for its judgement
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("verifiers"), path


def test_every_reference_has_answers_of_both_kinds() -> None:
    for reference in REFERENCES:
        right = dict(respellings(reference, Random(1)))
        wrong = dict(misses(reference, Random(1)))
        assert right
        assert wrong
        assert reference not in wrong.values()
    assert {family for reference in REFERENCES for family, _ in misses(reference, Random(1))} <= RULES.keys()


def test_a_row_has_the_same_items_whatever_stands_beside_it() -> None:
    rows = [{"reference": reference} for reference in REFERENCES]
    alone = [item for row in rows for item in items([row])]
    assert alone == items(rows)


def test_all_parts_are_there() -> None:
    for name in PARTS:
        assert part(name).name == name


def test_it_runs_and_says_what_went_wrong(tmp_path: Path) -> None:
    rows = "".join(json.dumps({"source": "here", "prompt": None, "reference": one}) + "\n" for one in REFERENCES[:4])
    (tmp_path / "math_references.jsonl").write_text(rows, encoding="utf-8")
    given = ["--data", str(tmp_path), "--short", "--results", str(tmp_path), "--failures", str(tmp_path / "failures")]
    main([*given, "--only-ours", "--part", "math"])
    document = json.loads((tmp_path / "natural.short.json").read_text(encoding="utf-8"))
    whole = document["parts"]["math"]["contestants"]["Trueward"]["whole"]
    assert whole["wrong_accepted"]["of"] > 10
    assert whole["right_rejected"]["of"] > 10
    assert (tmp_path / "failures").exists()
