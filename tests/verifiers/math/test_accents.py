"""References that the algebra system parses as it likes them written alone: every response has a score."""

from __future__ import annotations

from itertools import product

import pytest

from trueward.wire.sample import Sample
from verifiers import registry

ACCENTS = ("bar", "hat", "tilde", "vec", "dot", "ddot", "overline", "widehat", "widetilde")
NAMES = ("x", "q", "\\alpha", "\\mu")
GARBAGE = ("\\approx", "\\bar", "\\int x", "}{", "\\frac{", "2z + 1", "\\hat z = \\tilde w = 9", "x \\bar \\b")
MATH = registry.create("math", {})


def scores(reference: str, *answers: str) -> list[float | None]:
    samples = [Sample(response=f"\\boxed{{{answer}}}", reference=reference) for answer in answers]
    return [verdict.score for verdict in MATH.verify(samples)]


@pytest.mark.parametrize(("accent", "name"), list(product(ACCENTS, NAMES)))
def test_an_accent_without_braces_is_read_as_with_them(accent: str, name: str) -> None:
    bare, braced = f"\\{accent} {name} = 5", f"\\{accent}{{{name}}} = 5"
    for reference in (bare, braced):
        assert scores(reference, "5", bare, braced, "7") == [1.0, 1.0, 1.0, 0.0], reference
    for reference in (bare, braced, f"a = {bare}"):
        assert scores(reference, "5", reference, "7") == [1.0, 1.0, 0.0], reference
        assert None not in scores(reference, *GARBAGE), reference


@pytest.mark.parametrize(("function", "degrees"), list(product(("sin", "cos", "tan"), ("30", "78.95", "0.5", "12.25"))))
def test_degrees_may_have_decimals(function: str, degrees: str) -> None:
    reference = f"\\{function} {degrees}^\\circ"
    assert scores(reference, reference, f"\\{function}({degrees}°)", f"2\\{function} {degrees}°") == [1.0, 1.0, 0.0]
    assert None not in scores(reference, *GARBAGE)
