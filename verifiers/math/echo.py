r"""Is the answer what was asked, not worked out? "What is 17 * 23?" answered by ``\boxed{17 * 23}`` equals 391.

Equality alone pays a policy for repeating the question, so an answer that has something to work out, stands in the
prompt as it is, and is not how the reference is written, is no answer. Whole numbers, and relations already solved
(``x = 4``), are never echoes. By text here, linear in the prompt; what says the same otherwise (``23 * 17``) is found
by :mod:`~verifiers.math.restated`. :class:`~verifiers.math.required.Required` asks for worked-out forms.
"""

from __future__ import annotations

import re

from verifiers.math.question import LONGEST
from verifiers.math.reading.surface import plain
from verifiers.math.restated import restates

REASON = "the answer repeats a formula of the question"

_OPERATION = re.compile(
    r"[+*/^=<>!%×÷·≤≥√]|(?<=[\w)}\]])\s?-|\\(?:times|cdot|div|sqrt|frac|log|ln|lg|exp|sin|cos|tan|cot|sec|csc|arc|binom|sum|int"
    r"|prod|lim|leq?|geq?|neq?|det|gcd|lcm|max|min|b?mod)(?![a-z])"
)
_DECIMAL = re.compile(r"-?\d*\.\d+")
_SOLVED = re.compile(r"[A-Za-z](?:=|<|>|\\leq?|\\geq?|≤|≥)-?\d+(?:\.\d+)?")
_FRACTION = re.compile(r"\\frac\s?(?:\{([^{}]*)\}|(\d))\s?(?:\{([^{}]*)\}|(\d))")
_UNSET = re.compile(r"[\s{}$]+|\\[ ,;:!]|\\(?:left|right)(?![A-Za-z])")
_SIGNS = {
    "\\times": "*", "\\cdot": "*", "×": "*", "·": "*", "\\div": "/", "÷": "/", "**": "^", "−": "-", "–": "-",
    "\\leq": "≤", "\\le": "≤", "\\geq": "≥", "\\ge": "≥", "√": "\\sqrt", "π": "\\pi", "²": "^2", "³": "^3",
}  # fmt: skip
_SIGN = re.compile("|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True)))


def echoes(prompt: str, answer: str, references: tuple[str, ...]) -> bool:
    """Whether an answer that equals a reference only repeats the question; False where the prompt is empty."""
    return bool(prompt) and (_repeats(prompt, answer, references) or restates(prompt, answer, references))


def _repeats(prompt: str, answer: str, references: tuple[str, ...]) -> bool:
    operates = _OPERATION.search(answer) is not None
    if not operates and "." not in answer:
        return False
    given, wanted = _bare(answer), [_bare(reference) for reference in references]
    # to write a decimal as a fraction may be all that was asked
    rewritten = _DECIMAL.fullmatch(given) and all("/" in one for one in wanted)
    if not (operates or rewritten):
        return False
    if not given or _SOLVED.fullmatch(given) or any(_same(given, one) for one in wanted):
        return False
    asked = _bare(prompt[:LONGEST])
    at = asked.find(given)
    while at >= 0:
        if not (_goes_on(asked[at - 1 : at], given[0]) or _goes_on(asked[at + len(given) :][:1], given[-1])):
            return True
        at = asked.find(given, at + 1)
    return False


def _bare(text: str) -> str:
    """One spelling without blanks, braces and layout: for comparing texts, never for reading values."""
    text = _FRACTION.sub(lambda part: f"{part[1] or part[2]}/{part[3] or part[4]}", plain(text))
    return _UNSET.sub("", _SIGN.sub(lambda sign: _SIGNS[sign[0]], text))


def _same(answer: str, reference: str) -> bool:
    """Whether both are written alike, but for what the value is called and a sign of percent."""
    answer, reference = answer.rstrip("\\%"), reference.rstrip("\\%")
    return answer == reference or answer.endswith("=" + reference) or reference.endswith("=" + answer)


def _goes_on(beyond: str, edge: str) -> bool:
    """Whether a number goes on beyond the place that was found: 1/2 within 11/23."""
    return edge.isdigit() and beyond.isdigit()
