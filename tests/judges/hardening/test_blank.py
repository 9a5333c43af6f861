"""A response that looks empty, or that is control tokens alone, says nothing, whatever it is made of."""

from __future__ import annotations

import pytest

from judges.hardening.canonical import explain_emptiness
from tests.judges.remote.test_disarmed import TOKENS

TASK = "What is the capital of France?"
RANGES = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Unicode's default ignorables, and the empty cell of braille."""
ANGLED = [one for one in TOKENS if "|" in one or "｜" in one or "_of_" in one]


@pytest.mark.parametrize(("first", "last"), RANGES, ids=lambda code: f"{code:x}")
def test_what_nobody_sees_says_nothing(first: int, last: int) -> None:
    for code in range(first, last + 1):
        for text in (chr(code), f" {chr(code)} \n{chr(code)}", f"**{chr(code)}**", f"\\boxed{{{chr(code)}}}"):
            assert explain_emptiness(text, ["Paris"], TASK), f"U+{code:04X} in {text!r}"


def test_it_parts_no_opener() -> None:
    for first, last in RANGES:
        assert explain_emptiness(chr(last).join("Solution"), ["Paris"], TASK), f"U+{first:04X}"


@pytest.mark.parametrize("token", [*ANGLED, "[INST]", "[/INST]", "<<SYS>>", "]~b]", "<seed:bos>", "<unused7>"])
def test_control_tokens_say_nothing(token: str) -> None:
    assert explain_emptiness(token, ["Paris"], TASK)
    assert explain_emptiness(f"{token}\n{token} Solution:{token}", ["Paris"], TASK)
    assert not explain_emptiness(f"{token}Paris{token}", ["Paris"], TASK)
