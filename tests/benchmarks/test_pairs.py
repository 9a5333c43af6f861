"""The pairs are what they claim: distinct, balanced over forms, labelled by what their two sides are worth."""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import pairs
from benchmarks.accuracy import Rate, Score
from benchmarks.pairs import FORMS, Pair, open_pairs, sealed_pairs
from benchmarks.pairs.pair import Family
from tests.benchmarks.reading import Unread, value

NUMERIC = (
    "integers",
    "decimals",
    "fractions",
    "scientific",
    "polynomials",
    "rational functions",
    "complex numbers",
    "logarithms",
    "radicals",
    "trigonometric values",
    "multiples of pi",
)
"""Forms that a reader of expressions can evaluate."""


def test_the_open_set_is_as_large_as_promised_and_half_right() -> None:
    found = open_pairs()
    assert Counter(pair.right for pair in found) == {True: 2_500, False: 2_500}
    assert len({(pair.references, pair.answer) for pair in found}) > 4_990


def test_a_smaller_open_set_begins_the_larger_one() -> None:
    assert open_pairs(300) == open_pairs(500)[:600]


def test_each_form_has_its_share_of_both_labels() -> None:
    shares = Counter((pair.form, pair.right) for pair in open_pairs(39 * 20))
    assert {form for form, _ in shares} == set(FORMS)
    assert set(shares.values()) == {20}


def test_the_sealed_set_shares_nothing_with_the_open_one() -> None:
    known = {(pair.references, pair.answer) for pair in open_pairs()}
    sealed = sealed_pairs()
    counts = Counter(pair.right for pair in sealed)
    shared = sum((pair.references, pair.answer) in known for pair in sealed)
    assert (counts[True], counts[False], shared) == (1_000, 1_000, 0)


def test_no_pair_is_right_and_wrong() -> None:
    labels: dict[tuple[tuple[str, ...], str], bool] = {}
    assert all(labels.setdefault((pair.references, pair.answer), pair.right) is pair.right for pair in open_pairs())


def test_a_wrong_answer_is_never_the_reference_and_a_right_one_seldom() -> None:
    found = open_pairs()
    same = [pair for pair in found if pair.answer in pair.references]
    assert all(pair.right for pair in same)
    assert len(same) < 0.2 * len(found)


def test_every_family_draws_every_reference_answer_and_change() -> None:
    """A form that no value has, or a change that changes nothing, would be dead code."""
    families = {id(s): s for sources in FORMS.values() for s in sources if isinstance(s, Family)}
    for family in families.values():
        used = {name for right in (True, False) for pair in _many(family, right) for name in _names(pair)}
        named = {part.__name__ for part in (*family.references, *family.answers, *family.changes)}
        assert named == used, family.form


def _many(family: Family[object], right: bool) -> Iterator[Pair]:
    dice = random.Random(5)
    return (family(dice, right) for _ in range(150))


def _names(pair: Pair) -> list[str]:
    return pair.transformation.split(" > ")


@pytest.mark.parametrize("form", NUMERIC)
def test_labels_agree_with_a_second_reading(form: str) -> None:
    dice = random.Random(11)
    read = 0
    for n in range(400):
        pair = dice.choice(FORMS[form])(dice, n % 2 == 0)
        try:
            reference, answer = value(pair.references[0]), value(pair.answer)
        except Unread:
            continue
        if form == "integers" and abs(reference) > 1e9:
            continue
        read += 1
        close = abs(reference - answer) <= 1e-9 * max(abs(reference), abs(answer))
        close = close or (abs(reference) < 1e-9 and abs(answer) < 1e-9 and form == "trigonometric values")
        assert close is pair.right, pair
    assert read > 280


def test_the_generators_know_no_verifier_and_no_algebra_system() -> None:
    for file in Path(str(pairs.__file__)).parent.glob("*.py"):
        nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        assert not {name.partition(".")[0] for name in names} & {"verifiers", "sympy", "math_verify", "app"}, file


def test_clopper_pearson_bounds_are_those_of_the_tables() -> None:
    assert Rate.of_all(0, 1_000).upper == pytest.approx(1 - 0.05 ** (1 / 1_000), abs=1e-5)
    assert Rate.of_all(5, 10).upper == pytest.approx(0.7776, abs=1e-4)
    assert Rate.of_all(10, 10).upper == 1.0


def test_a_missing_verdict_is_neither_accepted_nor_rejected_nor_right() -> None:
    right = next(pair for pair in open_pairs(40) if pair.right)
    wrong = next(pair for pair in open_pairs(40) if not pair.right)
    score = Score.of([right, right, wrong, wrong], [True, None, None, True])
    assert (score.accuracy.count, score.abstained.count) == (1, 2)
    assert (score.wrong_accepted.count, score.right_rejected.count) == (1, 0)
