"""The next token: the likeliest, or drawn in proportion, from no more than the share that was asked for."""

from __future__ import annotations

from collections import Counter
from math import inf, log

import pytest
import torch

from judges.engine.sampling import Draws, choose_tokens

SHARES = (0.2, 0.5, 0.0, 0.3)


def drawn(count: int, temperature: float = 1.0, top_p: float = 1.0, shares: tuple[float, ...] = SHARES) -> Counter[int]:
    """Tokens that were drawn, of rows with a seed each."""
    row = [log(share) if share else -inf for share in shares]
    draws = [Draws.of(temperature, top_p, seed) for seed in range(count)]
    return Counter(choose_tokens(torch.tensor([row] * count), draws))


def test_tokens_are_drawn_in_proportion() -> None:
    found = drawn(4000)
    assert set(found) == {0, 1, 3}
    for token, share in enumerate(SHARES):
        assert found[token] / 4000 == pytest.approx(share, abs=0.03)


def test_heat_makes_them_more_alike_and_cold_less() -> None:
    hot, cold = drawn(4000, temperature=2.0), drawn(4000, temperature=0.5)
    # shares to the power of 1/temperature, normalised
    assert hot[1] / 4000 == pytest.approx(0.5**0.5 / sum(share**0.5 for share in SHARES), abs=0.03)
    assert cold[1] / 4000 == pytest.approx(0.25 / (0.04 + 0.25 + 0.09), abs=0.03)


@pytest.mark.parametrize(
    ("top_p", "kept"), [(0.1, {1}), (0.5, {1}), (0.51, {1, 3}), (0.79, {1, 3}), (0.81, {0, 1, 3}), (1.0, {0, 1, 3})]
)
def test_the_fewest_that_have_the_share_are_kept(top_p: float, kept: set[int]) -> None:
    found = drawn(2000, top_p=top_p)
    assert set(found) == kept
    total = sum(SHARES[token] for token in kept)
    for token in kept:
        assert found[token] / 2000 == pytest.approx(SHARES[token] / total, abs=0.04)


def test_those_that_are_as_likely_as_the_last_are_kept_with_it() -> None:
    assert set(drawn(500, top_p=0.3, shares=(0.25, 0.25, 0.25, 0.25))) == {0, 1, 2, 3}


def test_a_rows_share_and_heat_are_its_own() -> None:
    row = torch.tensor([[log(0.45), log(0.55)]] * 600)
    draws = [Draws.of((0.0, 1.0, 1.0)[n % 3], (1.0, 0.5, 1.0)[n % 3], n) for n in range(600)]
    found = choose_tokens(row, draws)
    assert set(found[0::3]) == set(found[1::3]) == {1}
    assert found[2::3].count(0) / 200 == pytest.approx(0.45, abs=0.12)


def test_a_seed_of_any_sign_is_its_own_and_none_is_never_the_same() -> None:
    numbers = {Draws.of(1.0, 1.0, seed).random.random() for seed in (-(2**63), -1, 0, 1, 2**63 - 1, None, None)}
    assert len(numbers) == 7
    assert Draws.of(1.0, 1.0, -1).random.random() in numbers
