"""Numbers in words of other languages, and in Chinese and Roman numerals."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.math.otherwise import parse_roman
from verifiers.math.reading.number_names import parse_number_name


@pytest.mark.parametrize(
    ("number", "names"),
    [
        (1, "eins un uno um une una uma ein 一"),
        (3, "drei trois tres tre três 三 Drei TROIS"),
        (10, "zehn dix diez dieci dez 十"),
        (16, "sechzehn seize dieciséis sedici dezesseis dezasseis 十六"),
        (21, "einundzwanzig vingt-et-un veintiuno ventuno 二十一"),
        (28, "achtundzwanzig vingt-huit veintiocho ventotto 二十八"),
        (71, "einundsiebzig soixante-et-onze settantuno 七十一"),
        (80, "achtzig quatre-vingts ochenta ottanta oitenta 八十"),
        (99, "neunundneunzig quatre-vingt-dix-neuf novantanove 九十九"),
        (105, "hundertfünf hundertundfünf centcinq centocinque 一百零五"),
        (2300, "zweitausenddreihundert duemilatrecento 两千三百"),
        (35_000, "fünfunddreißigtausend trentacinquemila 三万五千"),
    ],
)
def test_a_number_is_read_in_each_language(number: int, names: str) -> None:
    assert {name: parse_number_name(name) for name in names.split()} == dict.fromkeys(names.split(), Fraction(number))


@pytest.mark.parametrize(
    ("text", "number"),
    [("treinta y uno", 31), ("trinta e um", 31), ("vingt et un", 21), ("dos mil uno", 2001), ("cento e um", 101),
     ("menos tres", -3), ("moins cinq", -5), ("minus drei", -3), ("负三", -3), ("三分之二", Fraction(2, 3))],
)  # fmt: skip
def test_a_number_is_read_in_several_words(text: str, number: Fraction) -> None:
    assert parse_number_name(text) == number


@pytest.mark.parametrize(
    "text",
    ["", "once", "cent", "mil", "milla", "Haus", "drei vier", "dreihundertdreihundert", "trois ou quatre",
     "tres por dos", "一二", "一百五", "三万五", "零一", "二十一十", "百", "三个", "drei 4",
     "x", "\\text{drei}", "vingt trente", "zerotausend"],
)  # fmt: skip
def test_other_words_are_no_number(text: str) -> None:
    assert parse_number_name(text) is None


@given(number=st.integers(0, 99_999_999))
def test_a_chinese_numeral_is_its_number(number: int) -> None:
    assert parse_number_name(chinese(number)) == number


def chinese(number: int) -> str:
    """As schools write it."""
    high, low = divmod(number, 10_000)
    if not high:
        return four_places(low) or "零"
    between = "零" if 0 < low < 1000 else ""
    return f"{four_places(high)}万{between}{four_places(low)}"


def four_places(number: int) -> str:
    written, skipped = "", False
    for place, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // place % 10
        if digit:
            written += ("零" if skipped and written else "") + "零一二三四五六七八九"[digit] + sign
        skipped = not digit
    return written


@pytest.mark.parametrize("number", [0, 10, 101, 110, 1001, 1010, 10_001, 10_010, 100_001, 10_000_001])
def test_a_chinese_numeral_with_places_left_out_is_its_number(number: int) -> None:
    assert parse_number_name(chinese(number)) == number


@given(number=st.integers(2, 3999))
def test_a_roman_numeral_is_its_number(number: int) -> None:
    written = roman(number)
    assert parse_roman(written) == (number if len(written) > 1 else None)


@pytest.mark.parametrize("text", ["IIII", "VV", "IC", "XM", "I", "V", "iv", "VIX", "MMMM", "", "I V", "XIA"])
def test_other_letters_are_no_roman_numeral(text: str) -> None:
    assert parse_roman(text) is None


def roman(number: int) -> str:
    written = ""
    for value, letters in (
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
        (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ):  # fmt: skip
        written += letters * (number // value)
        number %= value
    return written
