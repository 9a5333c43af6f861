r"""``math``: is the final answer mathematically the reference?

Stages: extract the answer; read both sides exactly and decide in the process where that suffices; else a
:class:`Comparison` for a worker, where math-verify parses and proves. Decimals are exact unless a tolerance
is given, but for what the reference's own form says (``rounding``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field, JsonValue

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, Task, TextOrNumber, defect
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Lane
from verifiers.extract import Answer, Hedge, NoAnswer, Policy, extract, settle
from verifiers.extract.boxed import find_boxed
from verifiers.legible import legible
from verifiers.math.algebra.decision import Decision
from verifiers.math.compare import Tolerance
from verifiers.math.decide import Leaf, decide
from verifiers.math.echo import REASON, echoes
from verifiers.math.guard import danger
from verifiers.math.reading.decimals import with_point
from verifiers.math.reading.form import Form, form
from verifiers.math.reading.notation import formula, same_signs
from verifiers.math.reading.numeral import names_base
from verifiers.math.reading.quantity import BASE
from verifiers.math.reading.sequence import sequence
from verifiers.math.reading.surface import LONGEST, plain
from verifiers.math.reading.unit import names_unit
from verifiers.math.required import Required, meets
from verifiers.math.single import single
from verifiers.math.verdict import verdict
from verifiers.rational import TooLarge


class Letters(StrEnum):
    """When a letter after a number is its unit beside a bare number."""

    PROMPT = "prompt"
    ALWAYS = "always"
    NEVER = "never"


class MathParams(Params):
    extract: Policy = Field(
        default=Policy.MATH,
        description="how the final answer is found: `math` tries box, answer tag, marker and last expression in "
        "this order; `text` ends with the whole response instead; any other value is that rule alone",
    )
    hedge: Hedge = Field(
        default=Hedge.PARTS,
        description="several boxes in the final sentence: `parts` are one answer side by side, three or more different "
        "ones are hedged unless the reference has several parts; `strict`: always; `last`: the last box counts",
    )
    relative_tolerance: Annotated[float, Field(ge=0, lt=1)] | None = Field(
        default=None, description="accepts |answer - reference| <= this times |reference|; default exact"
    )
    absolute_tolerance: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="accepts |answer - reference| <= this; default exact"
    )

    rounding: bool = Field(
        default=True,
        description="a reference that is a decimal of two or more places accepts what rounds to it (0.33 accepts 1/3 "
        "and 0.3333, not the reverse)",
    )
    form: Required = Field(
        default=Required.ANY,
        description="the form that an equal answer must have too: `simplified`, `factored`, `expanded`; default `any`",
    )
    decimal_places: Annotated[int, Field(ge=0, le=40)] | None = Field(
        default=None, description="an equal answer must be a decimal of exactly so many places"
    )
    up_to_constant: bool = Field(
        default=False, description="functions may differ by a constant, as antiderivatives do; `+ C` is ignored"
    )
    unit_required: bool = Field(
        default=False, description="an answer must name a unit where the reference does; default: its number suffices"
    )
    unit_letters: Letters = Field(
        default=Letters.PROMPT,
        description="whether the `m` of `6 m` may be a unit beside a bare 6: `prompt` where the prompt names it, "
        "`always`, `never`; an upright one (`6\\text{ m}`) always is",
    )
    decimal_comma: bool = Field(
        default=False,
        description="numbers are written with a decimal comma: `3,5` is 7/2; default: a list of two, unless the "
        "reference is one number that is not whole",
    )


class Comparison(NamedTuple):
    """What a worker needs to judge: equal comparisons are judged once. An ``echo`` of the question is never right."""

    answer: str
    rule: str
    references: tuple[str, ...]
    tolerance: Tolerance
    echo: bool = False


class MathVerifier(SampleVerifier[MathParams]):
    name: ClassVar[str] = "math"
    version: ClassVar[str] = "17"
    summary: ClassVar[str] = "Mathematical equality of the final answer and the reference"
    lane: ClassVar[Lane] = "cpu"
    Reference: ClassVar[Any] = TextOrNumber
    Params: ClassVar[type[Params]] = MathParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(prompt="1/2 + 1/3?", response="It is $\\boxed{\\frac{5}{6}}$.", reference="5/6"),
            outcome="correct",
        ),
        Example(sample=Sample(prompt="6 * 7?", response="The answer is 41.", reference="42"), outcome="incorrect"),
        Example(sample=Sample(response="so \\boxed{2\\sqrt{3}}", reference="\\sqrt{12}"), outcome="correct"),
        Example(sample=Sample(response="I ran out of \\boxed{", reference="42"), outcome="invalid"),
    )

    def __init__(self, params: MathParams | None = None) -> None:
        super().__init__(params)
        asked = self.params
        # so many places asked for: a rounding to them is as good as the value
        rounded = 0.0 if asked.decimal_places is None else 0.5 * 10.0**-asked.decimal_places
        absolute = max(asked.absolute_tolerance or 0.0, rounded)
        self._tolerance = Tolerance.of(
            asked.relative_tolerance, absolute, rounding=asked.rounding, constant=asked.up_to_constant
        )

    def triage(self, sample: Sample) -> Verdict | Task:
        found = defect(sample, self.needs)
        if found is not None:
            return found
        references = tuple(self._written(_reference(value)) for value in sample.references)
        golds = _golds(references)
        answer = extract(sample, self.params.extract)
        if isinstance(answer, Answer):
            answer = settle(answer, self.params.hedge, several=any(map(_several, golds)), equal=_equal)
        if isinstance(answer, NoAnswer):
            return Verdict.invalid(answer.reason_code, answer.reason)
        if self.params.decimal_comma:
            answer = replace(answer, text=self._written(answer.text))
        labelled = _labelled(answer, golds)
        try:
            if any(gold.beyond for gold in golds):
                return _by_signs(labelled, golds)
            return self._exactly(labelled, references, golds, sample.prompt_text)
        except (Abstain, MemoryError, RecursionError):
            raise
        except Exception as failure:  # noqa: BLE001 - a null score for crashing us would pay better than a wrong answer
            self._compare_with_themselves(golds)
            if isinstance(failure, TooLarge):
                return labelled.invalid("resource_limit", f"the answer has {failure}")
            return labelled.invalid("incomparable", f"the answer cannot be compared: {type(failure).__name__}")

    def _compare_with_themselves(self, golds: list[Form]) -> None:
        """Raises where the references crash us, whatever the answer: then the failure is not the policy's."""
        for gold in golds:
            decide(gold, gold, _compared_by(self._tolerance))

    def _written(self, text: str) -> str:
        """With decimal points."""
        return with_point(text) if self.params.decimal_comma else text

    def _for(self, prompt: str, sides: Sequence[Form]) -> Tolerance:
        """The tolerance for a sample.

        Letters are units where the caller or the prompt says so. Digits with the sign of a base are bare ones where the
        prompt names one, or where there is no prompt and the base stands below them. A year may lack where the prompt
        does not leave it open.
        """
        tolerance = self._tolerance
        asked = self.params.unit_letters
        units = [side.letters[1] for side in sides if side.letters is not None]
        if units and asked is not Letters.NEVER:
            letters = asked is Letters.ALWAYS or any(names_unit(prompt, unit) for unit in units)
            tolerance = replace(tolerance, letters=letters)
        if sides[0].unit.startswith(BASE) and (names_base(prompt) if prompt else "_" in sides[0].text):
            tolerance = replace(tolerance, bases=True)
        years = [str(side.moment.day[0]) for side in sides if side.moment is not None and side.moment.day is not None]
        if prompt and any(year not in prompt for year in years if year != "0"):
            tolerance = replace(tolerance, years=True)
        return tolerance

    def _exactly(self, answer: Answer, references: tuple[str, ...], golds: list[Form], prompt: str) -> Verdict | Task:
        given = _given(answer)
        if isinstance(given, Verdict):
            return given
        tolerance = self._for(prompt, [given, *golds])
        decisions = [decide(given, gold, _compared_by(tolerance)) for gold in golds]
        settled = _settled(decisions)
        missing = self._missing(given, golds)
        if missing is not None and (settled is None or settled[1].equal):
            return verdict(Decision(False, missing), answer.rule, given, golds[0])
        # an option is chosen, not worked out: the question has its text
        open_or_right = settled is None or (settled[1].equal and settled[1].code != "equal_option")
        echo = open_or_right and echoes(prompt, answer.text, references)
        if echo and settled is not None:
            return verdict(Decision(False, "echoes_question"), answer.rule, given, golds[0])
        if settled is not None:
            index, decision = settled
            return verdict(decision, answer.rule, given, golds[index])
        if given.wordy:
            return answer.invalid("unparsable_answer", "the answer is words, the reference is not")
        if (reason := danger(given.text)) is not None:
            return answer.invalid("resource_limit", f"the answer is {reason}")
        for gold in golds:
            if (reason := danger(gold.text)) is not None:
                raise Abstain("reference_too_large", f"the reference is {reason}")
        return Comparison(answer.text, answer.rule, references, tolerance, echo)

    def _missing(self, given: Form, golds: list[Form]) -> str | None:
        """What was asked for beside the value and is not there: such an answer is never right."""
        if not meets(given, self.params.form, self.params.decimal_places):
            return "unequal_form"
        asked = self.params.unit_required and all(gold.unit for gold in golds)
        return "missing_unit" if asked and not (given.unit or given.letters) else None

    def prepare(self, task: Task) -> None:
        from verifiers.math import worker

        assert isinstance(task, Comparison)
        worker.prepare(task.references)

    def check(self, task: Task) -> Verdict:
        from verifiers.math import worker

        assert isinstance(task, Comparison)
        found = worker.check(task.answer, task.rule, task.references, task.tolerance)
        if task.echo and found.score:
            return Verdict.incorrect("echoes_question", REASON, evidence=found.evidence)
        return found


