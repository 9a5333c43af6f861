"""Classes of slips and of second thoughts, each made anew for labels and numbers: read as they were meant, or not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from judges import presets
from judges.asking import Unreadable

LABELS = ("correct", "incorrect")
SLIPS = (
    '{{"analysis": "x", "verdict": "{0}",,}}',
    '{{, "analysis": "x", "verdict": "{0}"}}',
    '{{"analysis": "x"; "verdict": "{0}"}}',
    '{{"analysis" = "x", "verdict" = "{0}"}}',
    "{{`analysis`: `x`, `verdict`: `{0}`}}",
    "{{«analysis»: «x», «verdict»: «{0}»}}",
    "｛＂analysis＂：＂x＂，＂verdict＂：＂{0}＂｝",
    "Verdict(analysis='x', verdict='{0}')",
    '{{"analysis": "x", // as asked\n "verdict": "{0}" # so\n}}',
    '{{"analysis": "x", /* one of two */ "verdict": "{0}"}}',
    r"{{\"analysis\": \"x\", \"verdict\": \"{0}\"}}",
    r'"{{\"analysis\": \"x\", \"verdict\": \"{0}\"}}"',
    r'{{"name": "say", "arguments": "{{\"verdict\": \"{0}\"}}"}}',
    '{{"analysis": "x", "verdict": "{0}"}}}}',
    '{{"analysis": "x", "verdict": ["{0}"]}}',
    '{{"analysis": "x", "verdict": "{0}: the capital is Canberra"}}',
    '{{"analysis": "x", "verdict": "{0} ✅"}}',
    '{{"analysis": "x", "verdict": "The step is {0}"}}',
    '{{"analysis": "x", "verdict": "{0}"}}\nThe response is {0}, and the reference answer is {1}.',
    '{{"analysis": "x", "verdict": "{0}", "is_{0}": true}}',
    'The response is {0}.\n{{"verdict": "{0}"}}',
    'The reference answer is {1}.\n{{"verdict": "{0}"}}',
    'Its first step is {1}, yet the answer is {0}.\n{{"verdict": "{0}"}}',
    '{{"verdict": "{0}: it names the capital"}} # no more to say',
    "{0}",
    "**{0}**",
    "Verdict: {0}",
    "**Verdict:** {0}.",
    "Final verdict: **{0}**",
    "[[{0}]]",
    r"\boxed{{{0}}}",
    r"\boxed{{\text{{{0}}}}}",
    "<verdict>{0}</verdict>",
    "```\n{0}\n```",
    '{{"verdict": "{0}"}}\n\n| field | value |\n|---|---|\n| verdict | {0} |',
    '| verdict | {0} | {1} |\n|---|---|---|\n| means | same | other |\n\n{{"verdict": "{0}"}}',
    r'{{"tool_calls": [{{"id": "a", "function": {{"name": "say", "arguments": "{{\"verdict\": \"{0}\"}}"}}}}]}}',
)
TAKEN_BACK = (
    '{{"verdict": "{0}", "is_{0}": false}}',
    '{{"verdict": "{0}", "is_{1}": true}}',
    '{{"verdict": "{0}", "{1}": "yes"}}',
    '{{"verdict": "{0}", "not_{0}": true}}',
    '{{"verdict": "{0}"}}\n\nCorrection: the verdict should be {1}.',
    '{{"verdict": "{0}"}} The verdict ought to be {1}.',
    '{{"verdict": "{0}"}}\nWait, it is {1}.',
    '{{"verdict": "{0}"}}\nOn reflection, {1}.',
    '{{"verdict": "{0}"}}\nSorry, I meant {1}.',
    '{{"verdict": "{0}"}}\nThe response to judge is not {0}.',
    '{{"verdict": "{0}"}}\n\nThe answer is {1}.',
    '{{"verdict": "{0}"}}\n\nIt was clearly {1}.',
    '{{"verdict": "{0}"}}\n\nThe response isn\'t {0}.',
    '{{"verdict": "{0}" // or {1}\n}}',
    '{{"verdict": "{0}", /* {1}? */ "analysis": "x"}}',
    '{{"verdict": "{0}, but partly {1}"}}',
    '{{"verdict": "{0}: though not wholly"}}',
    '{{"verdict": "{0} (mostly)"}}',
    '{{"verdict": ["{0}", "{1}"]}}',
    'A verdict of {1}. {{"verdict": "{0}"}}',
    r'{{"name": "say", "arguments": "{{\"verdict\": \"{1}\"}}", "verdict": "{0}"}}',
    '{{"verdict": "!{0}"}}',
    "!{0}",
    '{{"verdict": "{0}"}} # no, {1}',
    '{{"verdict": "{0}"}}\n// {1}',
    '{{"verdict": "{0}" # no, {1}\n}}',
    'The response is {1}.\n{{"verdict": "{0}"}}',
    'So the final answer is {1}. {{"verdict": "{0}"}}',
    'It repeats the reference.\nThe answer is not {0}.\n\n```json\n{{"verdict": "{0}"}}\n```',
    '{{"verdict": "{0}"}}\n\n| field | value |\n|---|---|\n| verdict | {1} |',
    '| **verdict** | {1} |\n|---|---|\n\n{{"verdict": "{0}"}}',
    "{0} or {1}",
    "Verdict: {0}/{1}",
    "not {0}",
    "The response is {0}.",
    "Response: {0}? I cannot tell.",
)
SHARES = (
    'I give this {1}/10.\n{{"score": {0}}}',
    'A score of {1}/10 on balance.\n{{"score": {0}}}',
    '{{"score": {0}}}\nActually, {1} is fairer.',
    '{{"score": {0} // or {1}\n}}',
    'It deserves {1} out of 10. {{"score": {0}}}',
    '{{"score": {0}, "final score": {1}}}',
)


def read(preset: str, text: str) -> dict[str, JsonValue] | None:
    try:
        return presets.find(preset).form().read(text)
    except Unreadable:
        return None


@pytest.mark.parametrize("written", SLIPS)
@pytest.mark.parametrize("label", LABELS)
def test_a_slip_changes_nothing_of_a_label(written: str, label: str) -> None:
    [other] = {*LABELS} - {label}
    found = read("correctness", written.format(label, other))
    assert found is not None
    assert found["verdict"] == label


@pytest.mark.parametrize("written", TAKEN_BACK)
@pytest.mark.parametrize("label", LABELS)
def test_what_is_taken_back_is_no_decision(written: str, label: str) -> None:
    [other] = {*LABELS} - {label}
    assert read("correctness", written.format(label, other)) is None


@pytest.mark.parametrize(
    "said",
    [
        "correct: it matches, so no",
        "correct: false",
        "correct (no)",
        "correct - hence wrong.",
        "correct: the claim is untrue",
    ],
)
def test_a_label_whose_reason_is_a_no_decides_nothing(said: str) -> None:
    assert read("correctness", f'{{"verdict": "{said}"}}') is None
    assert read("correctness", '{"verdict": "correct" # no\n}') is None
    assert read("correctness", 'The final answer is wrong.\n{"verdict": "correct"}') is None


@pytest.mark.parametrize(
    "said", ["incorrect: it is wrong", "incorrect (no)", "incorrect: the value is false", "incorrect: no"]
)
def test_a_label_that_is_a_no_may_say_no_again(said: str) -> None:
    found = read("correctness", f'The final answer is wrong.\n{{"verdict": "{said}"}}')
    assert found is not None
    assert found["verdict"] == "incorrect"


@pytest.mark.parametrize("said", ["worse", "the weaker one", "loses", "the less helpful", "inferior"])
@pytest.mark.parametrize("label", ["A", "B"])
def test_a_winner_that_is_called_the_lesser_is_none(said: str, label: str) -> None:
    assert read("pair", f'{{"verdict": "{label} ({said})"}}') is None
    found = read("pair", f'{{"verdict": "{label} (clearer)"}}')
    assert found is not None
    assert found["verdict"] == label


@settings(max_examples=60, deadline=None)
@given(written=st.sampled_from(SHARES), first=st.integers(0, 10), second=st.integers(0, 10))
def test_a_number_that_is_given_otherwise_is_none(written: str, first: int, second: int) -> None:
    found = read("graded_correctness", written.format(first, second))
    assert found is None if first != second else found is None or found["score"] == first


@settings(max_examples=60, deadline=None)
@given(
    tenths=st.integers(0, 100), form=st.sampled_from(['"{}/10"', '"{}"', "{}", '"{} out of 10"', '"**{}**"', '["{}"]'])
)
def test_a_number_is_read_however_it_is_written(tenths: int, form: str) -> None:
    number = tenths / 10
    wide = str(number).translate({ord(mark): chr(ord(mark) + 0xFEE0) for mark in "0123456789."})
    for said in (str(number), wide):
        found = read("graded_correctness", '{"score": ' + form.format(said) + "}")
        assert found is not None, said
        assert found["score"] == number
    found = read("graded_correctness", '{"score": "' + str(number).replace(".", ",") + '"}')
    assert found is not None
    assert found["score"] == number


@pytest.mark.parametrize(
    ("text", "strength"),
    [('{"strength": −2}', -2), ('{"strength": "−2"}', -2), ("Strength: -2", -2), ("-2", None), ("Answer: 3", None)],
)
def test_a_minus_sign_of_typography_is_one_and_a_number_needs_its_name(text: str, strength: int | None) -> None:
    found = read("pair_strength", text)
    assert (found and found["strength"]) == strength


@pytest.mark.parametrize(
    "text",
    [
        '[{"id": "a", "score": 1}, {"id": "b", "score": 0}]',
        '{"id": "a", "score": 1}\n{"id": "b", "score": 0}',
        '```json\n[{"id": "a", "score": 1}, {"id": "b", "score": 0}]\n```',
        '{"criteria": {"a": {"score": 1}, "b": {"score": 0}}}',
    ],
)
def test_rows_are_read_without_the_object_around_them(text: str) -> None:
    found = read("rubric_all", text)
    assert found is not None
    assert found["criteria"] == [{"id": "a", "score": 1, "reason": ""}, {"id": "b", "score": 0, "reason": ""}]


@pytest.mark.parametrize(
    "text", ['{"id": "a", "score": 1} and then {"id": "b", "score": 0}', '{"id": "a"} {"score": 1}']
)
def test_rows_among_words_are_none(text: str) -> None:
    assert read("rubric_all", text) is None
