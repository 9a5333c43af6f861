r"""Combinations and permutations as schools write them: ``_5C_2``, ``{}^5C_2``, ``C(5,2)``, ``_5P_2``.

Also ``C_5^2`` and ``5 choose 2``. ``5C2`` is read as what it may be as well, a product.
"""

from __future__ import annotations

import re

_N, _K = r"\{?(?P<n>\d{1,4})\}?", r"\{?(?P<k>\d{1,4})\}?"
_LETTER = r"(?:\\text\s?\{\s?)?(?P<letter>[CP])(?:\s?\})?"
_FORMS = tuple(
    map(
        re.compile,
        (
            rf"(?<![\w)}}.\\])(?:\{{\}}\s?)?[_^]?\s?{_N}\s?{_LETTER}\s?_\s?{_K}",
            rf"(?<![A-Za-z\\_]){_LETTER}\s?\(\s?{_N}\s?,\s?{_K}\s?\)",
            rf"(?<![A-Za-z\\_\d]){_LETTER}\s?_\s?{_N}\s?\^\s?{_K}",
            rf"(?<![\w)}}.\\^]){_N}\s?(?:\\text\s?\{{\s?)?(?P<letter>choose)(?:\s?\}})?\s?{_K}(?![\w.])",
            rf"(?<![A-Za-z\\_\d])(?P<letter>A)\s?_\s?{_N}\s?\^\s?{_K}",
        ),
    )
)


def rewrite_binomials(text: str) -> str:
    r"""The text with each of them as ``\binom{n}{k}`` or ``\frac{n!}{(n-k)!}``."""
    for form in _FORMS:
        text = form.sub(_written, text)
    return text


def _written(match: re.Match[str]) -> str:
    n, k = int(match["n"]), int(match["k"])
    if k > n:
        return match[0]
    return f"\\binom{{{n}}}{{{k}}}" if match["letter"] in ("C", "choose") else f"(\\frac{{{n}!}}{{{n - k}!}})"
