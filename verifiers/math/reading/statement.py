r"""Answers in words, apart from how they are said: ``The system is inconsistent``, ``Yes, it is``, ``Bob and Alice``.

What is compared is the statement without its subject, a yes or no without its reason, names in any order, chosen
letters (``AC`` and ``A, C``), chemical formulas. A negation stays: ``not a subspace`` is no ``a subspace``.
"""

from __future__ import annotations

import re

_SUBJECT = re.compile(
    r"(?:the )?(?:this|that|it|these|they|there|system|set|function|series|sequence|matrix|graph|equation|statement"
    r"|winner|answer|result|integral|limit|triangle|figure|curve|shape)s? (?:is|are) (?=\S)"
)
_VERDICT = re.compile(r"(yes|no|true|false)(?:[,.;:]| - ).*", re.DOTALL)
# "yes, but no", "yes; or no", "true, maybe", "false or 5": what takes it back; "yes, but only if x > 0": what limits it
_TAKEN_BACK = re.compile(
    r"\W*l?or\b|[^\w]*(?:(?:but|or|l?and|then|actually|well|i mean|wait|rather|perhaps|maybe)[\s,\\]+){0,3}"
    r"(?:yes|no|true|false|not sure|maybe|perhaps|possibly|not really|neither|both)\b(?!\s(?:matter|doubt|\w+\s))"
)
_LIMITED = {
    "yes": re.compile(
        r"[^\w]*(?:but )?(?:only|if|when(?:ever)?|unless|except|provided|assuming|sometimes|not always"
        r"|in (?:some|one|certain))\b(?! because)"
    ),
    "no": re.compile(r"[^\w]*(?:but )?(?:unless|except)\b"),
}
_LIMITED |= {"true": _LIMITED["yes"], "false": _LIMITED["no"]}
_SHORT = {"t": "true", "f": "false"}
_MANY = re.compile(r"(?:there (?:is|are) )?(?:an )?(infinite(?:ly)?(?: many| number)?)(?: of)?(?: solutions?)?")
_NAMES = re.compile(r",? and |, ?| & ")
# in these no stretch may be read in two ways: with a repetition around it that takes exponential time
_LETTERS = re.compile(r"[A-J](?:[\s,;、]*(?:(?:and|\\land)\s?)?[A-J])+")
_NUMERALS = re.compile(r"[IVX]{1,4}(?:(?:[\s,;、]|\\land|and){1,9}[IVX]{1,4})*")
_CHEMICAL = re.compile(r"\d?\(?[A-Z](?:[A-Z]|(?<=[A-Z])[a-z]|_?\d|[()])*(?:\^\d{0,2}[+-]|[+-])?")
_CHARGE = re.compile(r"\^([+-])(\d?)\Z")
_LISTED = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Ag Cd Sn Sb I "
    "Xe Cs Ba W Pt Au Hg Pb Bi U"
)
_ELEMENTS = frozenset(_LISTED.split())
_MAYBE = re.compile(r"\d?\(?[A-Z]|\\(?:text|ce)|\{")
_SETTING = re.compile(r"\\text|[{}\s]|\\ce|\\[,;:]")
# 1s^2 2s^2 2p^6, [Ar]3d^5 4s^1; sp^3
_CONFIGURATION = re.compile(r"(?:\[[A-Z][a-z]?\])?(?:\d[spdf]\^\d{1,2}(?=\d[spdf]|\Z))+")
_SHELL = re.compile(r"\[\w+\]|\d[spdf]\^\d{1,2}(?=\d[spdf]|\Z)")
_HYBRID = re.compile(r"sp(?:\^[23](?:d(?:\^2)?)?)?")
_SYMBOL = re.compile(r"[A-Z][a-z]?")
MOST_NAMES = 12


def same_statement(answer: str, reference: str) -> bool:
    """Of two texts in lower case, articles and layout away."""
    ours, theirs = _said(answer), _said(reference)
    if ours == theirs:
        return True
    if theirs in ("yes", "no", "true", "false"):
        verdict = _VERDICT.fullmatch(ours)
        if verdict is not None and not _TAKEN_BACK.match(ours, verdict.end(1)):
            return verdict[1] == theirs and not _LIMITED[theirs].match(ours, verdict.end(1))
        return _SHORT.get(ours) == theirs
    mine, other = ([part for part in _NAMES.split(text) if part] for text in (ours, theirs))
    return 1 < len(mine) == len(other) <= MOST_NAMES and sorted(mine) == sorted(other)


def _said(text: str) -> str:
    many = _MANY.fullmatch(text)
    return "infinitely many" if many is not None else _SUBJECT.sub("", text, count=1).strip()


def same_letters(answer: str, reference: str) -> bool | None:
    """Of several chosen letters, one side with something between them; None where the texts are none."""
    if (roman := _same_numerals(answer, reference)) is not None:
        return roman
    if not (_LETTERS.fullmatch(answer) and _LETTERS.fullmatch(reference)):
        return None
    if answer.isalpha() and reference.isalpha():
        return None
    ours, theirs = (re.findall("[A-J]", text.replace("and", "")) for text in (answer, reference))
    return set(ours) == set(theirs)


def _same_numerals(answer: str, reference: str) -> bool | None:
    """Of the numbers of statements (``I, II``); None where a text has none of several letters."""
    if not (_NUMERALS.fullmatch(answer) and _NUMERALS.fullmatch(reference)):
        return None
    ours, theirs = (re.findall("[IVX]+", text) for text in (answer, reference))
    return set(ours) == set(theirs) if any(len(each) > 1 for each in (*ours, *theirs)) else None


def same_shells(answer: str, reference: str) -> bool | None:
    """Of two configurations of electrons, whose shells have no order, or hybrid orbitals; None where one is neither."""
    ours, theirs = (_SETTING.sub("", text) for text in (answer, reference))
    if _HYBRID.fullmatch(ours) and _HYBRID.fullmatch(theirs):
        return ours == theirs
    if not (_CONFIGURATION.fullmatch(ours) and _CONFIGURATION.fullmatch(theirs)):
        return None
    return sorted(_SHELL.findall(ours)) == sorted(_SHELL.findall(theirs))


def is_ion(text: str) -> bool:
    r"""Whether a text is a chemical formula with a charge: ``K+``, ``\text{NH}_4^+``; not ``2N+``, which breaks off."""
    plain = _SETTING.sub("", text)
    charged = plain[-1:] in ("+", "-") and not plain[:1].isdigit() and _CHEMICAL.fullmatch(plain) is not None
    return charged and _ELEMENTS.issuperset(_SYMBOL.findall(plain))


def same_formula(answer: str, reference: str) -> bool:
    r"""Of two chemical formulas: ``CO2``, ``\text{CO}_2``; of ions ``Fe3+``, ``Fe^{3+}``."""
    if not _MAYBE.match(reference):
        return False
    ours, theirs = (_CHARGE.sub(r"^\2\1", _SETTING.sub("", text)) for text in (answer, reference))
    if not (_CHEMICAL.fullmatch(ours) and _CHEMICAL.fullmatch(theirs)):
        return False
    if not set(_SYMBOL.findall(theirs)) <= _ELEMENTS or not any(mark in answer + reference for mark in "\\_^"):
        return False
    ours, theirs = ours.replace("_", ""), theirs.replace("_", "")
    # in Fe3+ nothing tells the charge from the number of atoms
    return ours == theirs if "^" in ours and "^" in theirs else ours.replace("^", "") == theirs.replace("^", "")
