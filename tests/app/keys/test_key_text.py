"""What a key looks like, and which texts are none."""

from __future__ import annotations

import re
import string

import pytest

from app.keys.key_text import is_old, new_key, prefix_of

KEY, PREFIX = new_key()


def test_a_key_shows_its_prefix_and_no_two_are_alike() -> None:
    assert re.fullmatch(r"tw_[0-9A-Za-z]{8}_[0-9A-Za-z]{33}_[0-9A-Za-z]{6}", KEY)
    assert prefix_of(KEY) == PREFIX == KEY.split("_")[1]
    assert len({new_key()[0] for _ in range(100)}) == 100
    assert not is_old(KEY)


@pytest.mark.parametrize("place", range(3, len(KEY)))
def test_one_wrong_character_is_noticed(place: int) -> None:
    other = next(one for one in string.ascii_letters if one != KEY[place])
    assert prefix_of(KEY[:place] + other + KEY[place + 1 :]) is None


NO_KEYS = {
    "empty": "",
    "the beginning": "tw_",
    "without the last": KEY[:-1],
    "without the first": KEY[1:],
    "longer": KEY + "x",
    "a line": KEY + "\n",
    "dashes": KEY.replace("_", "-"),
    "no ASCII": "é" * 52,
}


@pytest.mark.parametrize("text", NO_KEYS.values(), ids=NO_KEYS)
def test_what_is_cut_off_or_no_key_is_noticed(text: str) -> None:
    assert prefix_of(text) is None
    assert not is_old(text)


def test_a_key_of_before_is_known_by_its_form() -> None:
    assert is_old("tw_" + "aB3-_x9Z" * 4)
    assert prefix_of("tw_" + "aB3-_x9Z" * 4) is None
