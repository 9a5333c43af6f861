"""Comparison of outputs: every mode by table, and what holds of all of them."""

from __future__ import annotations

import time
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.code.equal import Tolerance
from verifiers.code.output import Comparison, same_output

CLOSE = Tolerance(absolute=1e-6, relative=1e-6)
MODES: tuple[Comparison, ...] = get_args(Comparison)

# what was written, what was expected, the modes that accept it
CASES: list[tuple[bytes, str, set[Comparison]]] = [
    (b"5\n", "5\n", set(MODES)),
    (b"5", "5\n", {"whitespace", "tokens", "floats", "lines"}),
    (b"5 \n\n", "5\n", {"whitespace", "tokens", "floats", "lines"}),
    (b"5\r\n6\r\n", "5\n6\n", {"whitespace", "tokens", "floats", "lines"}),
    (b"\n5\n", "5\n", {"whitespace", "tokens", "floats", "lines"}),
    (b" 5\n", "5\n", {"tokens", "floats"}),
    (b"1  2\n", "1 2\n", {"tokens", "floats"}),
    (b"1\n2\n", "1 2\n", {"tokens", "floats"}),
    (b"1\n\n2\n", "1\n2\n", {"tokens", "floats"}),
    (b"2\n1\n", "1\n2\n", {"lines"}),
    (b"1\n1\n2\n", "1\n2\n2\n", set()),
    (b"12\n", "1 2\n", set()),
    (b"0.30000000000000004\n", "0.3\n", {"floats"}),
    (b"0.3001\n", "0.3\n", set()),
    (b"3.0\n", "3\n", {"floats"}),
    (b"1e3\n", "1000\n", {"floats"}),
    (b"1000001\n", "1000000\n", set()),
    (b"1000000.5\n", "1000000.0\n", {"floats"}),
    (b"1000000.5\n", "1000000\n", set()),
    (b"1000001.0\n", "1000000\n", set()),
    (b"1.0000005e18\n", "1000000000000000000\n", set()),
    (b"1e9999\n", "1\n", set()),
    (b"1000000\n", "1000000.5\n", {"floats"}),
    ("1\u30002\n".encode(), "1 2\n", set()),
    (b"1\x1c2\n", "1 2\n", set()),
    (b"1\xc2\x852\n", "1 2\n", set()),
    (b"nan\n", "NaN\n", {"floats"}),
    (b"inf\n", "1e999\n", set()),
    (b"1e999\n", "1e308\n", set()),
    (b"yes 0.5\n", "yes 0.50\n", {"floats"}),
    (b"yes 0.5\n", "no 0.5\n", set()),
    (b"0x10\n", "16\n", set()),
    (b"1_000\n", "1000\n", set()),
    (b"", "", set(MODES)),
    (b"\n\n", "", {"whitespace", "tokens", "floats", "lines"}),
    (b"0\n", "", set()),
    (b"\xff\n", "\ufffd\n", set()),
    ("é\n".encode(), "é\n", set(MODES)),
    ("é\n".encode("latin-1"), "é\n", set()),
    (b"yes\n", "YES\n", set()),
]


@pytest.mark.parametrize(("given", "wanted", "accepted"), CASES)
def test_outputs_by_mode(given: bytes, wanted: str, accepted: set[Comparison]) -> None:
    assert {mode for mode in MODES if same_output(given, wanted, mode, CLOSE)} == accepted


TEXTS = st.text(alphabet="12. \n\te-+a", max_size=30)


@given(TEXTS, TEXTS)
def test_a_stricter_mode_accepts_nothing_that_a_laxer_one_refuses(ours: str, theirs: str) -> None:
    def same(mode: Comparison) -> bool:
        return same_output(ours.encode(), theirs, mode, CLOSE)

    stricter: list[tuple[Comparison, Comparison]] = [
        ("exact", "whitespace"),
        ("whitespace", "tokens"),
        ("tokens", "floats"),
        ("whitespace", "lines"),
    ]
    assert all(same(lax) or not same(strict) for strict, lax in stricter)


@given(TEXTS)
def test_white_space_at_ends_of_lines_never_matters(text: str) -> None:
    padded = "\n".join(f"{line} \t" for line in text.split("\n")) + "\n\n"
    assert same_output(padded.encode(), text, "whitespace", CLOSE)


@given(st.lists(st.text(alphabet="ab1", min_size=1), max_size=6))
def test_lines_may_come_in_any_order(lines: list[str]) -> None:
    assert same_output("\n".join(sorted(lines)).encode(), "\n".join(lines), "lines", CLOSE)


@given(st.floats(-1e9, 1e9))
def test_a_number_is_within_its_tolerance_however_it_is_written(number: float) -> None:
    assert same_output(f"{number:.12e}".encode(), repr(number), "floats", CLOSE)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("unit", [b"1 ", b"\n", b" ", b"1.5\n", b"9" * 1000, b"1e", b"\xff"])
def test_comparison_is_linear(mode: Comparison, unit: bytes) -> None:
    flood = unit * (2_000_000 // len(unit))
    wanted = flood.decode(errors="replace") + "1"
    start = time.process_time()
    same_output(flood, wanted, mode, CLOSE)
    assert time.process_time() - start < 5
