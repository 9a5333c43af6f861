r"""One spelling for the many ways in which the same answer is written: layout goes, meaning stays.

:func:`plain` removes what only sets type (``$``, ``\left``, ``\,``, ``\displaystyle``, bold), gives Unicode
signs their LaTeX or ASCII spelling, and turns ``\dfrac`` into ``\frac``. Linear in the length of the text.
It never reorders and never evaluates.
"""

from __future__ import annotations

import re

from verifiers.math.enumerated import parts
from verifiers.math.lead import CHANGING, find_reason, skip_lead
from verifiers.math.signs import spell_signs
from verifiers.math.token import FUNCTIONS

LONGEST = 10_000

# minutes and seconds are no functions
_FUNCTIONS = "|".join(sorted(FUNCTIONS - {"min", "max", "sec"}))
_LAYOUT = re.compile(
    r"(?P<fraction>\\(?:[dtcsx]|nice)frac(?![A-Za-z]))"
    r"|\\(?:mathbf|hat|vec|boldsymbol|bm|bf|widehat|overrightarrow)\s?(?P<open>\{)?\s?(?P<hat>\\(?:hat|mathbf|boldsymbol|bm|textbf|text|mathrm)\s?\{)?\\?(?P<unit>[ijk])"
    r"(?:math)?(?(hat)\s?\})(?(open)\s?\})(?![A-Za-z])"
    r"|(?P<line>\\\\)"
    r"|(?P<thousands>(?<=\d)(?:(?:\{,\}|\\,|\\!|\\ |\\;|\\thinspace\s|,\s?\\!\s?|'(?<=\d'))(?=\d{3}(?!\d))"
    r"|,\s?\\!\s?(?=\d\d,\s?\\!)))"
    r"|(?P<comma>(?<=\d)\{,\}(?=\d{1,2}(?!\d)|\d{4})|(?<=(?<![\d.,])\d),(?=(?:\d{1,2}|\d{4,20})\s?(?:\\times|\\cdot|\*)\s?10\s?\^))"
    r"|(?P<space>\\[,;: ]|~|\\q?quad(?![A-Za-z]))"
    r"|(?P<money>(?:(?<![A-Za-z])(?:US|AU|CA)|\\text\s?\{\s?(?:US|AU|CA)\s?\})?\s?\\\$|\\text\{\s?\\?\$\s?\})"
    r"|(?P<pounds>\\(?:text)?pounds(?![A-Za-z]))"
    r"|(?P<aligned>&\s?=)"
    r"|(?P<set>\\[lr]brace(?![A-Za-z]))|(?P<round>\\[lr]paren(?![A-Za-z]))|(?P<square>\\[lr]brack(?![A-Za-z]))"
    r"|(?P<percent>\\%)"
    r"|(?P<degree>\^\s?\\circ(?![A-Za-z])|\^\{\s?\\circ\s?\}|\\degrees?(?![A-Za-z])"
    r"|(?<=\d)\s?\^\s?(?:o(?![A-Za-z])|\{\s?o\s?\}))"
    r"|(?P<order>\\mathcal\s?(?:\{\s?O\s?\}|O(?![A-Za-z])))"
    r"|(?P<or>,?\s?\\(?:text|mbox|textrm|mathrm)\s?\{[\s,~]{0,3}(?:or|oder|ou|или|或者?|または)[\s~]?\}"
    r"|(?:(?<=[\d})\]$])|(?<=[<>≤≥][a-z])|(?<=[<>≤≥]\s[a-z])),?\s?(?:(?<=\s)or(?=\s)|或者?|または)\s?(?=\$?(?:[-+\d(\[.]|\\(?!text|mathrm)|[A-Za-z]\s?(?:[=<>≤≥]|\\(?:[lg]eq?|neq?|in|[lg]t)(?![a-z])))))"
    r"|(?P<and>,?\s?\\(?:text|mbox|textrm|mathrm)\s?\{[\s,~]{0,3}(?:and|und|et|и|和|及|と)[\s~]?\}"
    r"|(?:(?<=[\d})\]$])|(?<=[<>≤≥][a-z])|(?<=[<>≤≥]\s[a-z])),?\s?(?:(?<=\s)and(?=\s)|和|及)\s?(?=\$?(?:[-+\d(\[.]|\\(?!text|mathrm)|[A-Za-z]\s?(?:[=<>≤≥]|\\(?:[lg]eq?|neq?|in|[lg]t)(?![a-z])))))"
    r"|(?P<either>(?<=[\d})\]])\s?\\(?:lor|vee)\s{0,3}(?=[A-Za-z]\s?=))"
    r"|(?P<times>(?<=\d)\s?(?:[xX]|\\text\s?\{\s?[xX]\s?\})\s?(?=10\s?\^))"
    rf"|\\(?:operatorname\*?|text|mathrm|mathop)\s?\{{\s?\\?(?P<function>{_FUNCTIONS})\s?\}}"
    r"|\\(?:(?:operatorname\*?|mathrm)\s?\{\s?(?P<abroad>arcc?tg|co?tg|tg|[sc]h)\s?\}|(?P<tangent>arcc?tg|co?tg|tg)(?![A-Za-z]))"
    r"|\\(?:vec|overrightarrow)\s?(?:\{\s?(?P<vector>[A-Za-z])\s?\}|(?P<arrow>[A-Za-z])(?![A-Za-z]))"
    r"|\\(?:mathbf|boldsymbol|bm|mathrm|textbf)\s(?P<bold>[A-Za-z])(?![A-Za-z])"
    r"|(?P<word>\\(?:text|textnormal|textup|textbf|textrm|textit|textsf|texttt|emph|mbox|hbox|mathrm|mathbf|mathit|mathsf|mathtt|boldsymbol|bm|bf|rm"
    r"|operatorname\*?)(?![A-Za-z]))"
    r"|(?P<index>(?<![\\A-Za-z])(?P<named>[A-Za-z]{1,8})\[(?P<at>\d)\])"
    r"|(?P<colon>(?<=\d)\{:\}(?=\d))"
    r"|(?P<bar>\\[lr]?vert(?![A-Za-z]))"
    r"|(?P<unseen>\s?\$?\\(?:square|blacksquare|Box|checkmark|qed|qedsymbol)\s?\$?\s?\Z|\\(?:nonumber|notag|qedhere)(?![A-Za-z])|[\^_]\{\s*\}|(?<![A-Za-z}\\])\{\s*\}|\\(?:tag|label|[hv]space)\*?\s?\{[^{}]{0,60}\}|\\[hv]?phantom\s?\{[^{}]{0,200}\}|\\(?:text)?color\s?\{[\w!.]{1,20}\})"
    r"|(?P<edge>\\(?:left|right)\s?\.)"
    r"|\{\s?(?P<choose>[^{}]{1,40}?)\s?\\choose(?![A-Za-z])\s?(?P<of>[^{}]{1,40}?)\s?\}"
    r"|(?P<nothing>\$+|\\[()\[\]!]|\\(?:left|right|middle|big|Big|bigg|Bigg|bigl|bigr|displaystyle|textstyle|limits"
    r"|boxed|fbox|mathord|underline|smash|ensuremath|hfill|noindent|centering|Large|large|LARGE|huge|Huge|small|normalsize|mathstrut|strut)(?![A-Za-z]))"
    r"|(?P<infinity>(?<![A-Za-z\\])(?:infinity|infty|inf|oo)(?![A-Za-z])|\\infinity(?![A-Za-z]))"
    r"|(?P<bare>(?<![A-Za-z\\])[dt]?frac(?=\{))"
    r"|(?P<power>(?<=[\w)}])(?:\*\*|\s\*\*\s)(?=[\w({-]))"
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
    "order": "O",
    "bar": "|",
    "colon": ":",
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
# no part of it is laid out in another way, so that the long pattern need not be tried
_SETTLED = re.compile(
    r"(?:[-+/()=\d}]|\*(?!\*)|\^(?!\{\})|\{(?!\})|\\(?:frac|sqrt)(?=\{)|\\pi(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:[A-WYZa-np-wyz]|[xX](?!10))(?![A-Za-z]))+",
    re.ASCII,
)


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
# an exponent in braces within words: \mathrm{m/s^{2}}
_RAISED = re.compile(r"(\\(?:text|mathrm|textrm)\s?\{[^{}]{0,40}[A-Za-z])\^\{\s?(-?\d)\s?\}")
# what others call functions
_ABROAD = {"tg": "tan", "ctg": "cot", "cotg": "cot", "arctg": "arctan", "arcctg": "arccot", "sh": "sinh", "ch": "cosh"}
# \\SI{5}{cm}, \\qty{9.8}{\\meter\\per\\second}, \\num{5}, 5\\rm\\,cm
_MEASURED = re.compile(
    r"\\(?:SI|qty)\s?(?:\[[^\[\]]{0,40}\])?\s?\{([^{}]{1,60})\}\s?\{([^{}]{1,60})\}|\\num\s?\{([^{}]{1,60})\}"
)
_MACROS = (("\\per", "/"), ("\\squared", "^2"), ("\\cubed", "^3"), ("\\", " "), (".", "·"), ("~", " "))
_UPRIGHT = re.compile(r"\\(?:rm|bf|it|sf)(?:\\[,;: ]\s?|~|\s)\s?([A-Za-z]{1,12}(?:[/^][A-Za-z\d]{1,4})?)")
_EXTREME = re.compile(r"_\s?(?:\{\s?\\(min|max)\s?\}|\\(min|max)(?![A-Za-z]))")
_STARRED = re.compile(r"\\(begin|end)\{([pbvBV]?matrix)\*\}(?:\[[lcr]\])?")
_NEXT_ROW = re.compile(r"\\cr(?![A-Za-z])")
_BLACKBOARD = re.compile(r"\\(?:Bbb|mathds|mathbbm)(?![A-Za-z])")
_ANY_CONSTANT = re.compile(r"(?<=\+)\s?\\text\s?\{\s?const(?:ant|\.)?\s?\}")
# x = 3 \\quad y = -1, x = 3 \\land y = -1
_NEXT_NAME = re.compile(
    r"(?<=[\w})\]])(?<!or\})(?<!and\})\s?(?:\\\\|\\(?:land|wedge|q?quad)(?![A-Za-z])){1,4}\s?(?:\\q?quad\s?)?(?=[A-Za-z](?:_\{?\w\}?)?\s?=)"
)
# 2H2 + O2 -> 2H2O within \\ce
_REACTION = re.compile(r"\\ce\s?\{([^{}]{1,200}(?:\{[^{}]{0,20}\}[^{}]{0,100}){0,12})\}")
_COUNT = re.compile(r"(?<=[A-Za-z)\]])(\d{1,3})")
_MICRO = re.compile(
    r"\\mu\s?\\(?:text|mathrm|textrm)\s?\{\s?([A-Za-z]{1,3})\s?\}|\\(?:text|mathrm|textrm)\s?\{\s?\\mu\s?([A-Za-z]{1,3})\s?\}"
)
_KILO_OHM = re.compile(r"\\(?:text|mathrm)\s?\{\s?([kMm])\s?(?:\}\s?\\Omega(?![A-Za-z])|\\Omega\s?\})")
_P_VALUE = re.compile(r"p\s?\\text\s?\{\s?-?\s?value\s?\}|\\text\s?\{\s?p\s?-?\s?value\s?\}(?=\s?[=<>\\])")
_DISTRIBUTION = re.compile(r"\\mathcal\s?(?:\{\s?N\s?\}|N)(?=\s?(?:\\left\s?)?\()")
_CONNECTIVE = re.compile(r"\\(?:land|lor|wedge|vee|neg|lnot|to|rightarrow|implies|iff)(?![A-Za-z])")
# not p as logicians write it
_TILDE = re.compile(r"((?:\\(?:land|lor|wedge|vee|to|rightarrow|implies|iff|neg|lnot)|\(|\A)\s?)\\sim(?=\s?[A-Za-z(])")
_COLON = re.compile(r"\\colon(?![A-Za-z])")
# a union of two sets is written with either sign; one over an index is another thing
_BIG_UNION = re.compile(r"\\bigcup(?![A-Za-z])(?!\s?[_^])")
# \\sum_{n \\ge 0}
_FROM_ON = re.compile(r"\\(sum|prod)\s?_\s?\{\s?([a-z])\s?\\ge(?:q|qslant)?\s?(\d{1,3})\s?\}(?!\s?\^)")
_WIDE = re.compile(r"\\wide(hat|tilde)(?![A-Za-z])")
# f: x \\mapsto x^2, on all real numbers where it says on what
_REALS = r"\\mathbb\s?(?:\{\s?R\s?\}|R)"
_MAPPED = re.compile(
    rf"\A\s?(?:(?P<name>[A-Za-z](?:_\w|'{{1,2}})?)\s?:\s?(?:{_REALS}\s?\\(?:to|rightarrow)\s?{_REALS}\s?[,;:]?\s?)?)?"
    r"(?P<of>[a-z])\s?\\(?:long)?mapsto(?![A-Za-z])\s?"
)
# \\max\\{1, 2\\} is that of its members
_OF_MEMBERS = re.compile(r"\\(min|max|gcd|lcm)\s?(?:\\left\s?)?\\\{([^{}:|\\]{1,200})(?:\\right\s?)?\\\}")
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
    if _ACCENT.search(text):
        text = _ACCENT.sub(r"\\\1{\2\3}", text)
    if text.count("^{") > 1:
        text = _POWERS.sub(lambda match: f"^{{{match[0].replace('^{', '').replace('}', '')}}}", text)
    return _answer(_unwrapped(text.strip().rstrip(_TRAILING)))


def is_settled(text: str) -> bool:
    """Whether :func:`lay_out` would leave it as it is, told faster; false where that is not known."""
    return _SETTLED.fullmatch(text) is not None


def lay_out(text: str) -> str:
    """The text with the commands of layout in one spelling, or gone."""
    return _LAYOUT.sub(_replaced, _in_one_dialect(text) if "\\" in text else text)


def _bare_letter(found: re.Match[str]) -> str:
    """The letter, apart from a command right before it."""
    letter: str = found[1] or found[2] or found[3]
    return f" {letter}" if found.string[found.start() - 1 : found.start()].isalpha() else letter


def _in_one_dialect(text: str) -> str:
    """Packages and old commands as LaTeX's own: ``\\SI{5}{cm}``, ``5\\rm cm``, starred matrices, rows of one chain."""
    if "\\SI" in text or "\\qty" in text or "\\num" in text:
        text = _MEASURED.sub(_measured, text)
    if "\\rm" in text or "\\it" in text or "\\bf" in text or "\\sf" in text:
        text = _UPRIGHT.sub(r"\\text{\1}", text)
    if "\\ce" in text and (">" in text):
        text = _REACTION.sub(_in_signs, text)
    if "\\mu" in text or "\\Omega" in text:
        text = _MICRO.sub(lambda found: f"\\text{{μ{found[1] or found[2]}}}", _KILO_OHM.sub(r"\\text{\1Ω}", text))
    if "value" in text or "\\mathcal" in text:
        text = _P_VALUE.sub("p", _DISTRIBUTION.sub("N", text))
    if "\\sim" in text and _CONNECTIVE.search(text):
        text = _TILDE.sub(r"\1\\neg ", text)
    if "\\colon" in text:
        text = _COLON.sub(":", text)
    if "\\bigcup" in text:
        text = _BIG_UNION.sub(r"\\cup", text)
    if "\\ge" in text and ("\\sum" in text or "\\prod" in text):
        text = _FROM_ON.sub(r"\\\1_{\2=\3}^{\\infty}", text)
    if "mapsto" in text:
        text = _MAPPED.sub(lambda found: f"{found['name']}({found['of']})=" if found["name"] else "", text)
    if "\\{" in text:
        text = _OF_MEMBERS.sub(r"\\\1(\2)", text)
    if "\\m" in text:
        text = _EXTREME.sub(lambda found: f"_{{{found[1] or found[2]}}}", text)
    text = _BLACKBOARD.sub(r"\\mathbb", _NEXT_ROW.sub(r"\\\\", _STARRED.sub(r"\\\1{\2}", text)))
    if "\\begin" in text:
        return unroll(text)
    return _NEXT_NAME.sub(r",\\land ", text) if text.count("=") > 1 else text


def _in_signs(match: re.Match[str]) -> str:
    """A reaction as its formulas and arrow; a formula alone as it was."""
    inside = match[1]
    if ">" not in inside:
        return match[0]
    return _COUNT.sub(r"_{\1}", inside).replace("<=>", "\\rightleftharpoons ").replace("->", "\\to ")


def _measured(match: re.Match[str]) -> str:
    if match[3]:
        return match[3]
    unit = match[2]
    for macro, written in _MACROS:
        unit = unit.replace(macro, written)
    return f"{match[1]} \\text{{{' '.join(unit.split())}}}"


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


def _replaced(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    if kind == "unit":
        return f"\\hat{{{match[kind]}}}"
    if kind == "function":
        return f"\\{match[kind]} "
    if kind in ("abroad", "tangent"):
        return f"\\{_ABROAD[match[kind]]} "
    if kind == "of":
        return f"\\binom{{{match['choose']}}}{{{match['of']}}}"
    if kind in ("vector", "arrow", "bold"):
        return f" {match[kind]} "
    if kind == "index":
        return f"{match['named']}_{{{match['at']}}}"
    if kind == "set":
        return "\\{" if match[0] == "\\lbrace" else "\\}"
    if kind in ("round", "square"):
        return {"\\lparen": "(", "\\rparen": ")", "\\lbrack": "[", "\\rbrack": "]"}[match[0]]
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


_ROWS = re.compile(
    r"\s*\\begin\{(?P<name>aligned|align\*?|gathered|gather\*?|split|equation\*?|eqnarray\*?|array)\}"
    r"(?:\{[lcr| ]{1,9}\}|\[[tcb]\])?(?P<inside>.*)\\end\{(?P=name)\}\s*",
    re.DOTALL,
)
_ONE_ROW = re.compile(r"\\\\(?:\[[^\[\]]{0,12}\])?")
_GOES_ON = re.compile(r"\s*&?\s*(?:=|\\(?:approx|simeq|equiv)(?![A-Za-z]))")
_ALIGNED = re.compile(r"&(?=\s*(?:=|\\(?:approx|simeq|equiv|le|ge|in)(?![A-Za-z])))|(?<==)\s*&")
LONGEST_ROWS = 4_000


def unroll(text: str) -> str:
    r"""The content of an environment around the whole text where its rows are one chain, or one; else the text.

    ``\begin{aligned} x &= 6 \cdot 7 \\ &= 42 \end{aligned}`` is a chain.
    """
    found = _ROWS.fullmatch(text) if len(text) <= LONGEST_ROWS else None
    if found is None or "\\begin" in found["inside"]:
        return text
    rows = [row for row in _ONE_ROW.split(found["inside"]) if row.strip(" &\t\r\n")]
    if not rows or not all(_GOES_ON.match(row) for row in rows[1:]):
        return text
    chain = _ALIGNED.sub("", " ".join(row.strip() for row in rows)).strip().removeprefix("&")
    return text if "&" in chain else chain
