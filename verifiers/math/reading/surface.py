r"""One spelling for the many ways in which the same answer is written: layout goes, meaning stays.

:func:`plain` removes what only sets type (``$``, ``\left``, ``\,``, ``\displaystyle``, bold), gives Unicode
signs their LaTeX or ASCII spelling, and turns ``\dfrac`` into ``\frac``. Linear in the length of the text.
It never reorders and never evaluates.
"""

from __future__ import annotations

import re

from verifiers.math.reading.enumerated import parts
from verifiers.math.reading.lead import CHANGING, find_reason, skip_lead
from verifiers.math.reading.signs import spell_signs
from verifiers.math.reading.spelling import is_settled, lay_out

LONGEST = 10_000

# a frame, size or colour around the whole: its braces only group
_FRAME = re.compile(
    r"\$*\s?\\(?:boxed|fbox|framebox|bbox\s?(?:\[[^\[\]]{0,60}\])?|f?colorbox\s?(?:\{[\w!.]{1,20}\}\s?){1,2}"
    r"|(?:text)?color\s?\{[\w!.]{1,20}\}|underline|smash|ensuremath|displaystyle|[Ll]arge|LARGE|[Hh]uge)\s?(?=\{)"
)
_UNEQUAL = re.compile(r"\\(?:not|neg)\s?(?:\{\s?=\s?\}|=)")
_POWERS = re.compile(r"\^\{[-+\dn]\}(?:\^\{[-+\dn]\})+")
_DOLLAR = re.compile(r"(?<!\\)\$(?=[-+]?\.?\d)|(?<=\d)(?<!\\)\$(?!\w)")
# an upright letter is one of mathematics but where a unit can stand; e and i are numbers everywhere
_LETTER = re.compile(
    r"\\text\s?\{\s?([ei])\s?\}(?!\w)|(?<=\{)\\text\s?\{\s?(d)\s?\}(?=\s?[A-Za-z])|(?:(?<![\d}{\s/·-])(?<!\}\\cdot)|(?<=[,;]\s))\\text\s?\{\s?(\w)\s?\}"
)
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


# 1 in 5, 1 out of 5
_SHARE = re.compile(r"\A(\d{1,9})\s?(?:\\text\s?\{\s?)?(?:in|out of)\s?\}?\s?(\d{1,9})\Z", re.ASCII)
# \text{Mean:} 5, \text{The mean is } 5
_CHANGED = re.compile(rf"\\text\s?\{{[^{{}}]*\b{CHANGING}\b", re.IGNORECASE)
_CALLED = re.compile(r"\\text\s?\{([A-Za-z][A-Za-z ]{0,30}?)(?:\s?:| is| equals)\s?\}\s?(?=[-+\d\\(.\[])(?!\\text)")
# 5th, 5^{\text{th}}
_ORDINAL = re.compile(r"(\d{1,9})\s?(?:\^\s?)?(?:\{\s?)?(?:\\text\s?\{\s?)?(?:st|nd|rd|th)\s?\}{0,2}", re.ASCII)
# how a value is rounded: 3.14 (2 d.p.), 3.14 approximately
_PLACES = r"(?:d\.?\s?p\.?|s\.?\s?f\.?|decimal places?|significant (?:figures?|digits?))"
_NOTED = re.compile(
    rf"(?<=\d)\s?\(?\s?(?:\\text\s?\{{)?\s?\(?\s?(?:approximately|approx|(?:correct )?(?:to )?\d{{1,2}} {_PLACES}"
    r"|(?:rounded )?to the nearest [a-z]{2,12})\s?\.?\)?\s?\}?\s?\)?\Z"
)
# what is said of a value and not what it is: 42 (see above), 42 (Option C)
_REMARK = re.compile(
    r"(?<=[\w)}\]%°])\s\((?:see (?:above|below)"
    r"|as (?:shown|found|computed|derived|stated|required|above)(?: above| below)?|(?:option|choice) [A-H])\)\Z",
    re.IGNORECASE,
)
_OVER = re.compile(r"\{([^{}]{1,100}?)\s?\\over(?![A-Za-z])\s?([^{}]{1,100}?)\}")
# a note of words below or above: \underbrace{81}_{\text{answer}}; not of dots, whose number it says
_NOTE = re.compile(
    r"\\(?:under|over)(?:brace|bracket)\s?\{((?:[^{}.\\…]|\.(?!\.)|\\(?![lcvd]?dots)|\{[^{}]{0,60}\}){1,200})\}\s?[_^]\s?"
    r"(?:\{\s?)?\\(?:text|mathrm|textrm|mbox)\s?\{[^{}\d]{0,60}\}(?:\s?\})?"
)
# an exponent in braces within words: \mathrm{m/s^{2}}
_RAISED = re.compile(r"(\\(?:text|mathrm|textrm)\s?\{[^{}]{0,40}[A-Za-z])\^\{\s?(-?\d)\s?\}")
_ANY_CONSTANT = re.compile(r"(?<=\+)\s?\\text\s?\{\s?const(?:ant|\.)?\s?\}")
_OVERLINED = re.compile(r"\\overline(?=\s?\{\s?[A-Za-z]\s?\})")
_WIDE = re.compile(r"\\wide(hat|tilde)(?![A-Za-z])")
# positive infinity, \\to -\\infty
_ENDLESS = re.compile(r"\A(?:\\(?:to|rightarrow)\s?(?:\+|(-))?|positive|(negative|minus))\s?\\infty\Z")
_ACCENT = re.compile(r"\\(bar|hat|tilde|vec|dot|ddot|overline)(?: ([A-Za-z])(?![A-Za-z])| ?(\\[A-Za-z]+)(?![A-Za-z]))")


