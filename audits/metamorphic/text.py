"""Rewrites and mutations of words: names, short phrases, yes and no.

A text with LaTeX, or without two letters in a row, is none. Case changes only where the subject does not ask for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from audits.metamorphic.transformation import Task, breaking, keeping

WORDS = frozenset({"math", "exact", "qa"})
_PHRASE = re.compile(r"[^\W\d_][\w '’.,&-]{1,198}[\w.]")
_DENIED = re.compile(r"(?i)\b(?:not|no|none|never|nor|neither|without|nothing)\b|n't\b")
_NUMBER = re.compile(r"[0-9]+")
_WORD = re.compile(r"[^\W\d_]{4}")
_LITERAL = ("exact", "qa")


def text_upper_case(task: Task, dice: Random) -> str | None:
    """In capitals: Paris as PARIS."""
    return _recased(task, str.upper)


def text_lower_case(task: Task, dice: Random) -> str | None:
    """In small letters: Paris as paris."""
    return _recased(task, str.lower)


def text_with_full_stop(task: Task, dice: Random) -> str | None:
    """With the sentence's full stop: Paris as Paris."""
    text = _phrase(task)
    if text is None or text.endswith(".") or (task.verifier == "exact" and not task.params.get("ignore_punctuation")):
        return None
    return f"{text}."


def text_blanks(task: Task, dice: Random) -> str | None:
    """Two blanks for one."""
    text = _phrase(task)
    if text is None or task.params.get("collapse_whitespace") is False:
        return None
    return text.replace(" ", "  ") if " " in text else None


def text_set_as_text(task: Task, dice: Random) -> str | None:
    r"""As text in LaTeX: Paris as \text{Paris}."""
    text = _phrase(task)
    return rf"\text{{{text}}}" if text and task.verifier in (None, "math") else None


def text_with_article(task: Task, dice: Random) -> str | None:
    """With an article: Denver Broncos as the Denver Broncos."""
    text = _phrase(task)
    return f"the {text}" if text and task.verifier == "qa" else None


def text_negated(task: Task, dice: Random) -> str | None:
    """Denied: Paris as not Paris."""
    text = _phrase(task)
    return f"not {text}" if text and not _DENIED.search(text) else None


def text_answers_swapped(task: Task, dice: Random) -> str | None:
    """The opposite of a yes or no: yes as no."""
    opposites = {"yes": "no", "true": "false", "even": "odd", "increasing": "decreasing", "positive": "negative"}
    opposites |= {right: left for left, right in opposites.items()}
    opposite = opposites.get(task.text.strip().lower())
    return opposite.capitalize() if opposite and task.text.strip()[0].isupper() else opposite


def text_number_changed(task: Task, dice: Random) -> str | None:
    """Another number in it: 7 May 1945 as 7 May 1946."""
    text = _phrase(task)
    numbers = list(_NUMBER.finditer(text)) if text else []
    if not text or not numbers:
        return None
    chosen = dice.choice(numbers)
    return text[: chosen.start()] + str(int(chosen[0]) + 1) + text[chosen.end() :]


def _phrase(task: Task) -> str | None:
    """A reference of words. Where it could be a formula (``ad-bc``), only one with a word of four letters."""
    text = task.text.strip()
    if _PHRASE.fullmatch(text) is None or (task.verifier not in _LITERAL and _WORD.search(text) is None):
        return None
    return text


def _recased(task: Task, change: Callable[[str], str]) -> str | None:
    text = _phrase(task)
    if text is None or (task.verifier == "exact" and task.params.get("casefold") is not True):
        return None
    changed = change(text)
    # letters such as the German sharp s do not come back from capitals
    return changed if changed != text and changed.lower() == text.lower() else None


TEXTS = (
    *keeping(WORDS, text_upper_case, text_lower_case, text_with_full_stop, text_blanks, text_set_as_text),
    *keeping(WORDS, text_with_article),
    *breaking(WORDS, text_negated, text_answers_swapped, text_number_changed),
)
