r"""One spelling for the many ways in which the same answer is written: layout goes, meaning stays.

:func:`plain` removes what only sets type (``$``, ``\left``, ``\,``, ``\displaystyle``, bold), gives Unicode
signs their LaTeX or ASCII spelling, and turns ``\dfrac`` into ``\frac``. Linear in the length of the text.
It never reorders and never evaluates.
"""

from __future__ import annotations

import re

from verifiers.math.lead import announced
from verifiers.math.signs import spelled
from verifiers.math.token import FUNCTIONS

LONGEST = 10_000

# minutes and seconds are no functions
_FUNCTIONS = "|".join(sorted(FUNCTIONS - {"min", "max", "sec"}))
_LAYOUT = re.compile(
    r"(?P<fraction>\\[dtc]frac(?![A-Za-z]))"
    r"|\\(?:mathbf|hat|vec|boldsymbol|bm|bf|widehat|overrightarrow)\s?\{?\s?(?:\\hat\{)?\\?(?P<unit>[ijk])(?:math)?\s?\}?(?![A-Za-z])"
    r"|(?P<line>\\\\)"
    r"|(?P<thousands>(?<=\d)(?:\{,\}|\\,|,\\!|\\!|\\ |\\;|\\thinspace\s|,\s?\\!)(?=\d{3}(?!\d)))"
    r"|(?P<comma>(?<=\d)\{,\}(?=\d{1,2}(?!\d)|\d{4}))"
    r"|(?P<space>\\[,;: ]|~|\\q?quad(?![A-Za-z]))"
    r"|(?P<money>(?:(?<![A-Za-z])(?:US|AU|CA))?\\\$|\\text\{\s?\\?\$\s?\})"
    r"|(?P<pounds>\\(?:text)?pounds(?![A-Za-z]))"
    r"|(?P<aligned>&\s?=)"
    r"|(?P<set>\\[lr]brace(?![A-Za-z]))"
    r"|(?P<percent>\\%)"
    r"|(?P<degree>\^\s?\\circ(?![A-Za-z])|\^\{\s?\\circ\s?\}|\\degrees?(?![A-Za-z]))"
    r"|(?P<or>,?\s?\\(?:text|mbox|textrm|mathrm)\s?\{[\s,~]{0,3}(?:or|oder|ou)[\s~]?\}"
    r"|(?<=[\d})\]$]),?\s(?:or)\s(?=\$?(?:[-+\d(\[.]|\\(?!text|mathrm)|[A-Za-z]\s?(?:[=<>≤≥]|\\(?:[lg]eq?|neq?|in|[lg]t)(?![a-z])))))"
    r"|(?P<and>,?\s?\\(?:text|mbox|textrm|mathrm)\s?\{[\s,~]{0,3}(?:and|und|et)[\s~]?\}"
    r"|(?<=[\d})\]$]),?\s(?:and)\s(?=\$?(?:[-+\d(\[.]|\\(?!text|mathrm)|[A-Za-z]\s?(?:[=<>≤≥]|\\(?:[lg]eq?|neq?|in|[lg]t)(?![a-z])))))"
    r"|(?P<either>(?<=[\d})\]])\s?\\(?:lor|vee)\s?(?=[A-Za-z]\s?=))"
    r"|(?P<times>(?<=\d)\s?[xX]\s?(?=10\s?\^))"
    rf"|\\(?:operatorname\*?|text|mathrm|mathop)\s?\{{\s?\\?(?P<function>{_FUNCTIONS})\s?\}}"
    r"|\\(?:vec|overrightarrow)\s?(?:\{\s?(?P<vector>[A-Za-z])\s?\}|(?P<arrow>[A-Za-z])(?![A-Za-z]))"
    r"|\\(?:mathbf|boldsymbol|bm|mathrm|textbf)\s(?P<bold>[A-Za-z])(?![A-Za-z])"
    r"|(?P<word>\\(?:text|textnormal|textup|textbf|textrm|textit|textsf|mbox|mathrm|mathbf|mathit|mathsf|boldsymbol|bf|rm"
    r"|operatorname\*?)(?![A-Za-z]))"
    r"|(?P<unseen>\\[hv]?phantom\s?\{[^{}]{0,200}\}|\\(?:text)?color\s?\{[\w!.]{1,20}\})"
    r"|(?P<edge>\\(?:left|right)\s?\.)"
    r"|\{\s?(?P<choose>[^{}]{1,40}?)\s?\\choose(?![A-Za-z])\s?(?P<of>[^{}]{1,40}?)\s?\}"
    r"|(?P<nothing>\$+|\\[()\[\]!]|\\(?:left|right|big|Big|bigg|Bigg|bigl|bigr|displaystyle|textstyle|limits"
    r"|boxed|fbox|mathord|underline|Large|large|LARGE|huge|Huge|small|normalsize|mathstrut|strut)(?![A-Za-z]))"
    r"|(?P<infinity>(?<![A-Za-z\\])(?:infinity|infty|inf|oo)(?![A-Za-z])|\\infinity(?![A-Za-z]))"
    r"|(?P<bare>(?<![A-Za-z\\])[dt]?frac(?=\{))"
    r"|(?P<power>(?<=[\w)])\*\*(?=[\w(-]))"
)
_REPLACED = {
    "fraction": "\\frac",
    "line": "\\\\",
    "thousands": "",
    "comma": ".",
    "space": " ",
    "money": "\\dollar ",
    "pounds": "£",
    "times": "\\times ",
    "aligned": "=",
    "percent": "%",
    "degree": "°",
    "or": ",\\lor ",
    "and": ",\\land ",
    "either": ",\\lor ",
    "word": "\\text",
    "nothing": "",
    "edge": "",
    "unseen": "",
    "power": "^",
    "infinity": "\\infty ",
    "bare": "\\frac",
}
_POWERS = re.compile(r"\^\{[-\dn]\}(?:\^\{[-\dn]\})+")
_DOLLAR = re.compile(r"(?<!\\)\$(?=[-+]?\.?\d)|(?<=\d)(?<!\\)\$(?!\w)")
# an upright letter is one of mathematics but where a unit can stand; e and i are numbers everywhere
_LETTER = re.compile(r"\\text\s?\{\s?([ei])\s?\}(?!\w)|(?:(?<![\d}{\s/·-])|(?<=[,;]\s))\\text\s?\{\s?(\w)\s?\}")
_SET_APART = re.compile(r"\\text\s*\{(?P<before>[\s~]*)(?P<inside>[^{}]*?)(?P<after>[\s~]*)\}")
_SUBSCRIPT = re.compile(r"_\s?\{\s?(\w)\s?\}(?!\s?\d)")
_DOTS = re.compile(r"(?<![\w.])(\d*\.\d+)\s?(?:\.{3,4}|…|\\(?:l?dots|cdots)(?![A-Za-z]))", re.ASCII)
_RATIO = re.compile(r"\d{1,6}(?:\s?(?:\\text\s?\{\s?to\s?\}|to)\s?\d{1,6}){1,3}", re.ASCII)
_TO = re.compile(r"\s?(?:\\text\s?\{\s?to\s?\}|to)\s?")
# braces as plain text writes a set; around 1,234 they only group
_SET = re.compile(r"\{(?!\s?[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?\s?\})[^{}()\[\]=]*,[^{}()\[\]=]*\}")
_BLANKS = re.compile(r"\s+")
_SIMPLE = re.compile(r"[-+]?[\d.,/]{1,60}", re.ASCII)
_TRAILING = " \t\r\n.,;:\\"


