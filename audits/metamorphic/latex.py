"""Other ways to set the same formula, for any reference in LaTeX: only layout changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from audits.metamorphic.transformation import Task, keeping
from audits.metamorphic.verifiers import MATH

_SHORT_POWER = re.compile(r"\^([0-9a-zA-Z])(?![0-9.])")
_BRACED_POWER = re.compile(r"\^\{([0-9a-zA-Z])\}(?![0-9.])")
_SIGN = re.compile(r"(?<=[\w})\]]) ?([+=]) ?(?=[\w\\({])")
_BRACKET = re.compile(r"\\[{}]|[()\[\]]")
_SYMBOLS = {"\\pi": "π", "\\infty": "∞", "\\cdot": "·", "\\times": "×", "\\le": "≤", "\\ge": "≥", "\\pm": "±"}
_SYMBOL = re.compile("(" + "|".join(re.escape(symbol) for symbol in _SYMBOLS) + r")(?![A-Za-z]) ?")
_SETS_TEXT = ("\\text", "\\mbox", "\\mathrm", "\\begin", "$", "\n")


def latex_display_fractions(task: Task, dice: Random) -> str | None:
    r"""Larger fractions: \frac as \dfrac."""
    return _changed(task, lambda text: text.replace("\\frac", "\\dfrac"))


def latex_display_style(task: Task, dice: Random) -> str | None:
    r"""\displaystyle before all of it."""
    return _changed(task, lambda text: f"\\displaystyle {text}" if _is_formula(text) else text)


def latex_dollars(task: Task, dice: Random) -> str | None:
    """Between dollar signs within the box."""
    return _changed(task, lambda text: f"${text}$" if _is_formula(text) else text)


def latex_thin_blanks(task: Task, dice: Random) -> str | None:
    r"""Narrow blanks at both ends: \, before and after."""
    return _changed(task, lambda text: f"\\,{text}\\," if _is_formula(text) else text)


def latex_spacing(task: Task, dice: Random) -> str | None:
    """Blanks around plus and equals, or none."""
    return _changed(task, lambda text: _SIGN.sub(r" \1 ", text) if " " not in text else _SIGN.sub(r"\1", text))


def latex_power_braces(task: Task, dice: Random) -> str | None:
    """Braces around an exponent of one sign: x^2 as x^{2}."""
    return _changed(task, lambda text: _SHORT_POWER.sub(r"^{\1}", text))


def latex_power_bare(task: Task, dice: Random) -> str | None:
    """The other way: x^{2} as x^2."""
    return _changed(task, lambda text: _BRACED_POWER.sub(r"^\1", text))


def latex_left_right(task: Task, dice: Random) -> str | None:
    r"""Brackets that grow: (1, 2) as \left(1, 2\right)."""

    def grown(text: str) -> str:
        brackets = [found[0] for found in _BRACKET.finditer(text)]
        opening = sum(bracket[-1] in "([{" for bracket in brackets)
        if "\\left" in text or "\\right" in text or "\\sqrt[" in text or 2 * opening != len(brackets):
            return text
        return _BRACKET.sub(lambda found: ("\\left" if found[0][-1] in "([{" else "\\right") + found[0], text)

    return _changed(task, grown)


def latex_unicode(task: Task, dice: Random) -> str | None:
    r"""Signs of Unicode for commands: \pi as π."""
    return _changed(task, lambda text: _SYMBOL.sub(lambda found: _SYMBOLS[found[1]], text))


def _changed(task: Task, change: Callable[[str], str]) -> str | None:
    text = task.text.strip()
    if any(mark in text for mark in _SETS_TEXT):
        return None
    changed = change(text)
    return changed if changed != text else None


def _is_formula(text: str) -> bool:
    return "\\" in text or "^" in text


LATEX = (
    *keeping(MATH, latex_display_fractions, latex_display_style, latex_dollars, latex_thin_blanks, latex_spacing),
    *keeping(MATH, latex_power_braces, latex_power_bare, latex_left_right, latex_unicode),
)
