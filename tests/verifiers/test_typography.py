"""Signs that models set and data sets do not: quotes, dashes, dots, and Markdown around a whole answer."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.checklist.quotation import plain
from judges.hardening.surface import tokens
from trueward import Sample, Verdict
from verifiers import registry
from verifiers.extract.dress import unwrap_markdown
from verifiers.math.reading.signs import spell_signs
from verifiers.typography import plain_signs

WORDS = st.text(alphabet="ab'\"-. c", min_size=3, max_size=14).filter(lambda text: "a" in text and "b" in text)
SIGNS = "‘’‚‛′ʼ´“”„‟″«»‐‑‒–—―−﹣－"
SET: dict[str, str] = {"'": "‘’‚ʼ", '"': "“”„«»", "-": "–—‑−"}


def judge(name: str, response: str, reference: str, **params: object) -> Verdict:
    [verdict] = registry.create(name, params).verify([Sample(response=response, reference=reference)])  # type: ignore[arg-type]
    return verdict


@given(WORDS, st.randoms(use_true_random=False))
def test_a_text_is_the_same_however_it_is_set(text: str, random: object) -> None:
    draw = random.choice  # type: ignore[attr-defined]
    response = "".join(draw(SET[sign]) if sign in SET else sign for sign in text)
    assert plain_signs(response) == text
    assert judge("label", response, text, labels=[text, "other"]).outcome == "correct"


@pytest.mark.parametrize("order", list(permutations(["Paris", "**Paris**", "`Paris`"])))
def test_answers_in_different_marks_are_one_vote(order: tuple[str, ...]) -> None:
    samples = [Sample(prompt="?", response=text) for text in (*order, "Rome", "Rome")]
    verdicts = registry.create("majority", {"inner": "exact"}).verify(samples)
    assert [verdict.score for verdict in verdicts] == [1, 1, 1, 0, 0]


@pytest.mark.parametrize("order", list(permutations(["yes", "Yes.", "**YES**"])))
def test_labels_with_signs_around_are_one_vote(order: tuple[str, ...]) -> None:
    samples = [Sample(prompt="?", response=text) for text in (*order, "no", "no")]
    verdicts = registry.create(
        "majority", {"inner": {"verifier": "label", "params": {"labels": ["yes", "no"]}}}
    ).verify(samples)
    assert [verdict.score for verdict in verdicts] == [1, 1, 1, 0, 0]


def test_a_title_with_its_own_apostrophe() -> None:
    assert judge("sets", "Schindler’s List", "Schindler's List").outcome == "correct"
    assert judge("sets", "Schindler's List", "Schindler’s List").outcome == "correct"
    assert judge("qa", "Schindler’s List", "Schindler's List").outcome == "partial", "as SQuAD has it"
    assert judge("exact", "Schindler’s List", "Schindler's List").outcome == "incorrect"


MARKS = [
    ("**", "**"),
    ("*", "*"),
    ("`", "`"),
    ("```\n", "\n```"),
    ("```text\n", "\n```"),
    ("***", "***"),
    ("**`", "`**"),
]


@pytest.mark.parametrize(("before", "after"), MARKS)
@pytest.mark.parametrize("text", ["Paris", "2024-02-29", "a b", "__init__"])
def test_markdown_around_a_whole_answer_is_none_of_it(before: str, after: str, text: str) -> None:
    response = f"{before}{text}{after}"
    assert judge("exact", response, text).outcome == "correct"
    assert judge("exact", response, response).outcome == "correct"
    assert judge("exact", response, text, extract="whole").outcome == "incorrect"
    assert judge("regex", response, text).outcome == "correct"
    assert judge("exact", response, f"{text}x").outcome == "incorrect"


@pytest.mark.parametrize("text", ["*a* and *b*", "__init__", "_a_", "**", "``", "*", "a**", "```\na", "*a*b*"])
def test_what_does_not_stand_in_marks_whole_keeps_them(text: str) -> None:
    assert unwrap_markdown(text) == text


def test_words_in_a_box_are_set_as_text() -> None:
    assert judge("regex", r"\boxed{\text{Yes}}", "Yes").outcome == "correct"
    assert judge("regex", r"\boxed{\text{Yes}}", r"\\text\{Yes\}").outcome == "correct"


@pytest.mark.parametrize(
    ("fold", "folded"),
    [
        (plain_signs, "'''''''\"\"\"\"\"\"\"-------﹣－"),
        (plain, "''‚‛′ʼ´\"\"„‟″«»‐‑‒–—―−﹣－"),
        (spell_signs, "''‚‛′ʼ´\"\"„‟″«»-----―---"),
    ],
    ids=["answers of words", "quotations of a judge", "formulas"],
)
def test_each_end_folds_its_own_signs(fold: Callable[[str], str], folded: str) -> None:
    """Why they differ, says :mod:`verifiers.typography`."""
    assert "".join(fold(f"a{sign}b")[1:-1] for sign in SIGNS) == folded


def test_apostrophes_alone_part_no_words() -> None:
    assert {sign for sign in f"'`{SIGNS}" if tokens(f"let{sign}s") == ["let"]} == set("'`‘’")
