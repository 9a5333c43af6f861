"""A term of a recipe: one verifier, what its verdict is worth, and when it counts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, JsonValue, TypeAdapter, model_validator

from rewards.controls import KINDS, Control
from rewards.noise.noise import Noise
from rewards.schema import Name, Share, Strict
from trueward.blame import UNJUDGEABLE
from trueward.wire.verdict import Outcome, Verdict

_ALL_PASSED = 1.0
_CONTROL: TypeAdapter[Control] = TypeAdapter(Control)
_BEYOND_READING = frozenset({"empty", "too_long", "resource_limit", "unjudgeable", UNJUDGEABLE, "hedged"})
"""Invalid for another reason than that it could not be read: a second opinion has nothing to add."""


Weight = Annotated[float, Field(ge=-1e9, le=1e9)]


class Gate(Strict):
    """The term counts only where another term's score is at least this; an invalid one never opens a gate."""

    term: Name
    at_least: float = _ALL_PASSED

    def open_for(self, verdict: Verdict) -> bool:
        return verdict.outcome is not Outcome.INVALID and verdict.score is not None and verdict.score >= self.at_least


Doubt = Literal["unparsed", "rejected", "missing"]


class Fallback(Strict):
    """The next verifier of a chain, and for what it is asked.

    ``unparsed``: the one before found nothing it could read; ``rejected``: it said no; ``missing``: it gave no score.
    Its verdict then stands for the term's.
    """

    verifier: str
    params: Mapping[str, JsonValue] = {}
    when: tuple[Doubt, ...] = Field(("unparsed", "rejected"), min_length=1)

    def doubts(self, verdict: Verdict) -> bool:
        """Whether this verdict of the verifier before is one that the fallback is asked about."""
        if verdict.outcome.missing:
            return "missing" in self.when and verdict.reason_code != "aborted"
        if verdict.outcome is Outcome.INVALID:
            return "unparsed" in self.when and verdict.reason_code not in _BEYOND_READING
        return verdict.outcome is Outcome.INCORRECT and "rejected" in self.when


class Schedule(Strict):
    """A weight by training step: ``points`` are ``[step, weight]`` with steps ascending.

    Between two points it is drawn linearly, or stays at the earlier (``hold``); before the first and after the last it
    stays. A request without a step takes the first.
    """

    points: tuple[tuple[int, Weight], ...] = Field(min_length=1)
    between: Literal["linear", "hold"] = "linear"

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        steps = [step for step, _ in self.points]
        if steps != sorted(set(steps)):
            raise ValueError("the steps of a schedule must ascend")
        return self

    def at(self, step: int | None) -> float:
        (before, weight), *rest = self.points
        if step is None:
            return weight
        for after, following in rest:
            if step < after:
                progress = (step - before) / (after - before) if step > before and self.between == "linear" else 0.0
                return weight + progress * (following - weight)
            before, weight = after, following
        return weight


def _each(key: str) -> BeforeValidator:
    """One entry or several, and of a text the entry that names it under ``key``."""

    def listed(value: object) -> object:
        entries = [value] if isinstance(value, Mapping | str) else value
        if not isinstance(entries, list | tuple):
            return value
        return [{key: entry} if isinstance(entry, str) else entry for entry in entries]

    return BeforeValidator(listed)


class Term(Strict):
    """One verifier with its parameters; its verdict's score times ``weight`` enters the reward.

    ``shadow`` judges a share of the samples, drawn by their content, and pays nothing. A term that is not ``required``
    is left out where its score is missing.
    """

    verifier: str = Field(min_length=1, max_length=128)
    name: Name = Field("", validate_default=False, description="key in `components`; default: the verifier's name")
    params: Mapping[str, JsonValue] = {}
    weight: Weight | Schedule = 1.0
    gate: Annotated[tuple[Gate, ...], _each("term")] = ()
    fallback: Annotated[tuple[Fallback, ...], _each("verifier")] = ()
    shadow: Share = Field(0.0, description="share of the samples that it judges without pay; 0: a paid term")
    noise: Noise | None = None
    answer: bool = Field(False, description="its outcome is the reward's; default: the first term")
    required: bool = True
    despite_audit: str | None = Field(
        None, max_length=64, description="the audit whose gate its judge did not pass, and that it is paid in spite of"
    )

    @model_validator(mode="before")
    @classmethod
    def _name_defaults_to_verifier(cls, value: object) -> object:
        if isinstance(value, str):
            return {"verifier": value, "name": value}
        if isinstance(value, dict) and not value.get("name") and isinstance(value.get("verifier"), str):
            return {**value, "name": value["verifier"]}
        return value

    @model_validator(mode="after")
    def _shadows_are_not_paid(self) -> Self:
        if self.shadow and (self.noise or self.answer or self.gate):
            raise ValueError("a shadow term is never paid: noise, answer and gate have no place on it")
        if self.control is not None and (self.fallback or (self.noise and self.noise.appeals)):
            raise ValueError("a control has no fallback and no appeals")
        return self

    @cached_property
    def control(self) -> Control | None:
        """The control that this term is, if its verifier's name is that of one."""
        if self.verifier not in KINDS:
            return None
        return _CONTROL.validate_python({"kind": self.verifier, **self.params})

    @cached_property
    def chained(self) -> bool:
        """True where more than its own verifier's verdict may stand for the term: a control, fallbacks, appeals."""
        return bool(self.control or self.fallback or (self.noise and self.noise.appeals))

    def weight_at(self, step: int | None) -> float:
        return self.weight.at(step) if isinstance(self.weight, Schedule) else self.weight
