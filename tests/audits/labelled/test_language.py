"""The script of most letters."""

from __future__ import annotations

import pytest

from audits.labelled.language import language


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("The answer is 5.", "latin"),
        ("Die Lösung ist größer", "latin"),
        ("Ответ: x = 5", "cyrillic"),
        ("答案是五", "han"),
        ("答えは五です", "kana"),
        ("الجواب هو خمسة", "arabic"),
        ("उत्तर पाँच है", "devanagari"),
        ("답은 오입니다", "other"),
        ("答案是五, because five is the answer to it", "latin"),
        ("$\\frac{1}{2}$ + 3", "latin"),
        ("1/2 + 3 = 7/2", "none"),
        ("", "none"),
        ("½ ± 3 → ∞ 😀", "none"),
    ],
)
def test_the_script_of_most_letters_decides(text: str, script: str) -> None:
    assert language(text) == script


def test_any_text_has_an_answer() -> None:
    assert language("\ud800\x00\U0010ffff\u202e") == "none"