_WIDE = re.compile(r"\\wide(hat|tilde)(?![A-Za-z])")
_ACCENT = re.compile(r"\\(bar|hat|tilde|vec|dot|ddot|overline)(?: ?([A-Za-z])(?![A-Za-z])| ?(\\[A-Za-z]+)(?![A-Za-z]))")


def plain(text: str) -> str:
    """The text in its one spelling; idempotent on what it gives for the exact forms."""
    text = text.strip()
    if _SIMPLE.fullmatch(text) and not text.endswith(".."):
        return text.rstrip(".,")
    if "..." in text or "…" in text or "dots" in text:
        text = _DOTS.sub(r"\1\\ldots ", text)
    if not text.isascii():
        text = spelled(text)
    if text.count("$") == 1:
        text = _DOLLAR.sub(r"\\$", text)
    text = _LAYOUT.sub(_replaced, text)
    if "\\text" in text:
        text = _SET_APART.sub(_set, text)
    text = _BLANKS.sub(" ", text)
    if "\\text" in text:
        text = _LETTER.sub(lambda found: found[1] or found[2], text)
    if "_{" in text or "_ {" in text:
        text = _SUBSCRIPT.sub(r"_\1", text)
    if "\\wide" in text:
        text = _WIDE.sub(r"\\\1", text)
    if _ACCENT.search(text):
        text = _ACCENT.sub(r"\\\1{\2\3}", text)
    if text.count("^{") > 1:
        text = _POWERS.sub(lambda match: f"^{{{match[0].replace('^{', '').replace('}', '')}}}", text)
    text = _unwrapped(text.strip().rstrip(_TRAILING))
    lead = announced(text)
    if lead:
        text = _unwrapped(text[lead:])
    return _TO.sub(":", text) if "to" in text and _RATIO.fullmatch(text) else text


def _replaced(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    if kind == "unit":
        return f"\\hat{{{match[kind]}}}"
    if kind == "function":
        return f"\\{match[kind]} "
    if kind == "of":
        return f"\\binom{{{match['choose']}}}{{{match['of']}}}"
    if kind in ("vector", "arrow", "bold"):
        return f" {match[kind]} "
    if kind == "set":
        return "\\{" if match[0] == "\\lbrace" else "\\}"
    return _REPLACED[kind]


def _set(match: re.Match[str]) -> str:
    """Words in the one spelling, their blanks outside of the braces."""
    before, after = (" " if match[edge] else "" for edge in ("before", "after"))
    return f"{before}\\text{{{match['inside']}}}{after}" if match["inside"] else " "


def _unwrapped(text: str) -> str:
    r"""Without Markdown, quotes, braces or ``\text`` around the whole."""
    for _ in range(4):
        inner = text.strip("*_` ")
        if inner[:1] in ("'", '"') and inner[:1] == inner[-1:]:
            inner = inner.strip("\"' ")
        if inner.startswith("\\text{") and _closes_last(inner, 5):
            inner = inner[6:-1]
        elif inner.startswith("{") and _closes_last(inner, 0):
            inner = f"\\{{{inner[1:-1]}\\}}" if _SET.match(inner) else inner[1:-1]
        inner = inner.strip(" ").rstrip(_TRAILING)
        if inner == text:
            break
        text = inner
    return text


def _closes_last(text: str, start: int) -> bool:
    """True where the brace at ``start`` closes with the last character."""
    if not text.endswith("}") or text.endswith("\\}"):
        return False
    depth = 0
    for place in re.finditer(r"\\.|[{}]", text[start:]):
        if place[0] == "{":
            depth += 1
        elif place[0] == "}":
            depth -= 1
            if depth == 0:
                return place.start() + start == len(text) - 1
    return False
