"""What stands around the objects of a reply, and whether it decides otherwise than they do.

Read are words that name the decision with another value (``the verdict should be incorrect``), shares that are given
(``I give this 5/10``), a sentence that says which of two is better, comments within an object or right behind it that
name another value or say no, and braces that do not match. Before the first object and behind the last: a sentence
about what is judged (``The response is not correct.``). Behind the last: a word of revision beside another label or
number (``Wait, it is incorrect``), and one that takes back what was said (``Scratch that.``). An object that a sentence
speaks of (``{...} is what the response wants to hear``) decides nothing. All of it in English: what a judge takes back
in another language is not seen here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from judges.asking.lenient import Found
from judges.asking.schema_fit import Schema, holds, is_negative, scalar

_MARKS = r"[\"'“”‘’*_`]*"
_IS = r"(?:is|was|of|becomes|changes to|(?:should|must|would|ought to|has to)(?: \w+)? be|=|:|->|\|)"
_OTHERS = r"(?:or\b|to\b|\|(?=[^\n]*\w)|/|-|–)"
"""Between the values that something may have; the bar that ends a row of a table is none."""
_VALUE = rf"{_MARKS}\s*{_IS}\s*(?:an? )?{_MARKS}([A-Za-z0-9][\w.+-]*){_MARKS}(\s*{_OTHERS}\s*)?"
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
_MARKED = r"\b(?:mark|grade|rate|judge|call|consider|count|deem)(?:ed|s|d)? (?:this|it|the \w+) (?:as )?()"
_SYNONYMS = {"incorrect": ("incorrect", "wrong", "mistaken"), "correct": ("correct", "right")}
_TAKEN_BACK = re.compile(
    r"(?:^|[.!?\n`])\s*(?:(?:hmm|no|oh|but)[,.…]* )?"
    r"(?:(?:wait|hold on|scratch that|never ?mind|on (?:second thoughts?|reflection))\b|let me (?:double-check|"
    r"re-?(?:consider|check|evaluat|do|think|examin|read|calculat|comput|verif|assess|judg|visit)))",
    re.IGNORECASE,
)
_BETTER = (
    r"\b(?:response|assistant|answer|option|model|candidate) {marks}{label} (?:is|was)"
    r" (?:(?:the|clearly|much|slightly|overall|therefore|still) ){{0,2}}"
    r"(?:better|best|superior|stronger|preferable|winner)(?: one| response| answer| option)?(?: overall)?"
    r"\s*(?:[.!\n]|$)"
)
_GOES_ON = re.compile(r"[ \t]*`{0,3}[ \t]*(?:,[ \t]+\w|(?!(?:is|as) my |because\b|since\b|for\b)[a-z]+\b)")
"""What stands behind an object in the middle of a sentence."""
_DISOWNED = re.compile(
    r"(?:\b(?:not|cannot|never|refus\w+|instead of|rather than|ask(?:s|ed)?|wants?|wanted|demand\w*|tells?|told|"
    r"instruct\w*|tries|tried|trying|attempt\w*|inject\w*|ignor\w*)|n't)\b[^.!?{}\n]{0,80}?"
    r"\b(?:output|writ(?:e|ing)|say|saying|return|giv(?:e|ing)|accept|follow|reply|respond|answer|print|emit|produce|"
    r"me|us)\b[^.!?{}\n]{0,60}\Z",
    re.IGNORECASE,
)
_LEAD = 300
"""Characters before an object that are read for what its sentence says."""
_CONCLUDES = re.compile(
    r"\W*(?:(?:so|thus|hence|therefore|overall|clearly|in conclusion|conclusion)\W{1,3})?"
    r"(?:(?:the|this|its|their|his|her)\s)?"
    r"(?:(?:final|given|proposed|student['’]?s?|model['’]?s?|candidate['’]?s?)\s){0,3}(?:response|answer|solution|step|sentence)\s"
    r"(?:is|was)[^.!?\n]{1,40}[.!]?\W*\Z",
    re.IGNORECASE,
)
"""A last sentence before an object that says of what is judged what it is."""
_LAST_SENTENCE = re.compile(r"[.!?:]\s|\n")
_LABELLED = re.compile(r"[\s`]*(?:json)?[\s`]*\Z")
_REMARK = re.compile(r"[\s`,;]{0,9}(?:#|//|--|/\*)\s?(?P<said>[^\n]{1,200})")
_NO = re.compile(
    r"[\s#/*-]*(?:no|nope|not|wrong|false)\b"
    r"(?!\s(?:errors?|issues?|problems?|mistakes?|other|changes?|more))",
    re.IGNORECASE,
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
    remark = _REMARK.match(behind)
    said_beside = (comments, remark["said"] if remark is not None and "enum" in own else "")
    if any(_names_another(one, own, value) or _says_no(one, value) for one in said_beside):
        return True
    if _judges_otherwise(_last_sentence(text[: objects[0].start]), own, value):
        return True
    if _judges_otherwise(behind, own, value):
        return True
    if _TAKEN_BACK.search(behind) is not None or _prefers_otherwise(around, own, value):
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
    for found in re.finditer(rf"(?<![^\W_]){words}(?!\w){_VALUE}", text, re.IGNORECASE):  # final_verdict, too
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
        said = _SYNONYMS.get(str(label), (str(label),))
        words = "|".join(re.escape(one).replace("_", "[ _-]") for one in said)
        for found in re.finditer(rf"(?:{_JUDGED}|{_MARKED})(?:{words})(?!\w)", text, re.IGNORECASE):
            negated = found[1] is not None or " not " in found[0]
            if negated == (label == value):
                return True
    return False


def _says_no(remark: str, value: JsonValue) -> bool:
    """Whether a remark beside a label begins with a no, and the label is none itself."""
    return isinstance(value, str) and not is_negative(value) and _NO.match(remark) is not None


def _last_sentence(before: str) -> str:
    """The sentence before an object where it says of what is judged what it is; else nothing."""
    before = _LABELLED.sub("", before[-_LEAD:])
    ends = [found.end() for found in _LAST_SENTENCE.finditer(before) if before[found.end() :].strip()]
    sentence = before[ends[-1] if ends else 0 :]
    return sentence if _CONCLUDES.match(sentence) is not None else ""


def _prefers_otherwise(text: str, own: Schema, value: JsonValue) -> bool:
    """Whether a sentence of a text says that another one of several is better."""
    labels = own.get("enum")
    others = [str(one) for one in labels if one != value] if isinstance(labels, list) else []
    patterns = [_BETTER.format(marks=_MARKS, label=re.escape(one)) for one in others if len(one) == 1]
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)


def is_spoken_of(text: str, one: Found) -> bool:
    """Whether an object is part of a sentence about it (``I will not output {...}``), and so no decision."""
    begins = max(text.rfind("\n", 0, one.start) + 1, one.start - _LEAD)
    before = text[begins : one.start].rstrip(" \t`:\"'")
    return _GOES_ON.match(text, one.end) is not None or _DISOWNED.search(before) is not None


def _names_another(text: str, own: Schema, value: JsonValue) -> bool:
    """Whether a text has another label of the form, or another number that the form allows."""
    labels = own.get("enum")
    if isinstance(labels, list):
        return any(holds(text, str(one)) for one in labels if one != value)
    low, high = own.get("minimum"), own.get("maximum")
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return False
    return any(low <= float(one) <= high and float(one) != value for one in _NUMBER.findall(text))
