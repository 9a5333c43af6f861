r"""A number or expression apart from what stands after it: unit, percent sign, base of a numeral.

A unit is set aside where one can stand and where it can be nothing else: upright (``\text{cm}``), a sign (``%``,
``°``), or, after a bare number, a unit's name or symbol of more than one letter, or a counted noun (``5 balls``).
Letters that may as well be factors (``6 m``, ``9.8 m/s^2``) are only remembered, as :attr:`Quantity.letters`: the other
side decides.
Words after a number are no unit where they change it (``5 million``, ``7 twelfths``) or deny it (``5 or less``). A unit
is read here and converted in :mod:`verifiers.math.reading.unit`; a side without one fits any.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from verifiers.math.algebra.token import FUNCTIONS, GREEK
from verifiers.math.reading.numeral import numeral
from verifiers.math.reading.words import NUMBER_WORDS, parse_words
from verifiers.rational import rational
from verifiers.units import UnknownUnit, expression

PERCENT = "percent"
BASE = "base "
"""A numeral's base as its unit: ``base 2``."""

# the words of English that are no nouns and may follow a number: they compare, join, deny, place or work it out
_LISTED = """
about above after again against all almost also always an and any approximately are around as at away before
below between both but by can cannot could decreasing deg divided does doesn't each either else equal equals
even ever every exactly except few for from greater had has have here how if in increasing inside integer into
is isn't it its just larger least less like long many may maybe minus mod modulo more most much multiplied must
near nearly negative neither never no none nor not now odd of off on once one only onto or other otherwise out
outside over per perhaps plus positive possible possibly raised remainder roughly same several should since
smaller so some squared cubed still such than that the their then there these they this those through times to
too toward two under undefined unless until up upon us very was we were what when where which while who why will
with within without would yet you your choose factorial base real complex imaginary rational irrational prime
infinite infinity doubled tripled quadrupled halved negated inverted transposed incremented decremented etc etcetera
ish ths nds rds textperthousand permil permille permill onward onwards upward upwards downward downwards
"""
_CLOSED = frozenset(_LISTED.split())
# alone they take the number back; "7 wrong answers" are counted
_TAKES_BACK = frozenset(("wrong", "incorrect", "false", "extraneous", "rejected", "invalid"))
_NEVER_UNITS = _CLOSED | NUMBER_WORDS | FUNCTIONS | {name.lower() for name in GREEK} | frozenset(("det", "lim", "exp"))
# abbreviations of numbers, and the letters of mathematics
_NUMBERS = frozenset(("k", "K", "M", "B", "T", "mm.", "x", "i", "e", "pi", "th", "st", "nd", "rd"))
_UPRIGHT_NEVER = frozenset(("e", "i", "k", "K", "B", "x", "or", "and"))
_ALIASES = {
    name: symbol
    for symbol, names in {
        PERCENT: "% percent pct",
        "degree": "° deg degree",
        "£": "£ gbp", "dollar": "dollar usd buck $", "cent": "cent ¢", "euro": "euro eur €", "yen": "yen ¥ jpy",
        "₹": "₹ rupee inr Rs rs", "ohm": "\\Omega Ω ohm", "radian": "rad radian", "pound": "pound", "month": "month",
        "year": "year yr", "元": "元 yuan rmb cny",
    }.items()
    for name in names.split()
}  # fmt: skip
# two letters that formulas multiply too (a mass times g), where nothing stands between them and the number
_PRODUCTS = frozenset(("mg", "ms", "mm", "mL", "ml", "ps", "as", "ha"))
_SIGNS = frozenset("%°€£¥₹¢Ω")
_SIGN = re.compile(r"\s?(?:%|°|[€£¥₹¢]|\\Omega(?![A-Za-z])|Ω)\Z")
_SCALE = re.compile(r"°\s?(?:\\text\s?)?\{?\s?([CFK])\s?\}?\Z")
_RAISED = r"(?:\s?\^\s?(?:\{\s?-?\d{1,2}\s?\}|-?\d))?"
_WORD = rf"\\text\s?\{{[^{{}}]{{0,60}}\}}{_RAISED}"
_PIECE = rf"(?:{_WORD}|\\frac\s?\{{\s?{_WORD}\s?\}}\s?\{{[^{{}}]{{0,20}}{_WORD}\s?\}})"
_UPRIGHT = re.compile(rf"\s?{_PIECE}(?:\s?(?:/|\\cdot|-|·|\*)?\s?{_PIECE}){{0,5}}(?:\s?\^\s?\{{?\d\}}?)?\Z")
_NUMBER = re.compile(
    r"[-+]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,4}(?![\w.])|\s?(?:\\times|\\cdot|\*)\s?10\s?\^\s?(?:\{\s?[-+]?\d+\s?\}|[-+]?\d+))?"
    r"(?:\s?/\s?\d+(?![\d.])|\s\d+/\d+)?|-?\\frac\s?\{\s?-?\d+\s?\}\s?\{\s?\d+\s?\}"
)
# cos(x), \\text{Var}(X); not ball(s)
_APPLIED = re.compile(r"[^\W\d_]\}?\((?!(?:e?s|ren)\))")
_FORMULA = re.compile(r"\s?(?:\\(?!text|frac)|[-+*/^=<>(\[{,;:!.\d])")
_QUOTIENT = re.compile(r"\\frac\s?\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\s?\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
_WORDS = re.compile(r"(?:[^\W\d_]|['’.·/*^{}()\- ]|\\cdot|(?<=\^)-?\d|(?<=\^\{)-?\d|(?<=[a-z])[23](?!\d)){1,60}")
_BEHIND = re.compile(
    r"(?<=[\d}])\s?\(\s?(?:in\s)?(?:\\text\s?\{)?\s?(?P<inside>[^\W\d_][^()\d\\{}=]{0,40}?)\s?\}?\s?\)\Z"
)
_CURRENCY = re.compile(r"(?:\\text\s?\{\s?)?([€£¥₹]|USD|EUR|GBP|JPY|INR|Rs\.?)\s?\}?\s?(?=[\d.])")
_SCALED = re.compile(
    r"(?P<number>\d[\d,]{0,20}(?:\.\d{1,20})?)\s?(?:\\text\s?\{\s?)?"
    r"(?P<scale>hundred|thousand|million|billion|trillion)\s(?P<unit>[A-Za-z][a-z]{1,20})\s?\}?"
)
_AMOUNT = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s?([kKMB])")
_SCALES = {"k": "thousand", "K": "thousand", "M": "million", "B": "billion"}
_COUNTED = re.compile(r"(?P<number>[-+]?\d[\d.,]*)\s?(?P<noun>[\u4e00-\u9fff]{1,4})")
# they halve it, multiply it, bound it or count on
_CHANGES = re.compile(
    "[零一二三四五六七八九十百千万亿半多余几以分之点负约至到或和与不无非个]{2}|[百千万亿半余多几分]|以上|以下|左右"
)
_FUNCTION = re.compile(r"\\?(?:sin|cos|tan|cot|sec|csc|cis)")
# digits that belong to a unit: m2, cm^{-3}, CO2, per 100 mL
_DEGREES = re.compile(r"(?:deg(?:rees?)?\.? )?(celsius|centigrade|fahrenheit)", re.IGNORECASE)
# ft/sec, where "sec" is no function
_PER = re.compile(r"(?<=[a-z])(?:/| per )sec(?![a-z])")
_SHARE = re.compile(r"of (?:the|a|an|all|his|her|its|their) [A-Za-z]")
_IN_WORDS = re.compile(r"(?<=[a-z]) (squared|cubed)\b")
_UNITS_DIGITS = re.compile(r"(?<=[^\W\d_])\^?\{?-?\d{1,2}\}?|(?:\bper |/ ?)\d+(?= ?[^\W\d_])|\^\{?-?\d{1,2}\}?")


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a text measures (``core``) and in what (``unit``, empty where nothing is said).

    ``letters``: where the text is a number and letters that may be its unit or factors, both; else None.
    """

    core: str
    unit: str = ""
    letters: tuple[str, str] | None = None


def quantity(text: str) -> Quantity:
    """Splits a plain text; where no unit is recognised, the whole text is the core."""
    if "_" in text or "base" in text or text[:1] == "0":
        found = numeral(text)
        if found is not None:
            return Quantity(found[0], f"{BASE}{found[1]}")
    money = _CURRENCY.match(text)
    if money is not None:
        return Quantity(_abbreviated(text[money.end() :]), symbol(money[1].strip()))
    if "\\dollar" in text:
        return Quantity(_abbreviated(text.replace("\\dollar", "").strip()), "dollar")
    return (
        _scaled(text)
        or _signed(text)
        or _upright(text)
        or _after_number(text)
        or _after_expression(text)
        or Quantity(text)
    )


def _scaled(text: str) -> Quantity | None:
    """``1.5 million dollars``: its number in words, and what is counted."""
    found = _SCALED.fullmatch(text) if "illion" in text or "thousand" in text or "hundred" in text else None
    unit = _named(found["unit"], upright=True) if found is not None else None
    return Quantity(f"{found['number']} {found['scale']}", unit) if found is not None and unit else None


def _abbreviated(amount: str) -> str:
    """An amount of money with the letter of its scale in words: ``5M``, ``1.2k``."""
    found = _AMOUNT.fullmatch(amount)
    return f"{found[1]} {_SCALES[found[2]]}" if found is not None else amount


def _signed(text: str) -> Quantity | None:
    found = _SCALE.search(text)
    if found is not None:
        return Quantity(text[: found.start()].rstrip(), f"°{found[1]}")
    found = _SIGN.search(text)
    if found is None or not found.start():
        return None
    unit = symbol(found[0])
    core = text[: found.start()].rstrip()
    if unit == "degree" and _FUNCTION.search(text):
        return None
    if ("," in text or ";" in text) and found[0].strip() in core:
        return None  # each part of a list has its own: 30°, 150°
    return Quantity(core, unit)


def _upright(text: str) -> Quantity | None:
    """What stands upright at the end: ``\\text{m}/\\text{s}^2``; words in brackets: ``15 (balls)``."""
    if text.endswith(")"):
        behind = _BEHIND.search(text)
        unit = _named(behind["inside"]) if behind is not None else None
        return Quantity(text[: behind.start()].rstrip(), unit) if behind is not None and unit else None
    found = _UPRIGHT.search(text, max(0, len(text) - 200)) if "\\text" in text else None
    if found is None or not found.start():
        return None
    core = text[: found.start()].rstrip()
    if (("," in core or ";" in core) and "\\text" in core) or core.endswith(("^", "_", "=", "<", ">", "+", "-", "(")):
        return None
    written = _bare(found[0])
    if any(character.isdigit() for character in _UNITS_DIGITS.sub("", written)):
        return None  # another number: 42\text{ 41}
    unit = _named(written, upright=True)
    return Quantity(core.removesuffix("\\cdot").rstrip(), unit) if unit else None


def _after_number(text: str) -> Quantity | None:
    """``5 cm``, ``12 balls``, ``34个``; ``6 m`` as letters."""
    counted = _COUNTED.fullmatch(text) if not text.isascii() else None
    if counted is not None:
        noun = counted["noun"]
        return None if _CHANGES.search(noun) and noun != "个" else Quantity(counted["number"], noun)
    number = _NUMBER.match(text)
    if number is None or number.end() == len(text):
        return None
    tail = text[number.end() :]
    if _FORMULA.match(tail) or _APPLIED.search(tail):
        return None
    written = _bare(tail)
    if _WORDS.fullmatch(written) is None:
        return None
    core = number[0]
    if rational(core) is None:
        return None
    sure = _named(written)
    attached = not tail[:1].isspace()
    if sure and not (attached and sure in _PRODUCTS):
        return Quantity(core, sure)
    unit = None if attached and written == "K" else _in_letters(written)
    return Quantity(text, letters=(core, unit)) if unit else None


_TAIL = re.compile(
    r"(?<=[\d})])\s(?P<words>[A-Za-z][A-Za-z .'/-]{1,40}(?:\^\{?[23]\}?)?)\Z"
    r"|(?<=\\pi)\s(?P<named>[A-Za-z][A-Za-z .'/-]{1,40}(?:\^\{?[23]\}?)?)\Z"
)


def _after_expression(text: str) -> Quantity | None:
    """``5\\sqrt{3} cm``, ``two hours``: a unit's name, never a symbol of one letter, after what is no bare number."""
    tail = _TAIL.search(text)
    if tail is not None:
        unit = _named(tail["words"] or tail["named"])
        return Quantity(text[: tail.start()].rstrip(), unit) if unit and "=" not in text and "," not in text else None
    head, _, last = text.rpartition(" ")
    if head.isascii() and head[:1].isalpha() and last.isalpha() and parse_words(head) is not None:
        unit = _named(last)
        return Quantity(head, unit) if unit else None
    return None


def _bare(written: str) -> str:
    """A unit's text without its setting."""
    text = written
    if "\\frac" in text:
        text = _QUOTIENT.sub(r"(\1)/(\2)", text)
    text = re.sub(r"\\text\s?\{\s?([^{}]*?)\s?\}", r" \1 ", text)
    text = " ".join(text.replace("\\cdot", "·").split()).strip(" .")
    text = _IN_WORDS.sub(lambda found: "^2" if found[1] == "squared" else "^3", text)
    return re.sub(r"\((\w+)\)", r"\1", re.sub(r" ?([\^/()]) ?", r"\1", text))


def _named(written: str, *, upright: bool = False) -> str | None:
    """The unit that a text surely is, else None."""
    written = written.replace("per cent", "percent").strip()
    if written in _SIGNS or written in ("min", "sec"):
        return symbol(written)
    if (scale := _DEGREES.fullmatch(written)) is not None:
        return f"°{'F' if scale[1][0] in 'fF' else 'C'}"
    written = _PER.sub(lambda found: found[0].removesuffix("ec"), written)
    words = re.findall(r"[^\W\d_]+(?:['’][a-z]+)?", written)
    if _SHARE.match(written) and not any(word.lower() in NUMBER_WORDS for word in words):
        return written  # 1/5 of the cake
    if len(words) == 1 and words[0].lower() in _TAKES_BACK:
        return None
    if not words or any(word.lower() in _NEVER_UNITS and word.lower() not in ("in", "per", "long") for word in words):
        return None
    if not upright and (
        words[0] in _NUMBERS or (words[0].lower() in ("in", "long") and written.partition("^")[0].strip() != "in")
    ):
        return None
    if upright and (written in _UPRIGHT_NEVER or words[0].lower() in ("per", "long")):
        return None
    if upright and written == "in":
        return "in"
    measured = _is_unit(written)
    # miles/s, where the word is no product of letters
    if measured and (upright or all(len(word) > 1 for word in words) or any(len(word) > 2 for word in words)):
        return _in_powers([symbol(word) for word in written.split()])
    if upright or symbol(written) in _ALIASES.values():
        return _in_powers([symbol(word) for word in written.split()])
    if len(words) <= 3 and all(len(word) > 2 or _is_unit(word) or word == "per" for word in words) and _nouns(written):
        return _in_powers([symbol(word) for word in written.split()])
    return None


_NOUNS = re.compile(r"[^\W\d_]{2,20}(?:[ -][^\W\d_]{2,20}|['’]s)*(?:\^\{?[23]\}?|[23])?(?:/[^\W\d_]{2,20})?\.?")
_VOWEL = re.compile(r"[aeiouyAEIOUY\u00c0-\U0010ffff]")


def _nouns(written: str) -> bool:
    """Words rather than letters side by side: each has a vowel, and the text has no operation."""
    if _NOUNS.fullmatch(written) is None:
        return False
    return all(_VOWEL.search(word) or _is_unit(word) for word in re.findall(r"[^\W\d_]+", written))


def _in_letters(written: str) -> str | None:
    """The unit that letters after a number may be: ``m``, ``m/s``, ``mg``; None where they are none."""
    words = re.findall(r"[^\W\d_]+", written)
    if written == "M":
        return written  # moles a litre
    if not words or any(word in _UPRIGHT_NEVER - {"K"} for word in words) or not _is_unit(written):
        return None
    if len(words) > 1 and not any(sign in written for sign in "/·^") and "per" not in words:
        return None  # several letters side by side are a product
    return _in_powers([symbol(word) for word in written.split()])


@lru_cache(maxsize=4096)
def _is_unit(written: str) -> bool:
    try:
        return bool(expression(written.replace("{", "(").replace("}", ")")).dimension)
    except UnknownUnit:
        return False


_ADJECTIVES = {"square": "^2", "sq": "^2", "sq.": "^2", "cubic": "^3", "cu": "^3"}


def _in_powers(words: list[str]) -> str:
    """``square cm`` as ``cm^2``, ``m per s`` as ``m/s``."""
    if len(words) == 2 and words[0] in _ADJECTIVES:
        return words[1] + _ADJECTIVES[words[0]]
    if len(words) == 3 and words[1] == "per":
        return f"{words[0]}/{words[2]}"
    return " ".join(words)


def symbol(word: str) -> str:
    """The one name of a noun's or currency's many (``Dollars`` is ``dollar``); of a unit its canonical spelling."""
    word = word.strip(" .").replace("{", "").replace("}", "")
    if word in _ALIASES:
        return _ALIASES[word]
    if len(word) <= 2 or "/" in word or "^" in word:
        return word
    lowered = word.lower()
    singular = lowered[:-1] if lowered.endswith("s") and len(lowered) > 3 else lowered
    if singular in _ALIASES or lowered in _ALIASES:
        return _ALIASES.get(singular) or _ALIASES[lowered]
    return word if _is_unit(word) else singular
