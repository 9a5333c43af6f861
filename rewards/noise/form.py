r"""The form of an answer, by its looks alone: what error rates are keyed by where verdicts name no form themselves.

A dozen forms, so that a slice has enough answers to measure: ``1,234`` is an integer, ``3/4`` and ``\frac{3}{4}`` a
fraction, ``x^2 + 1`` an expression, ``Paris`` words. Linear in the text.
"""

from __future__ import annotations

import re

_LAYOUT = re.compile(r"\\(?:text|mathrm|mathbf|left|right|boxed|displaystyle|[,;!: ])|(?<!\\)[${}]|\s")
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_FORMS = (
    ("integer", re.compile(r"[-+]?\d+")),
    ("decimal", re.compile(r"[-+]?\d*\.\d+")),
    ("scientific", re.compile(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+|(?:\\times|\\cdot|[×x*·])10\^?\(?[-+]?\d+\)?)")),
    ("percent", re.compile(r"[-+]?[\d./]+\\?%")),
    ("fraction", re.compile(r"[-+]?(?:\d+/\d+|\\[dt]?frac\d+)")),
    ("money", re.compile(r"[-+]?(?:\\\$|[€£¥])[\d.]+|[\d.]+(?:dollars|cents|euros?)", re.IGNORECASE)),
    ("letter", re.compile(r"\(?[A-Za-z]\)?[.:)]?")),
    ("set", re.compile(r"\\\{.*|\\(?:emptyset|varnothing).*|.*\\(?:cup|cap|setminus).*", re.DOTALL)),
    ("tuple", re.compile(r"[(\[]-?[^()\[\]]*,.*[)\]]", re.DOTALL)),
    ("list", re.compile(r"[^()]+(?:[,;][^()]+)+", re.DOTALL)),
    ("relation", re.compile(r".*(?:[<>=≤≥]|\\(?:le|ge|ne(?!g)|in(?![tf]))).*", re.DOTALL)),
    ("quantity", re.compile(r"[-+]?\d[\d.]*[A-Za-z°Ωµ](?:[A-Za-z°Ωµ%/·\d]|\^-?)*")),
    ("expression", re.compile(r".*(?:[\d^*+/√π]|\w!|\\[A-Za-z]+).*", re.DOTALL)),
)
_MONEY = re.compile(r"\A\s*\\?\$(?=\s?\d[\d.,]*\s*\Z)")
_LONGEST = 2_000


def answer_form(text: str) -> str:
    """One of ``integer``, ``decimal``, ``scientific``, ``percent``, ``fraction``, ``money``, ``letter``, ``set``,
    ``tuple``, ``list``, ``relation``, ``quantity``, ``expression``, ``words``; ``empty`` for a text without content."""
    if not text.strip():
        return "empty"
    bare = _GROUPED.sub("", _LAYOUT.sub("", _MONEY.sub(r"\\$", text[:_LONGEST]))) or text
    return next((name for name, looks in _FORMS if looks.fullmatch(bare)), "words")
