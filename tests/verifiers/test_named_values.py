"""JSON objects of named values, and remarks behind a value: what they say, and what they do not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueward import Sample, Verdict
from verifiers.math.verifier import MathVerifier
from verifiers.numeric import NumericVerifier

_VALUES = st.dictionaries(st.sampled_from("abcmnpqrstuvwxyz"), st.integers(-50, 50), min_size=2, max_size=5)


def judged(response: str, reference: str) -> Verdict:
    return MathVerifier().verify([Sample(response=response, reference=reference)])[0]


@settings(max_examples=40, deadline=None)
@given(_VALUES, st.data(), st.sampled_from(["answer", "final_answer", "result", "solution"]))
def test_an_object_of_named_values_says_what_its_equations_say(
    values: dict[str, int], data: st.DataObject, key: str
) -> None:
    reference = ", ".join(f"{name} = {value}" for name, value in values.items())
    members = data.draw(st.permutations(list(values.items())))
    assert judged(json.dumps({"reasoning": "so", key: dict(members)}), reference).outcome == "correct"
    name = members[0][0]
    wrong = [
        {**values, name: values[name] + 1},
        {("k" if other == name else other): value for other, value in values.items()},
        {**values, "k": 7},
        {other: value for other, value in values.items() if other != name},
    ]
    for one in wrong:
        assert judged(json.dumps({key: one}), reference).outcome != "correct", one


def test_an_object_that_names_a_value_twice_or_nests_is_no_answer_in_parts() -> None:
    for said in ('{"x": 1, "x": 1, "y": 2}', '{"x": {"a": 1}, "y": 2}', '{"x": [1], "y": 2}', '{"x": "", "y": 2}'):
        assert judged(f'{{"answer": {said}}}', "x = 1, y = 2").outcome == "invalid"


@pytest.mark.parametrize("remark", ["see above", "see below", "Option C", "choice b", "as shown above", "as required"])
@pytest.mark.parametrize("written", ["The answer is {}.", "\\boxed{{{}}}", "Answer: **{}**"])
def test_a_remark_behind_a_value_is_none_of_it(remark: str, written: str) -> None:
    for verifier in (MathVerifier(), NumericVerifier()):
        for value, right in (("42", True), ("43", False), ("-42", False), ("42/2", False)):
            response = written.format(f"{value} ({remark})")
            [verdict] = verifier.verify([Sample(response=response, reference="42")])
            assert (verdict.outcome == "correct") is right, (response, verdict)


@pytest.mark.parametrize("remark", ["43", "or 43", "not 43", "Option 43", "see 43", "x", "as shown above: 43"])
def test_another_value_behind_a_value_is_no_remark(remark: str) -> None:
    for verifier in (MathVerifier(), NumericVerifier()):
        [verdict] = verifier.verify([Sample(response=f"\\boxed{{42 ({remark})}}", reference="42")])
        assert verdict.outcome != "correct"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 99_999), st.integers(1, 9_999), st.sampled_from(["Ответ:", "Réponse :", "Antwort:", "Answer:"]))
def test_a_decimal_comma_is_read_beside_a_reference_that_is_not_whole(whole: int, decimals: int, marker: str) -> None:
    said = f"{whole},{decimals}"
    reference = f"{whole}.{decimals}"
    [verdict] = NumericVerifier().verify([Sample(response=f"{marker} {said}", reference=reference)])
    # three digits behind a comma are thousands
    thousands = len(str(decimals)) == 3 and 0 < whole < 1_000
    assert (verdict.outcome == "correct") is not thousands, verdict
    [other] = NumericVerifier().verify([Sample(response=f"{marker} {said}", reference=f"{whole + 1}.{decimals}")])
    assert other.outcome != "correct"
