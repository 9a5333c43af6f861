"""Whole numbers in words of German, French, Spanish, Italian and Portuguese, and in Chinese numerals, up to 999,999.

A text is read where it is such a number as a whole: ``einundzwanzig``, ``quatre-vingt-dix``, ``menos tres``,
``一百零五``, ``三分之二``. Accents, hyphens and blanks do not count. What is a word of English too (``once``) or
another number in another of these languages is none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

LONGEST = 60


def _words(text: str) -> list[str]:
    return text.split()


_GERMAN = _words("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf")
_GERMAN_TENS = _words("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
_FRENCH = _words(
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dixsept dixhuit"
    " dixneuf"
)
_FRENCH_TENS = _words("vingt trente quarante cinquante soixante soixante quatrevingt quatrevingt")
_SPANISH = _words(
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete"
    " dieciocho diecinueve"
)
_SPANISH_TENS = _words("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa")
_SPANISH_HUNDREDS = _words(
    "ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
)
_ITALIAN = _words(
    "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici"
    " diciassette diciotto diciannove"
)
_ITALIAN_TENS = _words("venti trenta quaranta cinquanta sessanta settanta ottanta novanta")
_PORTUGUESE = _words(
    "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito"
    " dezenove"
)
_PORTUGUESE_TENS = _words("vinte trinta quarenta cinquenta sessenta setenta oitenta noventa")
_PORTUGUESE_HUNDREDS = _words(
    "cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos"
)
_OTHER_SPELLINGS = (("dezesseis", "dezasseis"), ("dezessete", "dezassete"), ("dezenove", "dezanove"))
_ENGLISH = frozenset(("once", "cent", "mil"))
_THOUSANDS = re.compile(r"(?P<many>[a-z]*?)(?:tausend|mille|mila|mil)(?:und|et|e|y)?(?P<rest>[a-z]*)")
_MINUS = re.compile(r"(?:minus|moins|menos|meno|负|負)(?:\s+|-)?(?![\s-])", re.IGNORECASE)
_CHINESE = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_PLACES = {"十": 10, "百": 100, "千": 1000}
_CHINESE_NUMERAL = re.compile("[零〇一二两兩三四五六七八九十百千万萬]+")


def parse_number_name(text: str) -> Fraction | None:
    """The number that a text is in words of one of these languages, or None."""
    if not 0 < len(text) <= LONGEST or any(character.isdecimal() or character in "\\=" for character in text):
        return None
    minus = _MINUS.match(text)
    said = text[minus.end() :] if minus is not None else text
    value = _chinese_fraction(said) if not said.isascii() else None
    if value is None and (found := _spelled(_folded(said))) is not None:
        value = Fraction(found)
    return value if value is None or minus is None else -value


def _folded(text: str) -> str:
    plain = text.casefold().strip(" .!").replace(" ", "").replace("-", "")
    if plain.isascii():
        return plain
    return "".join(one for one in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(one))


def _spelled(word: str) -> int | None:
    if word in _ENGLISH:
        return None
    names = _names()
    if word in names:
        return names[word]
    thousands = _THOUSANDS.fullmatch(word)
    if thousands is None:
        return None
    many = 1 if not thousands["many"] else names.get(thousands["many"])
    rest = 0 if not thousands["rest"] else names.get(thousands["rest"])
    return None if not many or rest is None or (thousands["rest"] and not rest) else 1000 * many + rest


@cache
def _names() -> dict[str, int]:
    """Every name of a number below a thousand; none that is two numbers. Made when it is first asked for."""
    found: dict[str, int] = {}
    double = set()
    for spell in (_german, _french, _spanish, _italian, _portuguese):
        for number in range(1000):
            for name in map(_folded, spell(number)):
                if found.setdefault(name, number) != number:
                    double.add(name)
    return {name: number for name, number in found.items() if name not in double}


def _german(number: int) -> Iterator[str]:
    hundreds, rest = divmod(number, 100)
    below = list(_german_below(rest)) if rest or not hundreds else [""]
    for head in ([""], ["hundert", "einhundert"], [f"{_GERMAN[hundreds]}hundert"])[min(hundreds, 2)]:
        for joined in ("", "und") if hundreds and rest else ("",):
            yield from (f"{head}{joined}{one}" for one in below)


def _german_below(number: int) -> Iterator[str]:
    tens, ones = divmod(number, 10)
    if number <= 12:
        yield _GERMAN[number]
        if number == 1:
            yield from ("ein", "eine")
    elif number < 20:
        yield {16: "sechzehn", 17: "siebzehn"}.get(number, f"{_GERMAN[ones]}zehn")
    else:
        one = "ein" if ones == 1 else _GERMAN[ones]
        yield _GERMAN_TENS[tens - 2] if not ones else f"{one}und{_GERMAN_TENS[tens - 2]}"


def _french(number: int) -> Iterator[str]:
    hundreds, rest = divmod(number, 100)
    head = "" if not hundreds else "cent" if hundreds == 1 else f"{_FRENCH[hundreds]}cent"
    if hundreds and not rest:
        yield from (head, f"{head}s") if hundreds > 1 else (head,)
    else:
        yield from (f"{head}{one}" for one in _french_below(rest))


def _french_below(number: int) -> Iterator[str]:
    if number < 20:
        yield from (_FRENCH[number], "une") if number == 1 else (_FRENCH[number],)
        return
    tens, ones = divmod(number, 10)
    if tens in (7, 9):
        ones += 10
    name = _FRENCH_TENS[tens - 2]
    if not ones:
        yield from (name, f"{name}s") if tens == 8 else (name,)
        return
    yield f"{name}{_FRENCH[ones]}"
    if ones in (1, 11) and tens < 8:
        yield f"{name}et{_FRENCH[ones]}"


def _spanish(number: int) -> Iterator[str]:
    hundreds, rest = divmod(number, 100)
    if number == 100:
        yield "cien"
    head = "" if not hundreds else _SPANISH_HUNDREDS[hundreds - 1]
    if rest or not hundreds:
        yield from (f"{head}{one}" for one in _spanish_below(rest))
    else:
        yield head


def _spanish_below(number: int) -> Iterator[str]:
    tens, ones = divmod(number, 10)
    if number < 20:
        yield from (_SPANISH[number], "un", "una") if number == 1 else (_SPANISH[number],)
    elif not ones:
        yield _SPANISH_TENS[tens - 2]
    else:
        yield f"veinti{_SPANISH[ones]}" if tens == 2 else f"{_SPANISH_TENS[tens - 2]}y{_SPANISH[ones]}"


def _italian(number: int) -> Iterator[str]:
    hundreds, rest = divmod(number, 100)
    head = "" if not hundreds else "cento" if hundreds == 1 else f"{_ITALIAN[hundreds]}cento"
    yield head if hundreds and not rest else f"{head}{_italian_below(rest)}"
    if number == 1:
        yield from ("un", "una")


def _italian_below(number: int) -> str:
    tens, ones = divmod(number, 10)
    if number < 20:
        return _ITALIAN[number]
    name = _ITALIAN_TENS[tens - 2]
    return name if not ones else f"{name[:-1] if ones in (1, 8) else name}{_ITALIAN[ones]}"


def _portuguese(number: int) -> Iterator[str]:
    hundreds, rest = divmod(number, 100)
    if number == 100:
        yield "cem"
    head = "" if not hundreds else _PORTUGUESE_HUNDREDS[hundreds - 1]
    if rest or not hundreds:
        yield from (f"{head}{'e' if head else ''}{one}" for one in _portuguese_below(rest))
    else:
        yield head


def _portuguese_below(number: int) -> Iterator[str]:
    tens, ones = divmod(number, 10)
    if number < 20:
        name = _PORTUGUESE[number]
        yield name
        yield from (other for known, other in _OTHER_SPELLINGS if known == name)
        yield from {1: ("uma",), 2: ("duas",), 14: ("quatorze",)}.get(number, ())
    else:
        name = _PORTUGUESE_TENS[tens - 2]
        yield name if not ones else f"{name}e{_PORTUGUESE[ones]}"


def _chinese_fraction(text: str) -> Fraction | None:
    """``三分之二`` is two thirds; a numeral alone is itself."""
    below, parted, above = text.strip(" 。.").rpartition("分之")
    values = [_chinese(part) for part in ((below, above) if parted else (above,))]
    if any(value is None for value in values) or (parted and not values[0]):
        return None
    return Fraction(values[-1] or 0, (values[0] or 1) if parted else 1)


def _chinese(text: str) -> int | None:
    if _CHINESE_NUMERAL.fullmatch(text) is None:
        return None
    many, parted, rest = text.replace("萬", "万").rpartition("万")
    if not parted and len(rest) > 1 and rest[0] in "零〇":
        return None
    high = _below_ten_thousand(many) if parted else 0
    low = _below_ten_thousand(rest) if rest else 0
    if high is None or low is None or "万" in many or (parted and rest in _CHINESE):  # 三万五 is 35,000 to some
        return None
    return high * 10_000 + low


def _below_ten_thousand(text: str) -> int | None:
    """Places from the highest down; a ten in front needs no one."""
    total, digit, lowest, skipped = 0, None, 10_000, False
    for sign in text:
        if sign in _PLACES:
            place = _PLACES[sign]
            if place >= lowest or digit == 0 or (digit is None and (place != 10 or total)):
                return None
            total, digit, lowest = total + (digit or 1) * place, None, place
        elif sign in "零〇":
            if digit is not None:
                return None
            digit, skipped = 0 if text in ("零", "〇") else None, True
        elif digit is not None:
            return None
        else:
            digit = _CHINESE[sign]
    # 一百五 is 150 to some, 一百零五 is 105
    if digit is not None and len(text) > 1 and lowest > 10 and not skipped:
        return None
    return total + (digit or 0)
