"""A bounded map that forgets what was used longest ago; and what JSON takes in memory: about what Python says."""

from __future__ import annotations

import sys

import pytest
from pydantic import JsonValue

from app.kit.cache import Cache, estimate_bytes


def filled(capacity: int, keys: str) -> Cache[str, str]:
    """Each key has itself as a capital letter."""
    cache: Cache[str, str] = Cache(capacity)
    for key in keys:
        cache.put(key, key.upper())
    return cache


def kept(cache: Cache[str, str], keys: str) -> str:
    return "".join(key for key in keys if cache.get(key) is not None)


def test_what_is_put_is_there_and_nothing_else() -> None:
    cache = filled(3, "ab")
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == ("A", "B", None)
    assert len(cache) == 2


def test_it_holds_as_many_as_it_may_and_forgets_the_oldest() -> None:
    cache = filled(3, "abcde")
    assert len(cache) == 3
    assert kept(cache, "abcde") == "cde"


def test_what_was_asked_for_is_not_the_oldest() -> None:
    cache = filled(3, "abc")
    cache.get("a")
    cache.put("d", "D")
    assert kept(cache, "abcd") == "acd"


def test_what_is_put_again_is_replaced_and_not_the_oldest() -> None:
    cache = filled(3, "abc")
    cache.put("a", "another")
    assert len(cache) == 3
    cache.put("d", "D")
    assert (cache.get("a"), cache.get("b")) == ("another", None)


def test_asking_for_what_is_not_there_changes_nothing() -> None:
    cache = filled(2, "ab")
    cache.get("c")
    assert kept(cache, "abc") == "ab"


def test_without_room_nothing_is_kept() -> None:
    cache = filled(0, "ab")
    assert (len(cache), cache.get("b")) == (0, None)


def test_what_is_dropped_is_gone_and_dropping_it_again_is_nothing() -> None:
    cache = filled(3, "abc")
    cache.drop("b")
    cache.drop("b")
    assert (kept(cache, "abc"), len(cache)) == ("ac", 2)


def test_it_can_be_emptied_and_filled_again() -> None:
    cache = filled(2, "ab")
    cache.clear()
    assert (len(cache), kept(cache, "ab")) == (0, "")
    cache.put("c", "C")
    assert cache.get("c") == "C"


def test_values_that_are_weighed_take_no_more_memory_than_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.kit.cache.MOST_BYTES", 10)
    cache: Cache[str, str] = Cache(100, len)
    for key in "abc":
        cache.put(key, "four")
    assert kept(cache, "abc") == "bc"
    cache.put("b", "eight888")
    assert (kept(cache, "abc"), cache.bytes) == ("b", 8)
    cache.put("d", "eleven chars")
    assert (len(cache), cache.bytes) == (0, 0)
    cache.put("e", "one")
    cache.clear()
    assert cache.bytes == 0


def measured(value: JsonValue) -> int:
    if isinstance(value, dict):
        return sys.getsizeof(value) + sum(measured(name) + measured(item) for name, item in value.items())
    return sys.getsizeof(value) + (sum(map(measured, value)) if isinstance(value, list) else 0)


@pytest.mark.parametrize(
    "value", ["x" * 10_000, "\U0001f600" * 1000, [1.5] * 1000, {"a": ["b" * 300] * 50}, [{"x": 1000}] * 100, 5000, ""]
)
def test_it_is_within_a_factor_of_three_of_what_python_says(value: JsonValue) -> None:
    assert measured(value) / 3 < estimate_bytes(value) < 3 * measured(value)
