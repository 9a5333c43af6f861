r"""Commands of layout, old commands and packages as one LaTeX: ``\SI{5}{cm}``, ``\left(``, ``5\rm cm``, ``\dfrac``."""

from __future__ import annotations

import re

from verifiers.math.algebra.token import FUNCTIONS

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
    r"|(?P<unseen>\s?\$?(?:\\(?:square|blacksquare|Box|checkmark|qed|qedsymbol)|[□■∎✓])\s?\$?\s?\Z|\\(?:nonumber|notag|qedhere)(?![A-Za-z])|[\^_]\{\s*\}|(?<![A-Za-z}\\])\{\s*\}|\\(?:tag|label|[hv]space)\*?\s?\{[^{}]{0,60}\}|\\[hv]?phantom\s?\{[^{}]{0,200}\}|\\(?:text)?color\s?\{[\w!.]{1,20}\})"
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
# no part of it is laid out in another way, so that the long pattern need not be tried
_SETTLED = re.compile(
    r"(?:[-+/()=\d}]|\*(?!\*)|\^(?!\{\})|\{(?!\})|\\(?:frac|sqrt)(?=\{)|\\pi(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:[A-WYZa-np-wyz]|[xX](?!10))(?![A-Za-z]))+",
    re.ASCII,
)
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
# f: x \\mapsto x^2, on all real numbers where it says on what
_REALS = r"\\mathbb\s?(?:\{\s?R\s?\}|R)"
_MAPPED = re.compile(
    rf"\A\s?(?:(?P<name>[A-Za-z](?:_\w|'{{1,2}})?)\s?:\s?(?:{_REALS}\s?\\(?:to|rightarrow)\s?{_REALS}\s?[,;:]?\s?)?)?"
    r"(?P<of>[a-z])\s?\\(?:long)?mapsto(?![A-Za-z])\s?"
)
# \\max\\{1, 2\\} is that of its members
_OF_MEMBERS = re.compile(r"\\(min|max|gcd|lcm)\s?(?:\\left\s?)?\\\{([^{}:|\\]{1,200})(?:\\right\s?)?\\\}")


def is_settled(text: str) -> bool:
    """Whether :func:`lay_out` would leave it as it is, told faster; false where that is not known."""
    return _SETTLED.fullmatch(text) is not None


def lay_out(text: str) -> str:
    """The text with the commands of layout in one spelling, or gone."""
    return _LAYOUT.sub(_replaced, _in_one_dialect(text) if "\\" in text else text)


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
