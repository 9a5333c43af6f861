"""``quantity``: is the final answer the reference's physical quantity, whatever unit it is written in?

Number and unit are read exactly; units come from pint, conversion is rational arithmetic. Runs in a worker, because
loading the units takes a moment. Not covered: logarithmic scales, currencies, uncertainties (``5.0 ± 0.1``), symbolic
numbers such as ``2π`` (``math``); a temperature is a point on its scale, never a difference.
"""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field, JsonValue, with_config
from typing_extensions import TypedDict

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, Task, Text, TextOrNumber, defect
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Lane
from verifiers.extract import NoAnswer, Policy, extract
from verifiers.legible import legible, shorten
from verifiers.quantity.measure import Measure, NoQuantity, measure
from verifiers.quantity.number import TooLarge
from verifiers.quantity.unit import unit
from verifiers.units import UnknownUnit


class UnitRule(StrEnum):
    """What the answer's unit may be."""

    CONVERT = "convert"
    REQUIRE = "require"
    STRIP = "strip"


class QuantityParams(Params):
    extract: Policy = Field(
        default=Policy.TEXT,
        description="how the final answer is found: `text` tries box, answer tag and marker, then takes the whole "
        "response; any other value is that rule alone",
    )
    unit: UnitRule = Field(
        default=UnitRule.CONVERT,
        description="`convert` accepts any unit of the same dimension, `require` the reference's alone, `strip` "
        "compares the numbers and leaves units out on both sides",
    )
    relative_tolerance: Annotated[float, Field(ge=0, lt=1)] = Field(
        default=1e-6, description="accepts |answer - reference| <= this times |reference|, in the reference's unit"
    )
    absolute_tolerance: Annotated[float, Field(ge=0)] = Field(
        default=0.0, description="accepts |answer - reference| <= this, in the reference's unit"
    )


class Comparison(NamedTuple):
    """What a worker needs to judge: equal comparisons are judged once."""

    answer: str
    rule: str
    references: tuple[str, ...]


@with_config(extra="forbid")
class QuantityReference(TypedDict):
    value: TextOrNumber
    unit: Text


class QuantityVerifier(SampleVerifier[QuantityParams]):
    name: ClassVar[str] = "quantity"
    version: ClassVar[str] = "10"
    summary: ClassVar[str] = "Equality of a physical quantity with its unit, within stated tolerances"
    lane: ClassVar[Lane] = "cpu"
    Reference: ClassVar[Any] = TextOrNumber | QuantityReference
    Params: ClassVar[type[Params]] = QuantityParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(response="So \\boxed{36\\ \\text{km/h}}.", reference="10 m/s"), outcome="correct"),
        Example(sample=Sample(response="Answer: 36 km", reference="10 m/s"), outcome="incorrect"),
        Example(sample=Sample(response="Answer: 10", reference="10 m/s"), outcome="incorrect"),
        Example(sample=Sample(response="Answer: fast", reference="10 m/s"), outcome="invalid"),
    )

    def triage(self, sample: Sample) -> Verdict | Task:
        found = defect(sample, self.needs)
        if found is not None:
            return found
        references = tuple(_reference(value) for value in sample.references)
        answer = extract(sample, self.params.extract)
        if isinstance(answer, NoAnswer):
            return Verdict.invalid(answer.reason_code, answer.reason)
        return Comparison(answer.text, answer.rule, references)

    def prepare(self, task: Task) -> None:
        assert isinstance(task, Comparison)
        # loads the registry of units, so that no response is charged for it
        unit("furlong")
        for reference in task.references:
            try:
                measure(reference)
            except TooLarge as excess:
                raise Abstain("reference_too_large", f"in the reference, {excess}") from None
            except (NoQuantity, UnknownUnit) as failure:
                raise Abstain("reference_unparsable", f"the reference is no quantity: {failure}") from None

    def check(self, task: Task) -> Verdict:
        assert isinstance(task, Comparison)
        evidence: dict[str, JsonValue] = {"extracted": shorten(task.answer), "rule": task.rule}
        try:
            given = measure(task.answer)
        except TooLarge as excess:
            return Verdict.invalid("resource_limit", f"in the answer, {excess}", evidence=evidence)
        except UnknownUnit as failure:
            return Verdict.invalid("unknown_unit", legible(str(failure)), evidence=evidence)
        except NoQuantity as failure:
            return Verdict.invalid("not_a_quantity", legible(str(failure)), evidence=evidence)
        verdicts = [self._compared(given, measure(reference), evidence) for reference in task.references]
        return next((verdict for verdict in verdicts if verdict.score == 1.0), verdicts[0])

    def _compared(self, given: Measure, wanted: Measure, evidence: dict[str, JsonValue]) -> Verdict:
        evidence = {
            **evidence,
            "answer": _written(given.number, given.unit),
            "reference": _written(wanted.number, wanted.unit),
        }
        if self.params.unit is UnitRule.STRIP:
            return self._close(given.number, wanted, evidence)
        if wanted.unit and not given.unit:
            return Verdict.incorrect("missing_unit", "the answer has no unit", evidence=evidence)
        if given.scale.dimension != wanted.scale.dimension:
            reason = f"the answer is {_dimension(given)}, the reference {_dimension(wanted)}"
            return Verdict.incorrect("other_dimension", reason, evidence=evidence)
        if self.params.unit is UnitRule.REQUIRE and given.scale.names != wanted.scale.names:
            return Verdict.incorrect("other_unit", "the answer is not in the reference's unit", evidence=evidence)
        return self._close((given.base - wanted.scale.offset) / wanted.scale.factor, wanted, evidence)

    def _close(self, number: Fraction, wanted: Measure, evidence: dict[str, JsonValue]) -> Verdict:
        """``number`` counts the reference's unit."""
        off = abs(number - wanted.number)
        evidence = {**evidence, "converted": _written(number, wanted.unit), "difference": _written(off, wanted.unit)}
        if not off:
            return Verdict.correct("equal_quantity", "the quantities are equal", evidence=evidence)
        relative, absolute = (
            Fraction(repr(self.params.relative_tolerance)),
            Fraction(repr(self.params.absolute_tolerance)),
        )
        if off <= max(absolute, relative * abs(wanted.number)):
            return Verdict.correct("within_tolerance", "the difference is within tolerance", evidence=evidence)
        return Verdict.incorrect("outside_tolerance", "the difference is beyond tolerance", evidence=evidence)


def _reference(value: JsonValue) -> str:
    """The text of a reference: a text, a number, or an object with ``value`` and ``unit``."""
    if isinstance(value, dict) and set(value) == {"value", "unit"} and isinstance(value["unit"], str):
        number, unit = value["value"], value["unit"]
    else:
        number, unit = value, ""
    if isinstance(number, bool) or not isinstance(number, (str, int, float)):
        raise Abstain("reference_type", "a reference is a text such as '9.8 m/s^2', a number, or {value, unit}")
    if isinstance(number, int) and number.bit_length() > 2_000:
        raise Abstain("reference_too_large", "the reference has too many digits")
    return legible(f"{number} {unit}".strip())


def _dimension(quantity: Measure) -> str:
    return " ".join(f"{name}^{power}" for name, power in quantity.scale.dimension) or "dimensionless"


def _written(number: Fraction, unit: str) -> str:
    """At most 12 significant digits: for reading, never for comparing."""
    return shorten(f"{Decimal(number.numerator) / Decimal(number.denominator):.12g} {unit}".strip())
