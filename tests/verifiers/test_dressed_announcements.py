"""An announced answer is the same however it is dressed: by LaTeX, by JSON, by how sure the policy is, by frames.

What stands beside it (a wrong answer named as such, a case that is not the one in question) is never the answer.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trueward import Sample
from verifiers import registry
from verifiers.extract import Answer, Policy, extract
from verifiers.extract.worded import with_words_apart

VALUES = ("42", "-7", "\\frac{1}{2}", "x^2+1", "(1, 2)", "2\\sqrt{3}", "0.5")
ANNOUNCED = (
    "Answer: ",
    "Final answer: ",
    "The answer is ",
    "So the final answer is: ",
    "Respuesta: ",
    "答案: ",
    "Ответ: ",
)
COMMANDS = ("text", "textbf", "textit", "mathbf", "mathrm", "mbox", "underline")
MATHS = (("$", "$"), ("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("\\[\n", "\n\\]"))


def said(response: str, policy: Policy = Policy.MATH) -> str:
    found = extract(Sample(response=response), policy)
    return found.text.strip() if isinstance(found, Answer) else found.reason_code


@given(st.sampled_from(VALUES), st.sampled_from(ANNOUNCED), st.sampled_from(COMMANDS), st.sampled_from(MATHS))
def test_words_set_in_a_formula_announce_what_follows_them(
    value: str, announced: str, command: str, marks: tuple[str, str]
) -> None:
    opened, closed = marks
    formula = f"First $13$.\n\n{opened}\\{command}{{{announced}}} {value}{closed}"
    assert said(formula) == value
    assert said(f"First $13$.\n\n\\{command}{{{announced}}} {opened}{value}{closed}") == value


@given(st.text(alphabet="\\text{}bf answer:=$[]() 42\n", max_size=80))
@example("\\[\\text{answer}:\\]")
def test_words_come_out_of_a_formula_without_a_shift(text: str) -> None:
    assert len(with_words_apart(text)) == len(text)


# what a text of an answer may hold; a lone letter after a backslash would be LaTeX that was left unescaped
TEXTS = st.text(alphabet='ab1+ {}()^_,"é\\', min_size=1, max_size=20).map(str.strip).filter(bool)


@given(TEXTS, st.booleans())
@example("\\\\frac", True)
def test_a_text_of_json_is_read_as_json_reads_it(text: str, ascii_only: bool) -> None:
    document = json.dumps({"reasoning": "done", "answer": text}, ensure_ascii=ascii_only)
    assert said(document, Policy.MARKER) == text


@given(st.lists(TEXTS, min_size=2, max_size=4, unique=True), st.sampled_from((None, 2)))
def test_a_list_of_json_is_an_answer_in_parts(texts: list[str], indent: int | None) -> None:
    found = extract(Sample(response=json.dumps({"answer": texts}, indent=indent)), Policy.MARKER)
    assert isinstance(found, Answer)
    assert found.parts == tuple(texts)


SURE = (
    "(confidence: 0.9)",
    "(Confidence: **95%**)",
    "(90% confident)",
    "[confidence: 8/10]",
    "with 95% confidence",
    "| Confidence: high",
    ", confidence: 0.9",
    "(I am 90% sure)",
)


@given(st.sampled_from(VALUES), st.sampled_from(SURE), st.sampled_from(("", ".", "\n\nDone.")))
def test_how_sure_the_policy_is_belongs_to_no_answer(value: str, sure: str, end: str) -> None:
    assert said(f"Answer: {value} {sure}{end}") == value
    assert said(f"The answer is ${value}$ {sure}{end}") == value


@pytest.mark.parametrize("sure", SURE)
def test_two_answers_with_a_confidence_each_are_not_the_first(sure: str) -> None:
    assert said(f"Answer: 42 {sure} or 43 {sure}") not in ("42", "43")


BESIDE = (
    "A common wrong answer is {}.",
    "P.S. The tempting answer is {}.",
    "Note: if the interval were closed, the answer would be {}.",
    "However, had we included the ends, the answer would be {}.",
    "Note that if it were closed, the answer would be {}.",
    "(Note that if it had been closed, the answer would be {}.)",
)


@given(st.sampled_from(VALUES), st.sampled_from(BESIDE), st.sampled_from((" ", "\n", "\n\n")))
def test_what_is_named_beside_the_answer_is_not_the_answer(value: str, beside: str, gap: str) -> None:
    assert said(f"The answer is ${value}$.{gap}{beside.format('$13$')}") == value
    assert said(f"The answer is $13$.{gap}{beside.format(f'${value}$')}") == "13"


FRAMES = (
    "\\boxed{{{}}}",
    "\\fbox{{${}$}}",
    "\\bbox[5px,border:2px solid red]{{{}}}",
    "\\colorbox{{yellow}}{{${}$}}",
    "\\fcolorbox{{red}}{{white}}{{{}}}",
    "\\textcolor{{blue}}{{{}}}",
    "\\underline{{{}}}",
    "\\displaystyle{{{}}}",
    "\\Large{{{}}}",
    "\\boxed{{\\displaystyle{{{}}}}}",
)
PAIRS = (
    ("1,2", "(1,2)"),
    ("2,1", "(1,2)"),
    ("(1,2]", "(1,2]"),
    ("[1,2)", "(1,2]"),
    ("\\frac{1}{2}", "0.5"),
    ("\\frac{1}{2}+1", "1.5"),
    ("x=1, y=2", "(1,2)"),
    ("\\{1,2\\}", "\\{2,1\\}"),
    ("1,234", "1234"),
    ("3", "4"),
)


@pytest.mark.parametrize(("answer", "reference"), PAIRS)
def test_a_frame_around_the_whole_changes_no_verdict(answer: str, reference: str) -> None:
    verify = registry.create("math", {}).verify
    plain, *framed = verify(
        [Sample(response=f"\\boxed{{{form.format(answer)}}}", reference=reference) for form in ("{}", *FRAMES)]
    )
    assert {verdict.outcome for verdict in framed} == {plain.outcome}


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("We get $x=13$\n\\textbf{Answer:} 42", "42"),
        ("$$\nx=13\n$$\n\\textbf{Answer:} $42$", "42"),
        ("We get $x=13$\\text{. The answer is }42", "42"),
        ("It costs \\$13. $\\text{Answer: }42$", "42"),
        ("$\\text{Answer: }$ 42", "42"),
        ("The answer is $12 \\text{ is the only solution}$", "12 \\text{ is the only solution}"),
        ("\\boxed{12 \\text{ is the only solution}}", "12 \\text{ is the only solution}"),
        ("\\boxed{\\text{the only solution is } 12}", "\\text{the only solution is } 12"),
        ("Therefore, if there were 13 apples, the answer would be 42.", "42"),
    ],
)
def test_marks_of_another_formula_stay_where_they_are(response: str, expected: str) -> None:
    assert said(response) == expected
