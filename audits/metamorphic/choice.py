"""Rewrites and mutations of an option's letter, or of a label out of a given set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from audits.metamorphic.transformation import Task, breaking, keeping

CHOICE = frozenset({"choice"})
LABEL = frozenset({"label"})
_LETTER = re.compile(r"\(?(?P<letter>[A-Z])[).]?")
_OPTIONS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DEFAULT_OPTIONS = 4
"""A question has at least so many, where it is not known how many."""


def choice_in_parentheses(task: Task, dice: Random) -> str | None:
    """B as (B)."""
    return _form(task, "({})")


def choice_with_point(task: Task, dice: Random) -> str | None:
    """B as B."""
    return _form(task, "{}.")


def choice_set_as_text(task: Task, dice: Random) -> str | None:
    r"""B as \text{B}."""
    return _form(task, r"\text{{{}}}")


def choice_set_in_parentheses(task: Task, dice: Random) -> str | None:
    r"""B as \textbf{(B)}."""
    return _form(task, r"\textbf{{({})}}")


def choice_named_option(task: Task, dice: Random) -> str | None:
    """B as Option B."""
    return _form(task, "Option {}")


def choice_small_letter(task: Task, dice: Random) -> str | None:
    """B as (b)."""
    letter = _letter(task)
    return f"({letter.lower()})" if letter else None


def choice_with_text(task: Task, dice: Random) -> str | None:
    """B as B. with the option's text."""
    letter, options = _letter(task), _options(task)
    return f"{letter}. {options[letter]}" if letter and letter in options else None


def choice_by_text(task: Task, dice: Random) -> str | None:
    """B as the option's text, where no other option has the same."""
    letter, options = _letter(task), _options(task)
    if not letter or letter not in options:
        return None
    said = [" ".join(option.casefold().split()) for option in options.values()]
    own = " ".join(options[letter].casefold().split())
    return options[letter] if said.count(own) == 1 and not _LETTER.fullmatch(options[letter].upper()) else None


def choice_other_letter(task: Task, dice: Random) -> str | None:
    """B as C."""
    letter = _letter(task)
    others = [each for each in _letters(task) if each != letter]
    return dice.choice(others) if letter and others else None


def choice_other_text(task: Task, dice: Random) -> str | None:
    """B as the text of C, where that is another text."""
    letter, options = _letter(task), _options(task)
    if not letter or letter not in options:
        return None
    own = " ".join(options[letter].casefold().split())
    others = [option for option in options.values() if " ".join(option.casefold().split()) != own]
    others = [option for option in others if not _LETTER.fullmatch(option.strip().upper())]
    return dice.choice(others) if others else None


def choice_two_letters(task: Task, dice: Random) -> str | None:
    """Two options: B as B or C."""
    letter = _letter(task)
    other = choice_other_letter(task, dice)
    return f"{letter} or {other}" if letter and other else None


def label_upper_case(task: Task, dice: Random) -> str | None:
    """A label in capitals: spam as SPAM."""
    text = task.text.strip()
    return text.upper() if text in _labels(task) and text.upper() != text else None


def label_with_full_stop(task: Task, dice: Random) -> str | None:
    """A label with a full stop."""
    text = task.text.strip()
    return f"{text}." if text in _labels(task) else None


def label_other(task: Task, dice: Random) -> str | None:
    """Another label."""
    text = task.text.strip()
    others = [label for label in _labels(task) if label.casefold() != text.casefold()]
    return dice.choice(others) if text in _labels(task) and others else None


def label_denied(task: Task, dice: Random) -> str | None:
    """Denied: spam as not spam."""
    text = task.text.strip()
    return f"not {text}" if text in _labels(task) else None


def _form(task: Task, form: str) -> str | None:
    letter = _letter(task)
    return form.format(letter) if letter else None


def _letter(task: Task) -> str | None:
    """The reference's letter; of a recipe's sample only where the sample has options."""
    found = _LETTER.fullmatch(task.text.strip())
    if found is None or found["letter"] not in _letters(task) or (task.verifier != "choice" and not _options(task)):
        return None
    return found["letter"]


def _letters(task: Task) -> list[str]:
    options = _options(task)
    if options:
        return list(options)
    count = task.params.get("options", _DEFAULT_OPTIONS)
    found = _LETTER.fullmatch(task.text.strip())
    least = _OPTIONS.index(found["letter"]) + 1 if found else 0
    return list(_OPTIONS[: max(count if isinstance(count, int) else _DEFAULT_OPTIONS, least)])


def _options(task: Task) -> Mapping[str, str]:
    given = (task.sample.metadata or {}).get("choices")
    if isinstance(given, list):
        given = dict(zip(_OPTIONS, given, strict=False))
    if not isinstance(given, dict) or not all(name in _OPTIONS and len(name) == 1 for name in given):
        return {}
    return {name: option.strip() for name, option in given.items() if isinstance(option, str)}


def _labels(task: Task) -> list[str]:
    given = task.params.get("labels") or (task.sample.metadata or {}).get("labels")
    return [label for label in given if isinstance(label, str)] if isinstance(given, list) else []


CHOICES = (
    *keeping(CHOICE, choice_in_parentheses, choice_with_point, choice_set_as_text, choice_set_in_parentheses),
    *keeping(CHOICE, choice_named_option, choice_small_letter, choice_with_text, choice_by_text),
    *breaking(CHOICE, choice_other_letter, choice_other_text, choice_two_letters),
    *keeping(LABEL, label_upper_case, label_with_full_stop),
    *breaking(LABEL, label_other, label_denied),
)
