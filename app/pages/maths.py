"""TeX to MathML for what answers hold: a bounded subset, converted here, so that no script ever reads a model's text.

Accepted are sources of at most 1,000 characters that use symbols and the structures below; no macros, no links, no
styles, no lengths. Whatever the converter makes of one is copied element by element into what may stand in a page.
Everything else is None, and the page shows the source.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import convert_to_element
from latex2mathml.symbols_parser import SYMBOLS
from markupsafe import Markup

from audits.figures.text import printable

LONGEST = 1000
_DEEPEST, _DEEPEST_TREE, _MOST_COMMANDS, _MOST_ELEMENTS = 12, 40, 200, 2000
_COMMAND = re.compile(r"\\([a-zA-Z]+\*?|.)", re.DOTALL)
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{([^}]*)\}")
_ENTITY = re.compile(r"&#x[0-9A-Fa-f]{1,6};")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STRUCTURES = _words(
    """frac dfrac tfrac cfrac binom dbinom tbinom sqrt overset underset stackrel substack left right middle big Big bigg
    Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr acute bar breve check dot ddot grave hat mathring overbrace
    overline tilde underbrace underline vec widehat widetilde overrightarrow overleftarrow xrightarrow xleftarrow text
    textbf textit textrm textsf texttt textup textnormal mathrm mathbf mathit mathsf mathtt mathbb mathcal mathfrak
    mathscr boldsymbol bm operatorname operatorname* limits nolimits int iint iiint oint sum prod begin end quad qquad
    space nobreakspace thinspace displaystyle textstyle boxed fbox mbox hbox mod pmod bmod pod tag not cancel
    sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp lim limsup liminf max min sup inf
    det gcd deg dim ker hom arg Pr argmax argmin to le ge ne lt gt iff implies land lor lnot dots ldots cdots vdots
    ddots hline prime"""
)
_ENVIRONMENTS = _words(
    """matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix cases aligned align align* split array gathered
    equation equation* gather gather*"""
)
_ESCAPES = frozenset("\\{}[]|_%#$&,;:!> ")
ELEMENTS = _words(
    """math mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd
    mphantom mpadded mstyle"""
)
ATTRIBUTES = {
    "display": re.compile("block|inline"),
    "displaystyle": re.compile("true|false"),
    "mathvariant": re.compile("[a-z-]{1,30}"),
    "stretchy": re.compile("true|false"),
    "fence": re.compile("true|false"),
    "separator": re.compile("true|false"),
    "accent": re.compile("true|false"),
    "accentunder": re.compile("true|false"),
    "movablelimits": re.compile("true|false"),
    "form": re.compile("prefix|infix|postfix"),
    "columnalign": re.compile("(left|right|center)( (left|right|center)){0,20}"),
    "linethickness": re.compile("0"),
    "width": re.compile(r"[01](\.\d{1,4})?em|2em|0\.\d{1,4}em"),
}


@lru_cache(maxsize=256)
def mathml(source: str, display: bool = False) -> Markup | None:
    """A ``math`` element; None for what is beyond the subset."""
    if not _acceptable(source):
        return None
    try:
        tree = convert_to_element(source, display="block" if display else "inline")
    except Exception:  # noqa: BLE001 - what a hostile source makes the converter raise is nowhere listed; it is shown
        return None
    copied = _copied(tree, 0, [0])
    if copied is None:
        return None
    return Markup(tostring(copied, encoding="unicode"))  # noqa: S704 - the tree is escaped when it is written


def _acceptable(source: str) -> bool:
    if len(source) > LONGEST or not source.strip() or "%" in source.replace("\\%", ""):
        return False
    depth = 0
    for character in source.replace("\\\\", "").replace("\\{", "").replace("\\}", ""):
        depth += (character == "{") - (character == "}")
        if not 0 <= depth <= _DEEPEST:
            return False
    commands = _COMMAND.findall(source)
    if depth or len(commands) > _MOST_COMMANDS or commands.count("begin") > 4:
        return False
    if not all(name in _ENVIRONMENTS for name in _ENVIRONMENT.findall(source)):
        return False
    return all(name in _STRUCTURES or name in _ESCAPES or f"\\{name}" in SYMBOLS for name in commands)


def _copied(element: Element, depth: int, count: list[int]) -> Element | None:
    """The same with nothing but what may stand in a page; None where it is too large or not known."""
    count[0] += 1
    tag = "mrow" if element.tag in ("menclose", "semantics") else element.tag
    if depth > _DEEPEST_TREE or count[0] > _MOST_ELEMENTS or tag not in ELEMENTS:
        return None
    made = Element(tag, {name: value for name, value in element.attrib.items() if _permitted(name, value)})
    if element.tag == "menclose" and element.get("notation") == "box":
        made.set("class", "boxed")
    made.text, made.tail = _plain(element.text), _plain(element.tail)
    for child in element:
        inner = _copied(child, depth + 1, count)
        if inner is None:
            return None
        made.append(inner)
    return made


def _permitted(name: str, value: str) -> bool:
    return name in ATTRIBUTES and ATTRIBUTES[name].fullmatch(value) is not None


def _plain(text: str | None) -> str | None:
    """The converter writes symbols as numbered entities."""
    return None if text is None else printable(_ENTITY.sub(lambda found: unescape(found.group()), text))
