r"""Other readings of an answer, tried where it is not equal as it stands: each where its reference leaves no doubt.

Beside a number: a number in words of another language, a decimal comma (``0,75``), a whole number "and" a fraction, a
sentence of words around one value (``\text{There are 5 apples.}``). Beside a list: numbers with blanks between them.
Beside a Roman numeral: its number. Beside a tuple: what sums and multiples of tuples come to. Beside anything: a value
that is said again in parentheses (``1/8 (or 12.5%)``), where both are equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from verifiers.math.decimals import with_point
from verifiers.math.form import Form, form
from verifiers.math.matrix_algebra import evaluate_tuples
from verifiers.math.number_names import parse_number_name
from verifiers.math.roman import parse_roman
from verifiers.math.sentence import find_value
from verifiers.math.sequence import sequence

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
