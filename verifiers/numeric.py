"""``numeric``: is the final answer a number within a tolerance of the reference?

``|answer - reference| <= max(absolute, relative * |reference|)``, in exact rational arithmetic: no rounding
of binary floats. Units and words after the number are ignored; infinities and NaN are refused. Not covered:
symbolic values (``math``), unit conversion.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, ClassVar

from pydantic import Field, JsonValue

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, TextOrNumber
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.extract import Answer, Hedge, NoAnswer, Policy, extract, settle
from verifiers.legible import legible, shorten
from verifiers.math.compare import Tolerance
from verifiers.math.echo import REASON, echoes
from verifiers.math.reading.decimals import with_point
from verifiers.math.reading.form import Form, form
from verifiers.math.reading.quantity import PERCENT
from verifiers.rational import TooLarge

_NOT_FINITE = frozenset(("inf", "infinity", "nan", "\\infty"))


class NumericParams(Params):
    extract: Policy = Field(default=Policy.MATH, description="how the final answer is found; see the math verifier")
    hedge: Hedge = Field(
        default=Hedge.PARTS,
        description="three or more different boxes in the final sentence are hedged; `last`: the last box counts",
    )
    relative_tolerance: Annotated[float, Field(ge=0, lt=1)] = Field(
        default=1e-6, description="accepts |answer - reference| <= this times |reference|"
    )
    absolute_tolerance: Annotated[float, Field(ge=0)] = Field(
        default=0.0, description="accepts |answer - reference| <= this"
    )


class NumericVerifier(SampleVerifier[NumericParams]):
    name: ClassVar[str] = "numeric"
    version: ClassVar[str] = "13"
    summary: ClassVar[str] = "Closeness of a number to the reference, within stated tolerances"
    Reference: ClassVar[Any] = TextOrNumber
    Params: ClassVar[type[Params]] = NumericParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(response="about \\boxed{3.14}", reference=3.14159),
            outcome="correct",
            params={"relative_tolerance": 0.01},
        ),
        Example(sample=Sample(response="The answer is 3.15.", reference=3.14159), outcome="incorrect"),
        Example(sample=Sample(response="The answer is NaN.", reference=3.14159), outcome="invalid"),
    )

    def __init__(self, params: NumericParams | None = None) -> None:
        super().__init__(params)
        self._tolerance = Tolerance.of(self.params.relative_tolerance, self.params.absolute_tolerance)

    def verify_one(self, sample: Sample) -> Verdict:
        references = [_reference(value) for value in sample.references]
        answer = extract(sample, self.params.extract)
        if isinstance(answer, Answer):
            answer = settle(answer, self.params.hedge, several=False, equal=_equal)
        if isinstance(answer, NoAnswer):
            return Verdict.invalid(answer.reason_code, answer.reason)
        try:
            value = _value(form(answer.text))
            if value is None and any(reference.denominator > 1 for reference in references):
                value = _value(form(with_point(answer.text)))
        except TooLarge as excess:
            return answer.invalid("resource_limit", f"the answer has {excess}")
        if value is None:
            return _not_a_number(answer)
        judged = self._judged(value, references, answer)
        wanted = tuple(str(value) for value in sample.references)
        if judged.score and echoes(sample.prompt_text, answer.text, wanted):
            return Verdict.incorrect("echoes_question", REASON, evidence=judged.evidence)
        return judged

    def _judged(self, value: Fraction, references: list[Fraction], answer: Answer) -> Verdict:
        nearest = min(references, key=lambda reference: abs(value - reference))
        fitting = [reference for reference in references if self._tolerance.admits(value, reference)]
        evidence: dict[str, JsonValue] = {
            "extracted": shorten(answer.text),
            "rule": answer.rule,
            "answer": _written(value),
            "reference": _written(fitting[0] if fitting else nearest),
            "difference": _written(abs(value - (fitting[0] if fitting else nearest))),
        }
        if value in references:
            return Verdict.correct("equal_number", "the numbers are equal", evidence=evidence)
        if fitting:
            return Verdict.correct("within_tolerance", "the difference is within tolerance", evidence=evidence)
        return Verdict.incorrect("outside_tolerance", "the difference is beyond tolerance", evidence=evidence)


def _equal(one: str, other: str) -> bool | None:
    try:
        ours, theirs = _value(form(one)), _value(form(other))
    except TooLarge:
        return None
    return None if ours is None or theirs is None else ours == theirs


def _value(read: Form) -> Fraction | None:
    read = read.read_unit()  # a letter after a number is its unit here, where nothing is symbolic
    if read.value is None or read.false:
        return None
    return read.value / 100 if read.unit == PERCENT else read.value


def _reference(value: JsonValue) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise Abstain("reference_type", f"a reference is a number or its text, not {type(value).__name__}")
    if isinstance(value, int):
        return Fraction(value)
    try:
        found = Fraction(repr(value)) if isinstance(value, float) else _value(form(legible(value[:10_000])))
    except TooLarge as excess:
        raise Abstain("reference_too_large", f"the reference has {excess}") from excess
    except ValueError:
        found = None
    if found is None:
        raise Abstain("reference_unparsable", "the reference is not a finite number")
    return found


def _not_a_number(answer: Answer) -> Verdict:
    bare = answer.text.strip(" $+-.").lower()
    if bare in _NOT_FINITE:
        return answer.invalid("not_finite", "the answer is not a finite number")
    return answer.invalid("not_a_number", "the answer is not a number")


def _written(value: Fraction) -> str:
    """At most 15 significant digits: for reading, never for comparing."""
    if value.denominator == 1 and value.numerator.bit_length() < 50:
        return str(value.numerator)
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.15g}"