def _compared_by(tolerance: Tolerance) -> Leaf:
    return lambda answer, reference: single(answer, reference, tolerance)


def _labelled(answer: Answer, golds: list[Form]) -> Answer:
    r"""``x = \boxed{1}, y = \boxed{2}`` with its names where the reference is no bare list without any."""
    bare = all("=" not in gold.text and not gold.text.startswith("(") for gold in golds)
    if bare or not any(answer.labels):
        return answer
    parts = zip(answer.labels, answer.parts, strict=True)
    return replace(answer, text=", ".join(f"{label} = {part}" if label else part for label, part in parts))


def _several(reference: Form) -> bool:
    return reference.value is None and (found := sequence(reference.core)) is not None and len(found.parts) > 1


def _equal(one: str, other: str) -> bool | None:
    try:
        ours, theirs = form(one), form(other)
        found = decide(ours, theirs, lambda a, r: single(a, r, Tolerance()))
    except TooLarge:
        return None
    if found is None:
        return False if ours.wordy != theirs.wordy else None  # a number is no words
    return found.equal


def _settled(decisions: Sequence[Decision | None]) -> tuple[int, Decision] | None:
    """The first that is equal, else the first of all where all are unequal; None where it is open."""
    for index, decision in enumerate(decisions):
        if decision is not None and decision.equal:
            return index, decision
    if None in decisions or not decisions:
        return None
    first = decisions[0]
    assert first is not None
    return 0, first