def plain(text: str) -> str:
    """The text in its one spelling; idempotent on what it gives for the exact forms."""
    text = _unframed(text.strip())
    if _SIMPLE.fullmatch(text) and not text.endswith(".."):
        return text.rstrip(".,")
    if "..." in text or "…" in text or "dots" in text:
        text = _DOTS.sub(r"\1\\ldots ", text)
    if not text.isascii():
        text = spell_signs(text)
    if text.count("$") == 1:
        text = _DOLLAR.sub(r"\\$", text)
    if "\\n" in text:
        text = _UNEQUAL.sub(r"\\neq ", text)
    if "\\over" in text:
        text = _OVER.sub(r"\\frac{\1}{\2}", text)
    if "erbrac" in text:
        text = _NOTE.sub(r"{\1}", text)
    if "^" in text and _RAISED.search(text):
        text = _RAISED.sub(r"\1^\2", _RAISED.sub(r"\1^\2", text))
    if not is_settled(text):
        text = lay_out(text)
    if "\\text" in text:
        text = _SET_APART.sub(_set, text)
    text = _BLANKS.sub(" ", text)
    if "\\text" in text:
        text = _ANY_CONSTANT.sub(" C", text)
        text = _LETTER.sub(_bare_letter, text)
    if "_{" in text or "_ {" in text:
        text = _SUBSCRIPT.sub(r"_\1", text)
    if "\\wide" in text:
        text = _WIDE.sub(r"\\\1", text)
    if "\\overline" in text:
        text = _OVERLINED.sub(r"\\bar", text)
    if _ACCENT.search(text):
        text = _ACCENT.sub(r"\\\1{\2\3}", text)
    if text.count("^{") > 1:
        text = _POWERS.sub(lambda match: f"^{{{match[0].replace('^{', '').replace('}', '')}}}", text)
    return _answer(_unwrapped(text.strip().rstrip(_TRAILING)))


def _bare_letter(found: re.Match[str]) -> str:
    """The letter, apart from a command right before it."""
    letter: str = found[1] or found[2] or found[3]
    return f" {letter}" if found.string[found.start() - 1 : found.start()].isalpha() else letter


def _answer(text: str) -> str:
    """Without what is said around it, and with what words say of its parts in signs."""
    if not text[-1:].isdigit() and (noted := _NOTED.search(text)) is not None:
        text = text[: noted.start()].rstrip()
    if text.endswith(")") and (remark := _REMARK.search(text)) is not None:
        text = text[: remark.start()]
    lead = skip_lead(text)
    if lead:
        text = _unwrapped(text[lead:])
    if "\\text" in text and (end := find_reason(text)):
        text = _unwrapped(text[:end].rstrip(_TRAILING))
    if "in" in text or "out" in text:
        text = _SHARE.sub(r"\1/\2", text)
    if "text" in text and not _CHANGED.match(text):
        text = _CALLED.sub(r"\\text{\1} = ", text)
    text = _ENDLESS.sub(lambda found: f"{'-' if found[1] or found[2] else ''}\\infty", text)
    ordinal = _ORDINAL.fullmatch(text) if text[-3:].strip("}")[-1:] in ("t", "d", "h") else None
    text = ordinal[1] if ordinal is not None else parts(text)
    return _TO.sub(":", text) if "to" in text and _RATIO.fullmatch(text) else text


def _set(match: re.Match[str]) -> str:
    """Words in the one spelling, their blanks outside of the braces."""
    before, after = (" " if match[edge] else "" for edge in ("before", "after"))
    if match["inside"] in (",", ";"):
        return f"{match['inside']} "
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


def _unframed(text: str) -> str:
    r"""``1,2`` of ``\boxed{1,2}`` or ``\bbox[5px]{1,2}``."""
    for _ in range(4):
        frame = _FRAME.match(text)
        bare = text.rstrip(" $.") if frame is not None else ""
        if frame is None or not _closes_last(bare, frame.end()):
            break
        text = bare[frame.end() + 1 : -1].strip()
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
