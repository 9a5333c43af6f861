"""Rewards of spans on the trainer's tokens: nothing is lost, nothing lands on tokens that are not the policy's."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward.errors import InvalidRequest
from trueward.trainers.alignment import Span, token_rewards, tokens_of_spans


def test_the_reward_of_a_step_is_on_its_last_token() -> None:
    offsets = [(0, 3), (3, 7), (8, 9), (9, 14)]  # "One step" / "Two ..."
    assert token_rewards(offsets, [(0, 8), (8, 14)], [0.5, -1.0]) == [0.0, 0.5, 0.0, -1.0]


def test_a_step_can_be_spread_over_its_tokens() -> None:
    offsets = [(0, 3), (3, 7), (8, 9), (9, 14)]
    assert token_rewards(offsets, [(0, 8), (8, 14)], [0.5, -1.0], place="spread") == [0.25, 0.25, -0.5, -0.5]


def test_a_token_with_a_leading_space_belongs_to_its_word() -> None:
    """``Foo. Bar`` as ``Foo``, ``.``, `` Bar``; the steps are ``Foo. `` and ``Bar``."""
    assert tokens_of_spans([(0, 3), (3, 4), (4, 8)], [(0, 5), (5, 8)]) == [[0, 1], [2]]


def test_a_token_that_takes_in_the_gap_after_a_step_ends_that_step() -> None:
    """``Foo.\\n\\nBar`` as ``Foo``, ``.\\n\\n``, ``Bar``; the line breaks are in no step."""
    assert tokens_of_spans([(0, 3), (3, 6), (6, 9)], [(0, 4), (6, 9)]) == [[0, 1], [2]]


def test_the_bytes_of_one_character_belong_together() -> None:
    """A character of three tokens, each with that character's offsets, ends the first step."""
    assert token_rewards([(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)], [(0, 2), (2, 3)], [1.0, 2.0]) == [0, 0, 0, 1.0, 2.0]


def test_bytes_without_width_before_their_character_belong_to_no_step() -> None:
    assert token_rewards([(0, 0), (0, 0), (0, 1), (1, 2)], [(0, 1), (1, 2)], [1.0, 2.0]) == [0, 0, 1.0, 2.0]


def test_a_step_inside_one_token_is_not_lost() -> None:
    assert token_rewards([(0, 6)], [(0, 2), (2, 4), (4, 6)], [1.0, 2.0, 4.0]) == [7.0]


def test_tokens_that_are_not_the_policys_get_nothing() -> None:
    offsets = [(0, 2), (2, 4), (4, 6), (6, 8)]
    policy = [True, False, False, True]
    assert token_rewards(offsets, [(0, 4), (4, 6), (6, 8)], [1.0, 2.0, 4.0], policy=policy) == [1.0, 0, 0, 4.0]


def test_offsets_may_count_from_before_the_response() -> None:
    offsets = [(0, 5), (5, 10), (10, 12), (12, 14)]
    assert token_rewards(offsets, [(0, 2), (2, 4)], [1.0, 2.0], start=10) == [0.0, 0.0, 1.0, 2.0]


def test_special_tokens_get_nothing() -> None:
    assert token_rewards([(0, 0), (0, 2), (0, 0)], [(0, 2)], [3.0]) == [0.0, 3.0, 0.0]


@pytest.mark.parametrize(
    ("spans", "rewards", "policy"),
    [
        ([(0, 2)], [1.0, 2.0], None),
        ([(0, 2), (1, 3)], [1.0, 2.0], None),
        ([(2, 2)], [1.0], None),
        ([(0, 2)], [1.0], []),
    ],
)
def test_what_does_not_fit_together_is_refused(
    spans: list[Span], rewards: list[float], policy: list[bool] | None
) -> None:
    with pytest.raises(InvalidRequest):
        token_rewards([(0, 2)], spans, rewards, policy=policy)


@st.composite
def cuts(draw: st.DrawFn, length: int, gaps: bool) -> list[Span]:
    """Spans in order, of a text of that length, with gaps between them or without."""
    places = sorted(draw(st.sets(st.integers(1, length - 1), max_size=length - 1)) | {0, length})
    spans = list(pairwise(places))
    return [span for span in spans if not gaps or draw(st.booleans())]


@st.composite
def texts(draw: st.DrawFn) -> tuple[list[Span], list[Span], list[float], list[bool]]:
    """Offsets with repeated and empty ones, spans, a reward each, and which tokens are the policy's."""
    length = draw(st.integers(2, 30))
    offsets: list[Span] = []
    for begin, end in draw(cuts(length, gaps=False)):
        offsets += [(begin, end)] * draw(st.sampled_from([1, 1, 1, 2, 3]))
        offsets += [(end, end)] * draw(st.sampled_from([0, 0, 1]))
    spans = draw(cuts(length, gaps=True))
    rewards = draw(st.lists(st.integers(-8, 8).map(float), min_size=len(spans), max_size=len(spans)))
    policy = draw(st.lists(st.booleans(), min_size=len(offsets), max_size=len(offsets)))
    return offsets, spans, rewards, policy


@given(texts(), st.sampled_from(["last", "spread"]))
def test_what_is_placed_is_what_the_policys_spans_are_worth(
    text: tuple[list[Span], list[Span], list[float], list[bool]], place: str
) -> None:
    offsets, spans, rewards, policy = text
    placed = token_rewards(offsets, spans, rewards, place=place, policy=policy)  # type: ignore[arg-type]
    mine = [offset for offset, is_mine in zip(offsets, policy, strict=True) if is_mine]
    touched = [any(max(a, c) < min(b, d) for c, d in mine) for a, b in spans]
    assert sum(placed) == pytest.approx(sum(reward for reward, there in zip(rewards, touched, strict=True) if there))


@given(texts())
def test_only_touching_tokens_of_the_policy_are_paid(
    text: tuple[list[Span], list[Span], list[float], list[bool]],
) -> None:
    offsets, spans, _, policy = text
    for (begin, end), tokens in zip(spans, tokens_of_spans(offsets, spans, policy=policy), strict=True):
        assert tokens == sorted(tokens)
        for token in tokens:
            assert policy[token]
            assert max(begin, offsets[token][0]) < min(end, offsets[token][1])


@given(texts())
def test_where_tokens_are_cut_as_the_spans_each_span_has_its_own(
    text: tuple[list[Span], list[Span], list[float], list[bool]],
) -> None:
    _, spans, rewards, _ = text
    assert token_rewards(spans, spans, rewards) == rewards