def _given(answer: Answer) -> Form | Verdict:
    try:
        given = form(answer.text)
    except TooLarge as excess:
        return answer.invalid("resource_limit", f"the answer has {excess}")
    if not given.text:
        return answer.invalid("empty_answer", "the answer has no content")
    return given


def _by_signs(answer: Answer, golds: list[Form]) -> Verdict:
    """Against references of which one is a number beyond the bounds: what is written like one of them is equal."""
    given = _read(answer.text)
    found = [same_signs(given.text, gold.text) for gold in golds]
    decisions = [Decision(False, "unequal_text") if one is None and not given.beyond else one for one in found]
    settled = _settled(decisions)
    if settled is None:
        raise Abstain("reference_too_large", "the reference is a number beyond the bounds, and so is the answer")
    index, decision = settled
    return verdict(decision, answer.rule, given, golds[index])


def _read(text: str) -> Form:
    try:
        return form(text)
    except TooLarge:
        return Form(plain(text), plain(text), beyond=True)


def _golds(references: tuple[str, ...]) -> list[Form]:
    golds = [_read(text) for text in references]
    if any(gold.beyond and not formula(gold.text) for gold in golds):
        raise Abstain("reference_too_large", "the reference has a number beyond the bounds")
    if not all(gold.text for gold in golds):
        raise Abstain("reference_unparsable", "a reference is empty")
    return golds


def _reference(value: JsonValue) -> str:
    """The reference's own answer: a number, a text, or a solution that ends in a box or ``####``."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise Abstain("reference_type", f"a reference is a text or a number, not {type(value).__name__}")
    if not isinstance(value, str):
        return format(Decimal(repr(value)), "f") if isinstance(value, float) else _digits(value)
    text = legible(value)
    if "box{" in text or "boxed{" in text:
        found = find_boxed(text)
        if isinstance(found, Answer):
            return found.text
    text = text.rsplit("####", 1)[-1] if "####" in text else text
    if len(text) > LONGEST:
        raise Abstain("reference_too_large", f"the reference has more than {LONGEST} characters")
    return text.strip()


def _digits(value: int) -> str:
    if value.bit_length() > 13_000:
        raise Abstain("reference_too_large", "the reference has more than 3,900 digits")
    return str(value)
