"""The arithmetic of a reward, written once: for one sample, for a group, and for an explanation.

verdict -> noise correction -> the term's shaping -> gate -> weight -> combination -> the total's shaping ->
truncation and the price of invalid. What takes a group is done for the samples of a group that are on one course,
together, and skipped where a sample stands alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rewards.combine import Part
from rewards.conditions import Conditions
from rewards.course import Course
from rewards.judging import Verdicts, final
from rewards.noise.correction import UNCORRECTABLE, Correction, Corrector
from rewards.noise.noise import Noise
from rewards.parts import AnyShaping
from rewards.recipe import Penalty, Recipe
from rewards.shaping.base import GroupShaping
from rewards.shaping.steps import StepShaping, TokensShaping
from rewards.term import Term
from rewards.view import Unshapeable, View, is_correct
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

NOT_JUDGED = Verdict.abstained("not_judged")

LARGEST = 1e100
"""Beyond this neither a score nor a reward is one: its square, in a group's spread, would not be finite."""


class Recorder(Protocol):
    """Receives every step of the arithmetic while a reward is computed. There is none by default."""

    def note(self, case: int, subject: str, step: str, before: float | None, after: float | None) -> None:
        """``case`` is the sample's position, ``subject`` a term or the total (``reward``)."""
        ...


@dataclass(slots=True)
class Case:
    """One sample on its way to a reward. ``total`` is None where it is missing; ``refused`` says why, if we do.

    ``said`` is the verdict that stands for each term, ``gates`` whether a gated term counts (None: its gate's own term
    has no score), ``worth`` what each term's score has become so far.
    """

    sample: Sample
    verdicts: Verdicts
    group: str = ""
    said: dict[str, Verdict] = field(default_factory=dict)
    worth: dict[str, float] = field(default_factory=dict)
    gates: dict[str, bool | None] = field(default_factory=dict)
    corrections: dict[str, Correction] = field(default_factory=dict)
    total: float | None = None
    missing: Verdict | None = None
    refused: tuple[str, str] | None = None
    invalid: Verdict | None = None
    truncated: str = ""
    steps: list[float] | None = None
    step_spans: list[tuple[int, int]] | None = None
    tokens: list[float] | None = None
    token_spans: list[tuple[int, int]] | None = None

    @property
    def alive(self) -> bool:
        return self.missing is None and self.refused is None


