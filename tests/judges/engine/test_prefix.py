"""Members of a group share their prompt: the row is shorter, and what is said stays what each would get alone."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judges.engine.load import load
from judges.engine.loaded import LoadedModel
from judges.engine.prefix import ALONE, LEAST_SAVED, lay_out
from judges.engine.work import Read, Row, Work
from judges.questions import Classify, Spans
from tests.judges.engine.plain import REPLIES, asked, entry, told
from tests.judges.tiny import FAMILIES, Family, Tiny

TOLERANCE = 1e-4
QUESTION = "What is 12 + 30? " + "Think of it step by step. " * 4


@functools.cache
def loaded(kind: str, path: Path) -> LoadedModel:
    return load(entry(kind, path))


def alone(model: LoadedModel, works: list[Work]) -> list[list[Row]]:
    return [model.run([work])[0] for work in works]


def farthest(found: list[list[Row]], wanted: list[list[Row]]) -> float:
    assert [[len(row) for row in rows] for rows in found] == [[len(row) for row in rows] for rows in wanted]
    flat = [
        (a, b)
        for rows in zip(found, wanted, strict=True)
        for pair in zip(*rows, strict=True)
        for a, b in zip(*pair, strict=True)
    ]
    return max((abs(a - b) for a, b in flat), default=0.0)


def work(prompt: tuple[int, ...], rest: tuple[int, ...], *positions: int) -> Work:
    ids = (*prompt, *rest)
    return Work(ids, Read(positions or (len(ids) - 1,)), shared=len(prompt))


PROMPT, OTHER = tuple(range(3, 3 + LEAST_SAVED)), tuple(range(103, 103 + LEAST_SAVED))


def test_a_shared_prompt_stands_in_the_row_once() -> None:
    row = lay_out([work(PROMPT, (7, 8)), work(OTHER, (9,)), work(PROMPT, (5,))])
    assert row.lengths == (LEAST_SAVED, 2, 1, LEAST_SAVED + 1)
    assert row.parents == (ALONE, 0, 0, ALONE)
    assert row.ids == [*PROMPT, 7, 8, 5, *OTHER, 9]
    assert row.places == [*range(LEAST_SAVED + 2), LEAST_SAVED, *range(LEAST_SAVED + 1)]
    assert row.reads == [LEAST_SAVED + 1, len(row.ids) - 1, LEAST_SAVED + 2]


def test_what_is_read_of_the_prompt_is_read_of_the_shared_one() -> None:
    last = LEAST_SAVED - 1
    row = lay_out([work(PROMPT, (7, 8), last, last + 1), work(PROMPT, (5,), last, last + 1), work(PROMPT, (), last)])
    assert row.lengths == (LEAST_SAVED, 2, 1)
    assert row.reads == [last, last + 1, last, last + 3, last]


def test_a_prompt_that_is_hardly_worth_it_is_not_shared() -> None:
    short = PROMPT[:4]
    assert lay_out([work(short, (7,)), work(short, (8,))]).parents == (ALONE, ALONE)
    assert lay_out([]).lengths == ()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_group_s_scores_are_those_of_separate_passes(tiny: Tiny, family: Family) -> None:
    model = loaded("reward", tiny.classifier(family, labels=3))
    works = [model.encode(Classify(told(reply, QUESTION))) for reply in REPLIES * 2]
    assert lay_out(works).parents.count(ALONE) == 1
    assert len(lay_out(works).ids) < sum(one.tokens for one in works) / 1.5
    assert farthest(model.run(works), alone(model, works)) < TOLERANCE


@pytest.mark.parametrize("family", FAMILIES)
def test_the_first_token_of_a_span_is_read_at_the_prompt_s_end(tiny: Tiny, family: Family) -> None:
    model = loaded("causal", tiny.causal(family))
    works = [model.encode(Spans(asked(QUESTION), reply, ((0, len(reply)),))) for reply in REPLIES]
    assert any(one.read.positions[0] < one.shared for one in works)
    assert farthest(model.run(works), alone(model, works)) < TOLERANCE


def test_a_gate_is_read_of_the_shared_prompt(tiny: Tiny) -> None:
    model = loaded("reward", tiny.gated())
    works = [model.encode(Classify(told(reply, QUESTION))) for reply in REPLIES]
    assert farthest(model.run(works), alone(model, works)) < TOLERANCE


tails = st.lists(st.integers(3, 500), max_size=12).map(tuple)
members = st.tuples(st.sampled_from([PROMPT, OTHER, PROMPT[:5]]), tails)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(members, min_size=1, max_size=9))
def test_in_any_mix_and_order(tiny: Tiny, made: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> None:
    model = loaded("reward", tiny.classifier("gemma2"))
    works = [work(prompt, tail) for prompt, tail in made]
    assert farthest(model.run(works), alone(model, works)) < TOLERANCE
