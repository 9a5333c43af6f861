"""``qa``: is the answer that of an extractive question, as SQuAD counts it?

Exact match and token F1 after SQuAD's normalisation (Rajpurkar et al. 2016): lower case, no ASCII punctuation, no
English articles, single blanks; the best of several references counts. An exact match is ``correct``, no common
token ``incorrect``, what lies between ``partial``. Not covered: questions without an answer, languages that do
not set blanks between words.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from typing import Any, ClassVar, Literal

from pydantic import Field, JsonValue

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, TextOrNumber
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Scale
from verifiers.extract import NoAnswer, Policy, extract
from verifiers.legible import legible, shorten

_SET = re.compile(r"\\(?:text(?:bf|it|rm)?|mathrm|mathbf|mbox)\s?\{([^{}]*)\}")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


class QaParams(Params):
    extract: Policy = Field(
        default=Policy.TEXT,
        description="how the final answer is found: `text` tries box, answer tag and marker, then takes the whole "
        "response; any other value is that rule alone",
    )
    measure: Literal["f1", "exact"] = Field(
        default="f1", description="the score: token `f1`, or 1 for an `exact` match and 0 for anything else"
    )


class QaVerifier(SampleVerifier[QaParams]):
    name: ClassVar[str] = "qa"
    version: ClassVar[str] = "8"
    summary: ClassVar[str] = "SQuAD's exact match and token F1 of an extracted answer"
    scale: ClassVar[Scale] = "graded"
    Reference: ClassVar[Any] = TextOrNumber
    Params: ClassVar[type[Params]] = QaParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(response="Answer: The Eiffel Tower!", reference="Eiffel Tower"), outcome="correct"),
        Example(
            sample=Sample(response="<answer>Denver Broncos of Colorado</answer>", reference="Denver Broncos"),
            outcome="partial",
        ),
        Example(sample=Sample(response="<answer>Paris</answer>", reference=["London", "Berlin"]), outcome="incorrect"),
        Example(sample=Sample(response="<answer>...</answer>", reference="Paris"), outcome="invalid"),
    )

    def verify_one(self, sample: Sample) -> Verdict:
        golds = [_gold(value) for value in sample.references]
        answer = extract(sample, self.params.extract)
        if isinstance(answer, NoAnswer):
            return Verdict.invalid(answer.reason_code, answer.reason)
        given = normalise_text(_SET.sub(r"\1", answer.text) if "\\" in answer.text else answer.text)
        evidence: dict[str, JsonValue] = {
            "extracted": shorten(answer.text),
            "rule": answer.rule,
            "answer": shorten(given),
        }
        if not given:
            return Verdict.invalid("empty_answer", "nothing is left of the answer", evidence=evidence)
        score, best = max(((_f1(given.split(), gold.split()), gold) for gold in golds), key=lambda pair: pair[0])
        exact = given in golds
        evidence |= {"reference": shorten(given if exact else best), "exact": exact, "f1": 1.0 if exact else score}
        if exact:
            return Verdict.correct("exact_match", "the answer is the reference", evidence=evidence)
        if score > 0 and self.params.measure == "f1":
            return Verdict.partial(score, "token_overlap", f"token F1 is {score:.3g}", evidence=evidence)
        return Verdict.incorrect("no_match", f"no exact match; token F1 is {score:.3g}", evidence=evidence)


def normalise_text(text: str) -> str:
    """The text as SQuAD compares it: the order of the steps is that of its script."""
    bare = text.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLE.sub(" ", bare).split())


def _f1(given: list[str], gold: list[str]) -> float:
    common = (Counter(given) & Counter(gold)).total()
    return 2 * common / (len(given) + len(gold))


def _gold(value: JsonValue) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise Abstain("reference_type", f"a reference is a text or a number, not {type(value).__name__}")
    if isinstance(value, int) and value.bit_length() > 13_000:
        raise Abstain("reference_too_large", "the reference has more than 3,900 digits")
    gold = normalise_text(legible(str(value)))
    if not gold:
        raise Abstain("reference_unparsable", "nothing is left of a reference")
    return gold
