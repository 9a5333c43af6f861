"""What stands around the objects of a reply, and whether it decides otherwise than they do.

Read are words that name the decision with another value (``the verdict should be incorrect``), shares that are given
(``I give this 5/10``), behind the last object a sentence about what is judged (``The response is not correct.``) and a
word of revision beside another label or number (``Wait, it is incorrect``), comments within an object that name another
one, and braces that do not match. All of it in English: what a judge takes back in another language is not seen here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from judges.asking.lenient import Found
from judges.asking.schema_fit import Schema, holds, scalar

_MARKS = r"[\"'“”‘’*_`]*"
_IS = r"(?:is|was|of|becomes|changes to|(?:should|must|would|ought to|has to)(?: \w+)? be|=|:|->)"
_VALUE = rf"{_MARKS}\s*{_IS}\s*(?:an? )?{_MARKS}([A-Za-z0-9][\w.+-]*){_MARKS}(\s*(?:or\b|to\b|\||/|-|–)\s*)?"
_GIVEN = re.compile(
    r"\b(?:gives?|gave|giving|rate[sd]?|grade[sd]?|assign(?:s|ed)?|award(?:s|ed)?|deserves?|earns?)\b[^.{}\n]{0,60}?"
    r"\b([0-9]{1,9}(?:\.[0-9]{1,9})?) ?(?:/|out of) ?([0-9]{1,9})\b",
    re.IGNORECASE,
)
_REVISED = re.compile(
    r"\b(?:wait|correction|corrected|actually|however|sorry|apolog\w+|mistake\w*|revis\w+|reconsider\w*|instead|oops|"
    r"on (?:second|further|closer|reflection)|should (?:have been|be)|ought to be|upon)\b",
    re.IGNORECASE,
)
_JUDGED = (
    r"(?<!reference )\b(?:response|answer|step|sentence|solution|it|this)(?: to (?:judge|check|grade|classify))?"
    r" (?:is|was)(n't| not)?(?: (?:also|indeed|actually|clearly|therefore|still|not)){0,2} "
)
_NUMBER = re.compile(r"(?<![\w.])[0-9]{1,9}(?:\.[0-9]{1,9})?(?![\w%]|\.[0-9])")
_CLOSERS = re.compile(r"(?:```\w*|[\s}\])])*")


def contradicts(text: str, objects: Sequence[Found], name: str, own: Schema, value: JsonValue) -> bool:
    """Whether the text around the objects of a reply says otherwise than that ``name`` is ``value``."""
    around = "\n".join(_around(text, objects))
    if any(said != value for said in (*_mentions(around, name, own), *_given(around, own))):
        return True
    comments = "\n".join(one.comments for one in objects)
    behind = text[objects[-1].end :]
    if _names_another(comments, own, value) or _judges_otherwise(behind, own, value):
        return True
    return _REVISED.search(behind) is not None and _names_another(behind, own, value)


def is_balanced(text: str, objects: Sequence[Found]) -> bool:
    """Whether braces around the objects come in pairs, as those of LaTeX do: else an object was begun, or ended, that
    cannot be read. Where nothing else stands there, closing ones too many are no harm."""
    around = "\n".join(_around(text, objects))
    depth = 0
    for mark in re.findall(r"[{}]", around):
        depth += 1 if mark == "{" else -1
        if depth < 0:
            return _CLOSERS.fullmatch(around) is not None
    return depth == 0


def _around(text: str, objects: Sequence[Found]) -> Iterator[str]:
    place = 0
    for one in objects:
        yield text[place : one.start]
        place = one.end
    yield text[place:]


def _mentions(text: str, name: str, own: Schema) -> Iterator[JsonValue]:
    """What a text says that ``name`` is, in so many words; not where it says what it may be."""
    words = re.escape(name).replace("_", "[ _-]").replace(r"\-", "[ _-]")
    for found in re.finditer(rf"(?<!\w){words}(?!\w){_VALUE}", text, re.IGNORECASE):
        said = scalar(found[1].rstrip(".-"), own)
        labels = own.get("enum")
        meant = said in labels if isinstance(labels, list) else isinstance(said, int | float)
        share = own.get("maximum") is not None and text[found.end() :].startswith(f"{own['maximum']}")
        if meant and (not found[2] or (found[2].strip() == "/" and share)):
            yield said


def _given(text: str, own: Schema) -> Iterator[JsonValue]:
    """The numbers that a text says it gives, of as many as the form has at most."""
    for found in _GIVEN.finditer(text) if own.get("maximum") is not None else ():
        if float(found[2]) == own["maximum"]:
            yield scalar(found[1], own)


def _judges_otherwise(text: str, own: Schema, value: JsonValue) -> bool:
    """Whether a sentence of a text says of what is judged that it is another label, or not the one that was said."""
    labels = own.get("enum")
    for label in labels if isinstance(labels, list) else ():
        words = re.escape(str(label)).replace("_", "[ _-]")
        for found in re.finditer(rf"{_JUDGED}{words}(?!\w)", text, re.IGNORECASE):
            negated = found[1] is not None or " not " in found[0]
            if negated == (label == value):
                return True
    return False


def _names_another(text: str, own: Schema, value: JsonValue) -> bool:
    """Whether a text has another label of the form, or another number that the form allows."""
    labels = own.get("enum")
    if isinstance(labels, list):
        return any(holds(text, str(one)) for one in labels if one != value)
    low, high = own.get("minimum"), own.get("maximum")
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return False
    return any(low <= float(one) <= high and float(one) != value for one in _NUMBER.findall(text))
