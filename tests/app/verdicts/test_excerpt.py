"""What a list shows of a response: what it says after its thinking."""

from __future__ import annotations

from typing import Any

import pytest

from app.kit.db import Database
from app.verdicts.excerpt import END, LONGEST, excerpt, excerpt_of_end
from app.verdicts.filters import LedgerFilters
from app.verdicts.search import Cursor, LedgerSearch
from tests.audits.labelled.planted import put_judged, sample, verdict

THINKING = "<think>" + "so on " * 100 + "</think>"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ({"response": "It is 42."}, "It is 42."),
        ({"response": f"{THINKING}\n\nIt is 42."}, "It is 42."),
        ({"response": "so on</think> It is 42.", "prefix": "<think>\n"}, "It is 42."),
        ({"response": "<think>on and on" + " and on" * 100}, (" and on" * 100)[-LONGEST:]),
        ({"response": [{"role": "assistant", "content": "first"}, {"role": "tool", "content": "x"}]}, "first"),
        ({"response": [{"role": "assistant", "content": f"{THINKING} 1"}, {"role": "assistant", "content": "2"}]}, "2"),
        ({"response": []}, ""),
        ({"response": None}, ""),
        ({"response": 7}, ""),
        ({}, ""),
    ],
)
def test_it_begins_after_the_thinking(content: dict[str, Any], shown: str) -> None:
    assert excerpt(content) == shown


@pytest.mark.parametrize(
    ("beginning", "end", "shown"),
    [
        ("It is", "x" * END, "It is"),
        ("<think>", f"{'t' * 50}</think> It is 42.", "It is 42."),
        ("<think>", "y" * END, "y" * LONGEST),
    ],
)
def test_of_a_long_response_its_beginning_and_end_are_enough(beginning: str, end: str, shown: str) -> None:
    assert excerpt_of_end(beginning, end) == shown


async def test_the_ledger_shows_the_answer_of_short_and_of_long_samples(db: Database) -> None:
    """On both databases."""
    responses = [f"{THINKING} short", f"<think>{'t' * 30_000}</think> long", "p" * 30_000]
    samples = [sample(response) for response in responses]
    samples.append(sample("<think>a</think>" + "x" * 1995, prompt="q" * 30_000))
    samples.append(sample("<think>a</think> y", prompt="q" * 30_000))
    await put_judged(db, [(one, verdict(one, "incorrect")) for one in samples])
    found = await LedgerSearch(db).page(LedgerFilters(), Cursor(), 10)
    assert sorted(found.excerpts) == ["long", "p" * LONGEST, "short", "x" * (LONGEST - 16), "y"]
