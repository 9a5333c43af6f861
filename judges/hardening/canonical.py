"""Responses that say nothing, turned away before a model is asked: judges are known to accept them.

Sources: arXiv 2507.08794 (master keys: a colon, a full stop, ``Thought process:``), arXiv 2505.22203 (empty symbols).
What is left of a response without markup is held against the words that openers are made of, in many languages
(``openers.yaml``): where nothing else is left, nothing was said. So a response is never turned away for what it has,
only for what it lacks. One that has the words of a reference always says something; one of signs alone where the task
or a reference speaks of such (:mod:`judges.hardening.signs`). Whether a response must say something at all is the
task's: where there is no reference, a single emoji or the word ``Solution`` may be what was asked for.

Not covered: an opener of words that the file does not have and without a colon at its end, a response that repeats the
question, and one that is about nothing in many words. Those the judge sees. Of a text of more than 10,000 characters
its beginning and its end are read.
"""

from __future__ import annotations

from collections.abc import Sequence

from judges.hardening.lexicon import LexiconEntry, lexicon
from judges.hardening.signs import is_sign
from judges.hardening.surface import COLON, ELLIPSIS, MARKS, tokens

_SHORT = 10
_SHORT_UNSPACED = 24
_FEW = 4
_EVERYWHERE = 10
"""Languages in more of which a word announces where it does so in all: ``solution``, ``answer``."""
_COPULAS = frozenset({"is", "are", "equals", "es", "est", "ist", "e", "jest", "je", "ar", "er", "on"})


def explain_emptiness(text: str, references: Sequence[str] = (), task: str = "") -> str:
    """Why a response says nothing at all, in words; empty where it says something.

    ``references`` are texts that would be answers, such as the sample's references and options; ``task`` is the
    question.
    """
    if not text.strip():
        return "the response is empty"
    said = tokens(text)
    words = [token for token in said if token not in MARKS]
    reason = _reason(said, words, references) if words else _without_words(text, references, task)
    return "" if reason and _is_reference(text, words, references) else reason


def no_answer(text: str, references: Sequence[str] = (), task: str = "") -> str:
    """Likewise where no reference says that an answer has content: a greeting, a heading, one word may be what was
    asked for, but nothing and the marks of a sentence are not unless the task speaks of such."""
    if any(token not in MARKS for token in tokens(text)):
        return ""
    return explain_emptiness(text, references, task)


def has_content(references: Sequence[str]) -> bool:
    """Whether an answer has content by its references: there are some, and each of them says something."""
    return bool(references) and not any(map(explain_emptiness, references))


def _without_words(text: str, references: Sequence[str], task: str) -> str:
    return (
        "" if is_sign(text, task, references) else "the response has no letter, digit or sign that would be an answer"
    )


def _reason(said: Sequence[str], words: Sequence[str], references: Sequence[str]) -> str:
    counted = _without_steps(said)
    if any(any(character.isnumeric() and not _is_ideograph(character) for character in word) for word in counted):
        return ""
    if _letter_is_said(counted) or _word_after_colon(counted):
        return ""
    if _opener_only([word for word in counted if word not in MARKS], references):
        return "the response only announces an answer"
    if _goes_by_steps([word for word in counted if word not in MARKS]):
        return "the response only says that it will go step by step"
    if _breaks_off(counted):
        return "the response breaks off where an answer would begin"
    return ""


def _opener_only(words: Sequence[str], references: Sequence[str]) -> bool:
    known = lexicon()
    shared = -1
    units: list[LexiconEntry] = []
    for unit in known.units(words):
        shared &= unit.known
        units.append(unit)
        if not shared:
            return False
    if any(unit.announces & shared for unit in units):
        return True
    courtesies = [unit for unit in units if unit.courtesy & shared]
    if not courtesies or any(word in known.affirms for word in words):
        return False
    if references:
        return not any(word in known.affirms for reference in references for word in tokens(reference))
    return len(courtesies) < len(units)


def _without_steps(said: Sequence[str]) -> list[str]:
    """Without numbers of what is announced: ``Step 1:``, ``1. Solution:``. Without a colon it may be the answer."""
    numbered = lexicon().numbered
    if len(said) > 2 and said[0].isdecimal() and len(said[0]) < 3 and said[1] not in MARKS and said[-1] == COLON:
        said = said[1:]
    return [
        token
        for place, token in enumerate(said)
        if not (
            place
            and said[place - 1] in numbered
            and token.isdecimal()
            and len(token) < 3
            and said[place + 1 : place + 2] == [COLON]
        )
    ]


def _letter_is_said(said: Sequence[str]) -> bool:
    """``Answer: A``, ``A is right``: a letter that no word of the sentence needs. ``A solution`` has none."""
    words = [token for token in said if token not in MARKS]
    for place, word in enumerate(words):
        if len(word) == 1 and word.isalpha() and ord(word) < 0x0500:
            following = words[place + 1 : place + 2]
            if not following or following[0] in _COPULAS:
                return True
    return False


def _word_after_colon(said: Sequence[str]) -> bool:
    """``Answer: it``: one word after a colon is an answer, whichever small word it is; ``Answer: Solution`` is none."""
    if len(said) < 3 or said[-2] != COLON or said[-1] in MARKS:
        return False
    unit = lexicon().word(said[-1])
    return not (unit.announces or unit.courtesy)


def _goes_by_steps(words: Sequence[str]) -> bool:
    """A short text that has ``step by step`` in it: as a phrase, or as a word for a step that comes twice in a row."""
    known = lexicon()
    text = f" {' '.join(words)} "
    if len(words) > _SHORT or any(word in known.denies for word in words):
        return False
    if any(phrase in text if _is_ideograph(phrase) else f" {phrase} " in text for phrase in known.gradual):
        return len(text) <= 2 * _SHORT_UNSPACED or not _is_ideograph(text.strip())
    return any(
        other.startswith(word[:3]) for place, word in enumerate(words) if word in known.numbered
        for other in words[place + 1 : place + 3]
    )  # fmt: skip


def _breaks_off(said: Sequence[str]) -> bool:
    """A short text that ends in a colon; or in an ellipsis, where it begins as an opener does."""
    words = [token for token in said if token not in MARKS]
    if len(words) > _SHORT or not any(len(word) > 1 or _is_ideograph(word) for word in words):
        return False
    if any(len(word) > _SHORT_UNSPACED for word in words):
        return False
    if said[-1] == COLON:
        return True
    first = next(lexicon().units(words))
    return said[-1] == ELLIPSIS and COLON not in said and bool(first.announces or first.courtesy)


def _is_ideograph(character: str) -> bool:
    return ord(character[0]) >= 0x2E80


def _is_reference(text: str, words: Sequence[str], references: Sequence[str]) -> bool:
    """Whether the words of a reference stand in the response, or its own in a reference of a few words; a reference of
    signs alone must be all of it."""
    padded = f" {' '.join(words)} "
    announced = any(lexicon().word(word).announces.bit_count() > _EVERYWHERE for word in words)
    for reference in references:
        wanted = [token for token in tokens(reference) if token not in MARKS]
        if text.strip() == reference.strip() or (wanted and f" {' '.join(wanted)} " in padded):
            return True
        if words and not announced and len(wanted) <= _FEW and padded in f" {' '.join(wanted)} ":
            return True
    return False
