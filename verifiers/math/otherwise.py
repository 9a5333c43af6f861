r"""Other readings of an answer, tried where it is not equal as it stands: each where its reference leaves no doubt.

Beside a number: a number in words of another language, a decimal comma (``0,75``), a whole number "and" a fraction, a
sentence of words around one value (``\text{There are 5 apples.}``). Beside a list: numbers with blanks between them.
Beside a Roman numeral: its number. Beside a tuple: what sums and multiples of tuples come to. Beside anything: a value
that is said again in parentheses (``1/8 (or 12.5%)``), where both are equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from verifiers.extract.denial import is_denied, is_excluded
from verifiers.math.reading.decimals import with_point
from verifiers.math.reading.form import Form, form
from verifiers.math.reading.matrix_algebra import evaluate_tuples
from verifiers.math.reading.number_names import parse_number_name
from verifiers.math.reading.sequence import sequence

_LONGEST_SENTENCE = 200

_SENTENCE = re.compile(
    r"(?:\\text\s?\{)?(?P<before>[A-Z][a-z']{0,15},?(?: [A-Za-z][a-z']{0,15},?){0,15}:?)\s?\}?\s?"
    r"(?P<value>[-+]?\\?\$?\d{1,12}(?:,\d{3}){0,4}(?:\.\d{1,12})?(?:/\d{1,9})?(?:\s?(?:%|°))?)(?![\d.,:/^]*\d)"
    r"\s?(?:\\text\s?\{)?(?P<after>(?: ?[A-Za-z][a-z]{0,15}(?: [A-Za-z][a-z]{0,15}){0,5})?)\.?\s?\}?"
)
_CHANGING = re.compile(
    r"(?<!\w)(?:no|not|never|none|neither|nor|n't|\w+n't|cannot|without|except|but|or|and|if|unless|might|may|could|would|should"
    r"|maybe|perhaps|about|around|approximately|roughly|nearly|almost|between|from|to|less|more|fewer|greater|smaller|larger"
    r"|least|most|than|under|over|above|below|up|beyond|before|after|until|minus|plus|times|half|twice|double|triple"
    r"|thrice|divided|multiplied|squared|cubed|negative|other|another|each|every|per|wrong|incorrect|false|first|out|of"
    r"|step|question|problem|case|part|base|power|root|square|cube|mod|modulo|factor|factorial|thousand|million"
    r"|billion|hundred|dozen|percent|digit|digits|place|places|divisible|multiple|exceeds|ago|by|instead|rather"
    r"|suppose|assume|assuming|guess|think|believe|wait|actually|used|was|were|had|doubt|unlikely)(?!\w)",
    re.IGNORECASE,
)
# a statement, and no task that is repeated: "Write 0.375 as a fraction"
_STATES = re.compile(
    r"(?!(?:write|find|compute|simplify|evaluate|solve|express|round|convert|calculate|determine|what|how|which|let|given"
    r"|use|show|prove|add|subtract|multiply|divide)\b)(?=.*\b(?:is|are|has|have|takes?|costs?|equals?|gets?|needs?|makes?"
    r"|contains?|gives?|left|earns?|weighs?|scored?)\b)",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"(?<!\w)(?:number|sum|value|product|area|volume|total|amount|length|measure|probability) of(?!\w)", re.IGNORECASE
)
_NUMERAL = re.compile(r"(?=[IVXLCDM]{2})M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_COMMA = re.compile(
    r"[-+]?(?:0,\d{1,20}|[1-9]\d{0,11},(?:\d{1,2}|\d{4,20}))(?![\d,])[^\d,;]{0,40}(?:\^\{?[23]\}?)?\}?", re.ASCII
)
_BLANKS = re.compile(r"-?\d{1,12}(?:\.\d{1,12})?(?: -?\d{1,12}(?:\.\d{1,12})?){1,40}", re.ASCII)
_MIXED = re.compile(
    r"(\d{1,12})\s?,\\land\s(?:(\d{1,9})\s?/\s?(\d{1,9})|\\frac\s?\{\s?(\d{1,9})\s?\}\s?\{\s?(\d{1,9})\s?\})", re.ASCII
)
_AGAIN = re.compile(
    r"(?P<one>[^=]{1,80}?)\s?(?:\\text\s?\{)?\s?\(\s?(?:\\text\s?\{)?\s?(?:,\\lor|or)?\s?"
    r"(?:(?P<about>\\approx(?![A-Za-z])|approximately|approx\.?|about|roughly)|=|i\.e\.,?|that is,?|which is"
    r"|equivalently,?|equal to|(?<=or)|(?<=or ))[\s,]*\}?\s?(?P<other>[^()=]{1,60}?)\s?\}?\s?\)\s?\}?"
)


def find_value(text: str) -> str:
    """The number of a sentence with the sign of its unit; empty where the sentence is not clear.

    Clear is a statement with one number alone, and no word that bounds, changes, doubts or denies it. The words behind
    the number are its unit as far as they are one.
    """
    found = _SENTENCE.fullmatch(text) if len(text) <= _LONGEST_SENTENCE else None
    if found is None:
        return ""
    before = _MAY.sub(" ", found["before"])
    if not _STATES.match(before) or _CHANGING.search(before) or _CHANGING.search(found["after"]):
        return ""
    denied = is_denied(text, *found.span("value")) or is_excluded(text, *found.span("value"))
    return "" if denied else found["value"]


def parse_roman(text: str) -> int | None:
    """The number that a text is in Roman numerals of two letters and more, from II to MMMCMXCIX, or None.

    A letter alone is an option, a variable or a unit.
    """
    if _NUMERAL.fullmatch(text) is None:
        return None
    values = [_VALUES[letter] for letter in text]
    return sum(
        -value if value < following else value for value, following in zip(values, [*values[1:], 0], strict=True)
    )


def read_otherwise(answer: Form, reference: Form) -> Iterator[tuple[str, Form, Form]]:
    """The other readings of a pair, each with the name of its rule."""
    numeral = parse_roman(reference.core)
    if numeral is not None and answer.value is not None:
        yield "roman", answer, form(str(numeral))
    if answer.value is None and answer.text[-1:] in ")}" and (again := _AGAIN.fullmatch(answer.text)) is not None:
        sign = "\\approx" if again["about"] else "="
        yield "again", form(f"{again['one']} {sign} {again['other']}"), reference
    if reference.value is None:
        if (worked := evaluate_tuples(answer.core)) and reference.core[:1] in "(\\[":
            yield "tuples", form(worked), reference
        elif (worked := evaluate_tuples(reference.core)) and answer.core[:1] in "(\\[":
            yield "tuples", answer, form(worked)
        if _BLANKS.fullmatch(answer.core) and (parts := sequence(reference.core)) is not None and not parts.brackets:
            yield "blanks", form(answer.core.replace(" ", ", ")), reference
        return
    if answer.value is not None:
        return
    if (number := parse_number_name(answer.core)) is not None:
        yield "number_name", form(str(number)), reference
    if reference.value.denominator > 1 and _COMMA.fullmatch(answer.text):
        yield "decimal_comma", form(with_point(answer.text)), reference
    if (mixed := _MIXED.fullmatch(answer.core)) is not None:
        whole, above, below = mixed[1], mixed[2] or mixed[4], mixed[3] or mixed[5]
        if int(above) < int(below):
            yield "mixed", form(f"{whole} {above}/{below}"), reference
    if answer.wordy and (value := find_value(answer.text)):
        yield "sentence", form(value), reference