@dataclass(slots=True)
class Evaluation:
    """Computes the rewards of cases on one course. ``grouped``: the cases are one whole group."""

    recipe: Recipe
    course: Course
    cases: Sequence[Case]
    conditions: Conditions
    grouped: bool = False
    recorder: Recorder | None = None
    _correctors: dict[str, Corrector | None] = field(default_factory=dict)

    def run(self) -> None:
        """Fills in the cases, in place."""
        for case in self.cases:
            self._read(case)
        for term in self.course.paid:
            self._term(term)
        self._combine()
        self._shape("reward", None, self.course.before_price)
        for position, case in enumerate(self.cases):
            self._price(position, case)
        self._shape("reward", None, self.course.after_price)
        for case in self.cases:
            if not case.alive:
                case.total = None

    def _note(self, position: int, subject: str, step: str, before: float | None, after: float | None) -> None:
        if self.recorder is not None:
            self.recorder.note(position, subject, step, before, after)

    def _read(self, case: Case) -> None:
        for term in self.course.terms:
            verdict = case.verdicts.get(term.name)
            if term.chained:
                verdict = final(term, case.sample, case.verdicts, self.conditions)
            if verdict is not None:
                case.said[term.name] = verdict
        for term in self.course.paid:
            shut = False
            if term.gate:
                case.gates[term.name] = is_open = self._is_open(term, case)
                shut = is_open is False
            if shut or not term.required:
                continue
            verdict = case.said.get(term.name)
            if verdict is None:
                case.missing = case.missing or self._shutter(term, case)
            elif verdict.score is None:
                case.missing = case.missing or verdict
            elif verdict.outcome is Outcome.INVALID:
                case.invalid = case.invalid or verdict

    def _is_open(self, term: Term, case: Case) -> bool | None:
        for gate in term.gate:
            verdict = case.said.get(gate.term)
            if verdict is not None and verdict.outcome.missing:
                return None
            if verdict is None or not gate.open_for(verdict):
                return False
        return True

    def _shutter(self, term: Term, case: Case) -> Verdict:
        """Why a required term has no verdict: its gate's term has no score, or it was not judged."""
        for gate in term.gate:
            verdict = case.said.get(gate.term)
            if verdict is not None and verdict.outcome.missing:
                return verdict
        return Verdict.error("not_judged", f"the term {term.name!r} was not judged")

    def _term(self, term: Term) -> None:
        for position, case in enumerate(self.cases):
            verdict = case.said.get(term.name)
            if verdict is None or verdict.score is None or not case.alive:
                continue
            self._put(case, term, verdict.score)
            if term.noise is not None and case.refused is None:
                self._correct(position, case, term.name, term.noise, verdict)
        if term.name in self.course.shaped:
            self._shape(term.name, term, self.course.shaped[term.name])

    def _correct(self, position: int, case: Case, name: str, noise: Noise, verdict: Verdict) -> None:
        corrector = self._corrector(name, noise)
        if corrector is None:
            case.refused = (UNCORRECTABLE, f"the rates of audit {noise.audit!r} are not known")
            return
        correction = corrector.correct(case.sample, verdict)
        case.corrections[name] = correction
        if correction.refusal is not None:
            case.refused = (UNCORRECTABLE, correction.refusal)
        elif correction.value is not None:
            if self.recorder is not None:
                self._note(position, name, f"backward, {correction.estimate}", case.worth[name], correction.value)
            case.worth[name] = correction.value
        elif correction.weight is not None and self.recorder is not None:
            self._note(position, name, f"forward, {correction.estimate}: weight {correction.weight:g}", None, None)

    def _corrector(self, name: str, noise: Noise) -> Corrector | None:
        """The corrector of a term. With constant rates it is made once a recipe, otherwise once an evaluation."""
        if noise.audit is None and noise.appeals is None:
            return self.course.constant_correctors[name]
        if name not in self._correctors:
            given = self.conditions.rates.get(noise.audit) if noise.audit is not None else None
            rates = noise.rates(given, self.conditions.state.appeals.get(name), self.conditions.state.version)
            self._correctors[name] = Corrector(noise, rates) if rates is not None else None
        return self._correctors[name]

    def _shape(self, subject: str, term: Term | None, shapings: Sequence[AnyShaping]) -> None:
        for shaping in shapings:
            if isinstance(shaping, GroupShaping):
                if self.grouped:
                    self._shape_group(subject, term, shaping)
            else:
                for position, case in enumerate(self.cases):
                    self._shape_one(position, case, subject, term, shaping)

    def _shape_one(self, position: int, case: Case, subject: str, term: Term | None, shaping: AnyShaping) -> None:
        value = self._value(case, term)
        if value is None or isinstance(shaping, GroupShaping):
            return
        view = self._view(case, term)
        try:
            shaped = shaping.shape(value, view)
            if isinstance(shaping, StepShaping):
                case.steps = shaping.step_rewards(view)
                case.step_spans = shaping.step_spans(view, len(case.steps))
            elif isinstance(shaping, TokensShaping):
                case.tokens = shaping.token_rewards(view)
                case.token_spans = view.spans("token_spans", len(case.tokens))
        except Unshapeable as lack:
            self._lacking(case, lack)
            return
        self._note(position, subject, shaping.method, value, shaped)
        self._put(case, term, shaped)

    def _shape_group(self, subject: str, term: Term | None, shaping: GroupShaping) -> None:
        values = [self._value(case, term) for case in self.cases]
        views = [self._view(case, term) for case in self.cases]
        for position, (value, view) in enumerate(zip(values, views, strict=True)):
            if value is None:
                continue
            try:
                shaping.needs(view)
            except Unshapeable as lack:
                self._lacking(self.cases[position], lack)
                values[position] = None
        try:
            shaped = shaping.shape_group(values, views)
        except Unshapeable as lack:
            for case in self.cases:
                self._lacking(case, lack)
            return
        for position, (case, before, after) in enumerate(zip(self.cases, values, shaped, strict=True)):
            if before is not None and after is not None:
                self._note(position, subject, str(getattr(shaping, "method", "")), before, after)
                self._put(case, term, after)

    def _lacking(self, case: Case, lack: Unshapeable) -> None:
        # of a response that cannot be judged a shaping has nothing to read; that is no way out of its price
        if case.invalid is None:
            case.refused, case.total = (lack.reason_code, lack.reason), None

    def _value(self, case: Case, term: Term | None) -> float | None:
        if not case.alive:
            return None
        return case.total if term is None else case.worth.get(term.name)

    def _put(self, case: Case, term: Term | None, value: float) -> None:
        if not abs(value) <= LARGEST:
            case.refused = ("out_of_range", f"a score or reward of {value:g} is no number to learn from")
        elif term is None:
            case.total = value
        else:
            case.worth[term.name] = value

    def _view(self, case: Case, term: Term | None) -> View:
        answer = case.said.get(self.course.answer.name)
        shaped = case.said.get(term.name) if term is not None else answer
        correct = answer is not None and is_correct(answer)
        outcome = 0.0 if answer is None else answer.score
        return View(case.sample, shaped or NOT_JUDGED, correct, case.said, self.conditions, case.group, outcome)

    def _parts(self, position: int, case: Case) -> Mapping[str, Part] | None:
        if not case.alive:
            return None
        parts = {}
        for term in self.course.paid:
            value = case.worth.get(term.name)
            if term.gate:
                state = case.gates[term.name]
                if state is False:
                    self._note(position, term.name, "gate shut", value, 0.0)
                    value = 0.0
                elif state is None:
                    value = None
            if value is not None:
                parts[term.name] = part = Part(value, term.weight_at(self.conditions.step))
                if self.recorder is not None:
                    self._note(position, term.name, f"weight {part.weight:g}", value, part.weighted)
        return parts

    def _combine(self) -> None:
        combine = self.course.combine
        parts = [self._parts(position, case) or None for position, case in enumerate(self.cases)]
        if self.grouped:
            totals = combine.combine_group(parts)
        else:
            totals = [None if one is None else combine.combine(one) for one in parts]
        for position, (case, total) in enumerate(zip(self.cases, totals, strict=True)):
            if total is not None:
                self._put(case, None, total)
                if self.recorder is not None and len(self.course.paid) > 1:
                    self._note(position, "reward", str(getattr(combine, "method", "")), None, total)
            elif case.alive:
                case.missing = next((said for said in case.said.values() if said.outcome.missing), None)
                case.missing = case.missing or Verdict.error("not_judged", "no term has a score")

    def _price(self, position: int, case: Case) -> None:
        """Truncation and the price of invalid; both only ever lower a reward that is there."""
        if case.total is None:
            return
        before = case.total
        policy = self.recipe.on_truncated
        if case.sample.finish_reason == "length" and policy != "score":
            case.truncated = policy if isinstance(policy, str) else f"penalty {policy.penalty:g}"
            if policy == "mask":
                case.total = None
                self._note(position, "reward", "truncated: mask", before, None)
                return
            case.total = self.recipe.range[0] if not isinstance(policy, Penalty) else _penalised(before, policy.penalty)
            self._note(position, "reward", f"truncated: {case.truncated}", before, case.total)
        if case.invalid is not None:
            price = self.recipe.price_of_invalid
            # where nobody set the price, it is no refuge from terms that are worth less
            stated = self.recipe.invalid is not None and not case.truncated
            case.total = price if stated else min(price, case.total)
            self._note(position, "reward", f"invalid: {case.invalid.reason_code}", before, case.total)


def _penalised(reward: float, penalty: float) -> float:
    if penalty < 0:
        return min(penalty, reward)
    return reward * penalty if reward > 0 else reward
