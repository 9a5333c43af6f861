"""Characters that break readers: controls, marks, directions, scripts, and what is no character at all."""

from __future__ import annotations

import random

ODD = (
    *("\0", "\x01", "\x08", "\x0b", "\x0c", "\x1b[31m", "\x1c", "\x7f", "\x85", "\r", "\r\n", "\t", "\u2028", "\u2029"),
    *("\ud800", "\udfff", "\udc00\ud800", "\ufffd", "\ufffe", "\uffff", "\U0010ffff", "\ue000"),
    *("\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u202d", "\u2066", "\u2069", "\u200f", "\u061c"),
    *(
        "e\u0301",
        "\u0301" * 40,
        "\u20dd",
        "\ufe0f",
        "\U000e0041",
        "\U000e007f",
        "👨‍👩‍👧",
        "🏳️‍🌈",
        "\U0001f1e9\U0001f1ea",
    ),
    *(
        "−",
        "–",
        "—",
        "‐",
        "⁻",
        "＋",
        "×",
        "÷",
        "∕",
        "⁄",
        "≠",
        "≈",
        "∞",
        "√",
        "π",
        "°",
        "′",
        "½",
        "²",
        "₂",
        "Ⅳ",
        "①",
        "％",
    ),
    *(
        "（",
        "）",
        "，",
        "。",
        "：",
        "；",
        "｛",
        "［",
        "「",
        "」",
        "«",
        "»",
        "“",
        "”",
        "‘",
        "’",
        "、",
        "…",
        "·",
        "٪",
        "٬",
    ),
    *("Α", "А", "𝐀", "𝟒", "Ａ", "ｆ", "ﬁ", "ß", "İ", "ı", "ſ", "K", "Å", "你好", "ответ", "جواب", "उत्तर", "ท", "한"),
)

_ZEROS = ("٠", "۰", "०", "０", "𝟎", "𝟘", "᠐", "⁰", "₀")


def digits_in_other_scripts(digits: str, source: random.Random) -> str:
    """The digits in another script; superscripts are not in order, so they say another number."""
    zero = ord(source.choice(_ZEROS))
    return "".join(chr(zero + int(digit)) for digit in digits)
