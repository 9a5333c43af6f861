"""``text_similarity``: how alike two texts are, from 0 to 1.

``fuzzy_match`` is rapidfuzz's ``ratio``: OpenAI's guide names the library, not the function. ``bleu``, ``gleu`` and
``rouge_l`` are those of the verifier ``overlap``; ``rouge_1`` to ``rouge_5`` are the F1 of word n-grams (Lin 2004).
Not covered: ``cosine`` (an embedding model of OpenAI's) and ``meteor`` (a word net): they are refused, and so are texts
beyond :data:`LONGEST`, which keeps a comparison to some hundredths of a second.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal

from pydantic import BeforeValidator
from rapidfuzz import fuzz

from judges.base import Models
from judges.grader.grade import Grade, GraderObject
from judges.grader.subject import Subject, Unfit
from judges.grader.template import TemplateText, template
from trueward.authoring.verifier import Abstain
from verifiers.legible import shorten
from verifiers.overlap import bleu, gleu, rouge_l, rouge_words

LONGEST = 20_000
"""Characters of one text."""

_INSTEAD = {
    "cosine": "it needs an embedding model, which is not here: take score_model with a model of yours, or rouge_l",
    "meteor": "it needs a word net, which is not here: take rouge_l, or score_model where synonyms matter",
}

Metric = Literal["fuzzy_match", "bleu", "gleu", "rouge_1", "rouge_2", "rouge_3", "rouge_4", "rouge_5", "rouge_l"]


def _here(metric: object) -> object:
    if isinstance(metric, str) and metric in _INSTEAD:
        raise ValueError(f"{metric} is not offered: {_INSTEAD[metric]}")
    return metric


class TextSimilarity(GraderObject):
    """With a ``pass_threshold`` the verdict is whether it was reached."""

    type: Literal["text_similarity"]
    input: TemplateText
    reference: TemplateText
    evaluation_metric: Annotated[Metric, BeforeValidator(_here)]
    pass_threshold: float | None = None

    async def grade(self, subject: Subject, models: Models) -> Grade:
        given, wanted = self._texts(subject)
        # a thread, for the loop serves others meanwhile
        reward = await asyncio.to_thread(_MEASURES[self.evaluation_metric], given, wanted)
        evidence = {"input": shorten(given), "reference": shorten(wanted)}
        grade = Grade(reward, f"{self.evaluation_metric} is {reward:.3g}", evidence=dict(evidence))
        return grade.apply_threshold(self.pass_threshold)

    def check(self, subject: Subject) -> None:
        self._texts(subject)

    def _texts(self, subject: Subject) -> tuple[str, str]:
        return self._text(self.input, subject), self._text(self.reference, subject)

    def _text(self, source: str, subject: Subject) -> str:
        """Filled in. What cannot be compared is the response's doing where anything in it is the response's."""
        filled = template(source)
        text = filled.fill(subject)
        if len(text) > LONGEST:
            reason = f"at most {LONGEST} characters are compared"
            raise Unfit("too_long", reason) if filled.of_sample else Abstain("field_too_long", reason)
        if not rouge_words(text) and not filled.of_sample:
            raise Abstain("no_reference", "a text to compare with has no words")
        return text


def fuzzy_match(given: str, wanted: str) -> float:
    return fuzz.ratio(given, wanted) / 100


def rouge_n(given: str, wanted: str, n: int) -> float:
    """F1 of the n-grams of casefolded words; 0 where a text has none."""
    one, other = _ngrams(given, n), _ngrams(wanted, n)
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def _ngrams(text: str, n: int) -> Counter[tuple[str, ...]]:
    words = rouge_words(text)
    return Counter(tuple(words[place : place + n]) for place in range(len(words) - n + 1))


def _longest(given: str, wanted: str) -> float:
    return rouge_l(given, [wanted]) if rouge_words(given + wanted) else 0.0


_MEASURES: dict[Metric, Callable[[str, str], float]] = {
    "fuzzy_match": fuzzy_match,
    "bleu": lambda given, wanted: bleu(given, [wanted]),
    "gleu": lambda given, wanted: gleu(given, [wanted]),
    "rouge_1": partial(rouge_n, n=1),
    "rouge_2": partial(rouge_n, n=2),
    "rouge_3": partial(rouge_n, n=3),
    "rouge_4": partial(rouge_n, n=4),
    "rouge_5": partial(rouge_n, n=5),
    "rouge_l": _longest,
}
