r"""What stands beside an answer and says nothing of its value: ``The answer is``, ``=``, ``\therefore``, a reason."""

from __future__ import annotations

import re

LONGEST = 400
"""Characters of a text after which a reason is looked for."""

_WORDS = r"(?:so |thus |hence |therefore )?(?:the )?(?:final |correct |general )?(?:answer|solution)"
_LEAD = re.compile(
    rf"(?:\\text\s?\{{\s?{_WORDS}(?: is)?\s?:?\s?\}}|{_WORDS}(?: is\s?:?|\s?:)(?!\w)"
    r"|\\(?:approx|therefore|implies|Rightarrow|Longrightarrow|simeq)(?![A-Za-z])|\\(?:sim|cong)(?=\s?[-\d.])|[A-Z]\s?\\sim(?=\s?[A-Z]\()|[-=]>|[→➡]\ufe0f?|[=≈∴⇒⟹~:])\s*(?=\S)"
    r"|(?:\\text\s?\{\s?)?(?:about|approximately|approx\.?|roughly|around|exactly|precisely)\s?\}?\s*(?=[-\d\\$.])(?!\\text)"
    r"|(?:所以|因此|答案[是为]|一共|总共|共|有|是|为|等于|得){1,4}\s*(?=[-\d\\$])",
    re.IGNORECASE,
)


CHANGING = (
    r"(?:not|never|no|less|more|fewer|greater|smaller|other|but|except|unless|or|between|least|most|than|wrong|incorrect|false"
    r"|if|minus|plus|times)"
)
"""Words that make a value after them another one, or none."""
_NAMING = (
    r"(?:an?|the|only|just|final|required|desired|unique|real|common|local|relative|global|absolute(?!\s+values?)|max(?:imum)?|min(?:imum)?"
    r"|solutions?|roots?|zero(?:e?s)?|answers?|values?|coordinates?|intersection|vertex|cent(?:er|re)|points?|line|circle|parabola"
    r"|ellipse|hyperbola|curve|ordered|pairs?|domain|range|set|interval|function|equation|vector|matrix|there|is|are|at|of|so|thus"
    r"|hence|therefore|we|get|have|obtain|occurs)"
)
# the domain of an equation is another thing than the equation, the value of a number is that number
_LAST = rf"(?!of(?![a-z])){_NAMING}|(?:value|max(?:imum)?|min(?:imum)?|answer) of(?=\s?\}}\s?[-+\d])"
# \text{the point } (3, -1), \text{only } 7, \text{Circle: } x^2 + y^2 = 25: nothing but words that name a value
_SUBJECT = re.compile(
    rf"\\text\s?\{{\s?(?:{_NAMING}[\s,]{{1,3}}){{0,8}}(?:{_LAST})\s?"
    r"(?:\}\s?(?=[-+\d\\(\[{.]|[A-Za-z]\s?[=(^+-])(?!\\text)"
    r"(?!\d{1,9}\s?\^?\s?\{?\\text\s?\{\s?(?:st|nd|rd|th)(?![a-z]))|:\s?\}\s?(?=[^=,;{}]{0,60}[A-Za-z][^=,;{}]{0,60}=))",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"[\s,;]*(?:\(?\s?\\text\s?\{[\s,;(]*(?:since|because|reject(?:ing)?|discard(?:ing)?|ignoring)(?=\s[a-z]|\s?\}\s?[^\s)}])"
    r"[^{}]{0,60}\}(?:(?!\\lor)[^=]|=(?=\s?-?[\d\\])){0,80}"
    r"|\(\s?[A-Za-z]\s?=\s?[^()=]{1,20}\\text\s?\{\s?is (?:extraneous|rejected|invalid|not valid)\s?\}\s?\)"
    r"|\\text\s?\{\s?(?:only|alone|is the only (?:solution|answer|root|value|one))\s?\})\Z",
    re.IGNORECASE,
)


def find_reason(text: str) -> int:
    """Where an answer ends that a reason follows: ``7 (since x > 0)``, ``x = 7 (reject x = -2)``; 0 without one."""
    found = _REASON.search(text) if len(text) <= LONGEST else None
    return found.start() if found is not None else 0


def skip_lead(text: str) -> int:
    """Where the answer begins in a text that is more than its announcement; 0 where nothing stands before it."""
    found = _LEAD.match(text) or _SUBJECT.match(text)
    return found.end() if found is not None else 0
