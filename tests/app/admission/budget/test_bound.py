"""The most that a question can cost is never less than any tokenizer makes of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.admission.budget.amount import Amount, limits_of, price_tokens
from app.admission.budget.bound import Bounds
from judges.questions import Answer, Choices, Classify, Generate, Question, Spans, Steps, Turn
from rewards.budget import Budget
from tests.judges.replies import JUDGE
from tests.judges.scripted import ENTRIES
from trueward.wire.model import Price

TEMPLATE = 512


@given(st.text(max_size=50))
def test_a_text_has_at_most_as_many_tokens_as_bytes(text: str) -> None:
    most = Bounds().greatest(JUDGE, Generate(text, 7))
    assert most.tokens >= len(text.encode("utf-8", "surrogatepass")) + TEMPLATE + 7
    assert most.cost == 1000 * (most.tokens - 7) + 2000 * 7


def test_a_text_that_its_normal_form_makes_longer_counts_as_that() -> None:
    """U+FDFA has 3 bytes; in NFKC it is a sentence of 18 letters, and tokenizers that normalise see 33 bytes."""
    assert Bounds().greatest(JUDGE, Generate("\ufdfa" * 10, 1)).tokens == TEMPLATE + 330 + 1


TURNS = (Turn("system", "abc"), Turn("user", "de"))


@pytest.mark.parametrize(
    ("question", "read", "written"),
    [
        (Generate("abc", 9), 3, 9),
        (Generate(TURNS, 9), 5 + 10 + 32, 9),
        (Generate("abc", 9, form='{"type": "object"}'), 3 + 18, 9),
        (Choices("abc", ("Yes", "No"), said="de"), 5, 1),
        (Classify("abc", pair="de"), 5, 1),
        (Spans("abc", "defg", ((0, 2), (0, 4))), 7, 1),
        (Steps("abc", ("d", "e", "f")), 3 + 3 + 3 * len("<extra_0>"), 1),
    ],
)
def test_all_that_a_question_says_is_read(question: Question, read: int, written: int) -> None:
    entry = ENTRIES["process"]
    assert Bounds().greatest(entry, question) == Amount(0, TEMPLATE + read + written, 1)


def test_what_the_entry_puts_around_a_question_is_read_too() -> None:
    entry = JUDGE.model_copy(update={"system": "Be fair.", "chat_template": "{{ messages }}"})
    assert Bounds().greatest(entry, Generate("abc", 1)).tokens == TEMPLATE + 8 + 14 + 3 + 1


def test_what_a_server_bills_beyond_the_most_raises_it_by_the_largest_excess() -> None:
    bounds, question = Bounds(), Generate("abc", 10)
    before = bounds.greatest(JUDGE, question)
    for tokens, written in ((1_000, 5), (600, 200), (515, 10)):
        bounds.learn(JUDGE, question, Answer(text="x", tokens=tokens, written=written))
    after = bounds.greatest(JUDGE, question)
    assert after.tokens - before.tokens == (1_000 - 515) + 190
    other = JUDGE.model_copy(update={"name": "other"})
    assert bounds.greatest(other, question) == before


def test_costs_are_exact_and_rounded_up() -> None:
    assert price_tokens(Price(read=1, written=2), 10, 3) == Amount(16_000, 13, 1)
    assert price_tokens(Price(read=0.1, written=0), 3, 0).cost == 300
    assert price_tokens(Price(read=0.0001, written=0), 1, 0).cost == 1
    assert price_tokens(None, 10, 3) == Amount(0, 13, 1)
    assert sum(price_tokens(Price(read=0.15, written=0.6), 1, 1).cost for _ in range(1000)) == 750_000


def test_a_limit_is_rounded_down() -> None:
    assert limits_of(Budget(cost=0.3, calls=4)) == (300_000_000, None, 4)
    assert limits_of(Budget(cost=1.9e-9)) == (1, None, None)
    assert limits_of(None) == (None, None, None)
