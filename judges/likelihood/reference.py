"""Methods that score the reference after the reasoning: the plain forms, VeriFree, JEPO, RLPR and NOVER.

Of several references the most likely one counts. Sources: the forms, arXiv 2602.03979; VeriFree, arXiv 2505.21493;
JEPO, arXiv 2503.19618; RLPR, arXiv 2506.18254; NOVER, arXiv 2505.16022.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from pydantic import JsonValue

from judges.likelihood.measures import reasoning_perplexity, subtract_bias
from judges.likelihood.method import Asked, Measured, Method, place_of, references_of
from judges.likelihood.params import LikelihoodParams
from judges.likelihood.probability import LONG, Form, mean_log_probability, mean_probability
from judges.likelihood.splice import Splice
from judges.questions import Answer
from trueward.authoring.verifier import Abstain
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict


class ReferenceMethod(Method):
    """Write what is asked of one reference, and what the answers are worth."""

    def asks(self, sample: Sample, params: LikelihoodParams) -> Sequence[Asked] | Verdict:
        references = references_of(sample)
        place = place_of(sample, params)
        if isinstance(place, Verdict):
            return place
        return [asked for reference in references for asked in self.asks_of(place, reference)]

    def measure(self, sample: Sample, params: LikelihoodParams, answers: Sequence[Answer]) -> Measured:
        references = references_of(sample)
        each = len(answers) // len(references)
        measured = [self.measure_of(sample, answers[each * k : each * (k + 1)]) for k in range(len(references))]
        best = max(range(len(measured)), key=lambda k: measured[k].score)
        evidence = dict(measured[best].evidence)
        if len(references) > 1:
            evidence["reference"] = best
        return Measured(measured[best].score, evidence)

    @abstractmethod
    def asks_of(self, place: Splice, reference: str) -> Sequence[Asked]:
        """As many questions for every reference."""

    @abstractmethod
    def measure_of(self, sample: Sample, answers: Sequence[Answer]) -> Measured:
        """What the answers on one reference are worth."""


class FormOf(ReferenceMethod):
    """One of the plain forms; VeriFree is the probability, JEPO's part of a sample the log-probability."""

    def __init__(self, form: Form, *, vanishes: bool = False) -> None:
        self._form = form
        self._vanishes = vanishes

    def asks_of(self, place: Splice, reference: str) -> Sequence[Asked]:
        return [Asked(place.spans(reference))]

    def measure_of(self, sample: Sample, answers: Sequence[Answer]) -> Measured:
        row = _row(answers[0])
        evidence = _evidence(row)
        if self._vanishes and len(row) > LONG:
            evidence["warning"] = f"over {LONG} tokens a probability says little: mean_log_probability works there"
        return Measured(self._form(row), evidence)


class Rlpr(ReferenceMethod):
    """Mean probability less that without reasoning, which the sample may bring along in ``baseline_scores``."""

    def asks_of(self, place: Splice, reference: str) -> Sequence[Asked]:
        return [Asked(place.spans(reference)), Asked(place.without_reasoning(reference), "baseline")]

    def measure_of(self, sample: Sample, answers: Sequence[Answer]) -> Measured:
        row = _row(answers[0])
        reached = mean_probability(row)
        baseline = mean_probability(_row(answers[1])) if len(answers) > 1 else _given_baseline(sample)
        evidence = {**_evidence(row), "mean_probability": reached, "baseline": baseline}
        return Measured(subtract_bias(reached, baseline), evidence)


class Nover(ReferenceMethod):
    """The inverse of the reasoning perplexity, in (0, 1]: the shaping ``nover`` ranks a group by it."""

    def asks_of(self, place: Splice, reference: str) -> Sequence[Asked]:
        return [Asked(place.with_reasoning(reference))]

    def measure_of(self, sample: Sample, answers: Sequence[Answer]) -> Measured:
        rows = answers[0].rows
        tokens = len(rows[1]) if len(rows) > 1 else sample.tokens or 0
        perplexity = reasoning_perplexity(mean_log_probability(_row(answers[0])), tokens)
        evidence = {**_evidence(rows[0]), "reasoning_tokens": tokens, "perplexity": perplexity}
        return Measured(1 / perplexity, evidence)


def _row(answer: Answer) -> tuple[float, ...]:
    if not answer.rows or not answer.rows[0]:
        raise Abstain("no_tokens", "the reference has no tokens in this model's vocabulary")
    return answer.rows[0]


def _evidence(row: Sequence[float]) -> dict[str, JsonValue]:
    return {"reference_tokens": len(row), "mean_log_probability": mean_log_probability(row)}


def _given_baseline(sample: Sample) -> float:
    if not sample.baseline_scores:
        raise Abstain(
            "no_baselines", "without a model rlpr takes the mean probability without reasoning from baseline_scores"
        )
    return float(sample.baseline_scores[0])
