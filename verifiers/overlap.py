"""``overlap``: how much of the reference's text is in the response's?

A similarity in [0, 1] without a pass line: the outcome is ``scored``. ROUGE-L (F1 over the longest common
subsequence of words; Lin 2004), sentence BLEU (Papineni et al. 2002; sacrebleu's, Post 2018, with its 13a tokens,
effective order and exponential smoothing, over 100), GLEU (the smaller of n-gram precision and recall, n from 1 to 4;
Wu et al. 2016) and edit similarity (1 - Levenshtein distance over the longer length, in characters). BLEU counts all
references at once, the others take the best. Not covered: stemming, synonyms, ROUGE-L over separate sentences.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, JsonValue
from rapidfuzz.distance import LCSseq, Levenshtein

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, Task, Text, defect
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Lane, Scale
from verifiers.extract import NoAnswer
from verifiers.legible import legible, shorten
from verifiers.marks import mark_ranges
from verifiers.scope import Scope, extract_scope

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

LONGEST = 100_000
"""Characters of the answer, and of all references together. The quadratic measures take 64 cells of their table at
once, so that the longest pair costs about a tenth of a second."""

_AT_ONCE = 1_000_000
"""Characters of the answer times those of the references that are compared in the process itself."""

_ORDERS = range(1, 5)

Measure = Literal["rouge_l", "bleu", "gleu", "edit"]


class OverlapParams(Params):
    measure: Measure = Field(
        default="rouge_l",
        description="the score: `rouge_l`, `bleu`, `gleu`, or `edit` similarity, each from 0 to 1",
    )
    casefold: bool = Field(default=False, description="compare without regard to case; rouge_l always does")
    scope: Scope = Field(
        default=Scope.ANSWER,
        description="the text that is compared: the `answer` after the thinking, the `final` answer alone, the "
        "`thinking`, or the whole `response`",
    )


class Pair(NamedTuple):
    """What a worker needs to compare."""

    text: str
    references: tuple[str, ...]
    measure: Measure


class OverlapVerifier(SampleVerifier[OverlapParams]):
    name: ClassVar[str] = "overlap"
    version: ClassVar[str] = "2"
    summary: ClassVar[str] = "Similarity of texts: ROUGE-L, BLEU, GLEU or edit similarity"
    scale: ClassVar[Scale] = "graded"
    lane: ClassVar[Lane] = "cpu"
    Reference: ClassVar[Any] = Text
    Params: ClassVar[type[Params]] = OverlapParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(response="police kill the gunman", reference="police killed the gunman"), outcome="scored"
        ),
        Example(
            sample=Sample(response="the cat sat on the mat", reference=["a cat sat on the mat", "the cat is here"]),
            params={"measure": "bleu"},
            outcome="scored",
        ),
        Example(sample=Sample(response="<think>hm", reference="a cat"), outcome="invalid"),
    )

    def triage(self, sample: Sample) -> Verdict | Task:
        found = defect(sample, self.needs)
        if found is not None:
            return found
        references = tuple(self._reference(value) for value in sample.references)
        total = sum(map(len, references))
        if total > LONGEST:
            raise Abstain("reference_too_large", f"the references have more than {LONGEST} characters")
        part = extract_scope(sample, self.params.scope)
        if isinstance(part, NoAnswer):
            return Verdict.invalid(part.reason_code, part.reason)
        if not part.text:
            return Verdict.invalid("no_answer", f"the {self.params.scope} is empty")
        if len(part.text) > LONGEST:
            return Verdict.invalid("answer_too_long", f"at most {LONGEST} characters are compared")
        task = Pair(self._folded(part.text), references, self.params.measure)
        inline = self.params.measure in ("rouge_l", "edit") and len(part.text) * total <= _AT_ONCE
        return self.check(task) if inline else task

    def check(self, task: Task) -> Verdict:
        assert isinstance(task, Pair)
        score = _MEASURES[task.measure](task.text, task.references)
        evidence: dict[str, JsonValue] = {
            "extracted": shorten(task.text),
            "reference": [shorten(text) for text in task.references[:8]],
        }
        return Verdict.scored(score, task.measure, f"{task.measure} is {score:.3g}", evidence=evidence)

    def _reference(self, value: JsonValue) -> str:
        if not isinstance(value, str):
            raise Abstain("reference_type", f"a reference is a text, not {type(value).__name__}")
        text = self._folded(legible(value).strip())
        if not text or (self.params.measure == "rouge_l" and not rouge_words(text)):
            raise Abstain("reference_unparsable", "a reference has no words")
        return text

    def _folded(self, text: str) -> str:
        text = unicodedata.normalize("NFC", text)
        return text.casefold() if self.params.casefold else text


def rouge_l(text: str, references: Sequence[str]) -> float:
    """F1 of the longest common subsequence of casefolded words."""
    numbers: dict[str, int] = {}
    given, *golds = (
        [numbers.setdefault(word, len(numbers)) for word in rouge_words(part)] for part in (text, *references)
    )
    return max(2 * LCSseq.similarity(given, gold) / (len(given) + len(gold)) for gold in golds)


def rouge_words(text: str) -> list[str]:
    """The casefolded words of a text, each with its marks."""
    return _word().findall(unicodedata.normalize("NFC", text.casefold()))


@cache
def _word() -> re.Pattern[str]:
    return re.compile(rf"[^\W_](?:[^\W_]|[{mark_ranges()}])*")


def edit(text: str, references: Sequence[str]) -> float:
    """1 - Levenshtein distance / length of the longer text, in characters."""
    return max(Levenshtein.normalized_similarity(text, reference) for reference in references)


def bleu(text: str, references: Sequence[str]) -> float:
    """sacrebleu's sentence BLEU, from 0 to 1."""
    score = _bleu().sentence_score(text, references).score / 100
    _forget()
    return min(1.0, score)


def gleu(text: str, references: Sequence[str]) -> float:
    """The smaller of precision and recall over all n-grams, in sacrebleu's 13a tokens."""
    given, *golds = (_ngrams(_bleu().tokenizer(part).split()) for part in (text, *references))
    _forget()
    totals = ((given & gold, max(given.total(), gold.total())) for gold in golds)
    return max(common.total() / total if total else 0.0 for common, total in totals)


def _ngrams(tokens: Sequence[str]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + n]) for n in _ORDERS for i in range(len(tokens) - n + 1))


@cache
def _bleu() -> BLEU:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=True)


def _forget() -> None:
    """Empties the caches of sacrebleu's tokenizers: they keep 65,536 texts, however long."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

    Tokenizer13a.__call__.cache_clear()
    TokenizerRegexp.__call__.cache_clear()


_MEASURES: dict[Measure, Callable[[str, Sequence[str]], float]] = {
    "rouge_l": rouge_l,
    "bleu": bleu,
    "gleu": gleu,
    "edit": edit,
}
