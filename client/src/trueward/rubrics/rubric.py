"""A rubric: criteria, each with a weight or a category that stands for one.

Written as JSON or YAML, or sent with a sample; a bare list of texts is a rubric, too. How criteria are judged and added
up is the verifier's business (``judges.rubric``), but for the weight mode: weights mean nothing without it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, StrictBool, StrictStr, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from trueward.wire.base import Number, Wire

Category = Literal["essential", "important", "optional", "pitfall"]
WeightMode = Literal["positive", "signed_abs_norm", "signed_pos_norm_clip"]
Scores = Literal["binary", "graded"]
WEIGHTS: Mapping[Category, float] = {"essential": 1.0, "important": 0.7, "optional": 0.3, "pitfall": 0.9}
"""Weights of categories (arXiv 2507.17746). A pitfall is worded so that avoiding it meets the criterion."""

LONGEST = 4000
MOST = 256
_LONGEST_YAML = 256 * 1024
_DEEPEST = 20


class Criterion(Wire):
    """One thing that a response does or does not. Without ``weight`` and ``category`` it weighs 1.

    Of a ``hidden`` one no text, and nothing that a judge wrote having read it, leaves the service below the feedback
    level ``full``.
    """

    id: StrictStr = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
    text: StrictStr = Field(min_length=1, max_length=LONGEST, pattern=r"\S")
    weight: Annotated[Number, Field(ge=-1e6, le=1e6)] | None = None
    category: Category | None = None
    hidden: StrictBool = False
    may_not_apply: StrictBool = Field(
        False, description="whether the judge may say that it does not apply: it is left out of the score then"
    )
    tags: list[StrictStr] = Field([], max_length=64)

    @model_validator(mode="after")
    def _one_weight(self) -> Self:
        if self.weight is not None and self.category is not None:
            raise PydanticCustomError("two_weights", "a criterion has a weight or a category, not both")
        return self

    @property
    def weighs(self) -> float:
        if self.category is not None:
            return WEIGHTS[self.category]
        return 1.0 if self.weight is None else float(self.weight)


class Rubric(Wire):
    """``scores``: a criterion is met or not (``binary``), or met in part as well (``graded``: 0, 1 or 2 of 2).

    ``weight_mode`` says what becomes of weights ``w`` and scores ``c`` in [0, 1]: ``positive`` is Σwc/Σw, with no
    weight below 0; ``signed_abs_norm`` is Σwc/Σ|w|; ``signed_pos_norm_clip`` is Σwc over the sum of the positive
    weights, clipped to [0, 1].
    """

    name: StrictStr = Field("", max_length=256)
    version: StrictStr = Field("1", max_length=64)
    weight_mode: WeightMode = "positive"
    scores: Scores = "binary"
    criteria: list[Criterion] = Field(max_length=MOST)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        twice = [name for name, count in Counter(one.id for one in self.criteria).items() if count > 1]
        if twice:
            raise PydanticCustomError("duplicate_id", "ids stand twice: {ids}", {"ids": ", ".join(twice[:5])})
        below = [one.id for one in self.criteria if one.weighs < 0]
        if below and self.weight_mode == "positive":
            raise PydanticCustomError(
                "negative_weight",
                "weights are below 0, which weight_mode positive has no place for: {ids}",
                {"ids": ", ".join(below[:5])},
            )
        return self

    @classmethod
    def of(cls, value: JsonValue, weight_mode: WeightMode | None = None) -> Self:
        """From a mapping, or from a list of criteria: mappings or texts; those without an id are ``c1``, ``c2`` ...

        ``weight_mode`` wins over what the value says. Raises :class:`pydantic.ValidationError`.
        """
        fields = dict(value) if isinstance(value, dict) else {"criteria": value}
        criteria = fields.get("criteria")
        if isinstance(criteria, list):
            fields["criteria"] = [_criterion(one, place) for place, one in enumerate(criteria, start=1)]
        if weight_mode is not None:
            fields["weight_mode"] = weight_mode
        return cls.model_validate(fields)

    @classmethod
    def parse(cls, text: str) -> Self:
        """From JSON, or YAML where PyYAML is installed. Raises :class:`pydantic.ValidationError` or ValueError."""
        return cls.of(document(text))

    @property
    def hash(self) -> str:
        """``sha256:`` of what the rubric asks for, its name and version left out."""
        said = self.model_dump(exclude={"name", "version"})
        for one in said["criteria"]:
            if not one["may_not_apply"]:
                del one["may_not_apply"]  # rubrics without it keep their hash
        body = json.dumps(said, sort_keys=True, separators=(",", ":"))
        return "sha256:" + hashlib.sha256(body.encode()).hexdigest()

    def without(self, ids: Collection[str]) -> Self:
        """The rubric of the other criteria."""
        return self.model_copy(update={"criteria": [one for one in self.criteria if one.id not in ids]})

    @property
    def best(self) -> float:
        """The sum that weights are divided by in this mode; 0 where nothing can add to the score."""
        weights = [one.weighs for one in self.criteria]
        if self.weight_mode == "signed_pos_norm_clip":
            return sum(weight for weight in weights if weight > 0)
        return sum(map(abs, weights))


def _criterion(value: JsonValue, place: int) -> JsonValue:
    if isinstance(value, str):
        return {"id": f"c{place}", "text": value}
    return {"id": f"c{place}", **value} if isinstance(value, dict) else value


def document(text: str) -> JsonValue:
    """What a JSON or YAML text says. Raises ValueError."""
    try:
        value: JsonValue = json.loads(text)
    except RecursionError as deep:
        raise ValueError("it is nested too deeply") from deep
    except ValueError as failure:
        if text.lstrip().startswith(("{", "[")):
            raise ValueError(f"no JSON: {failure}") from failure
        return _yaml(text)
    return value


def _yaml(text: str) -> JsonValue:
    try:
        import yaml
    except ImportError as missing:
        raise ValueError("YAML needs PyYAML: pip install 'trueward[yaml]', or write it as JSON") from missing
    if len(text) > _LONGEST_YAML:
        raise ValueError(f"a YAML text has {_LONGEST_YAML} characters at most")
    depth = 0
    try:
        for event in yaml.parse(text, yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise ValueError("aliases (*name) are not supported: write the part out")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise ValueError("it is nested too deeply")
        value: JsonValue = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as failure:
        raise ValueError(f"no YAML: {' '.join(str(failure).split())[:200]}") from failure
    return value


def explain_refusal(refusal: ValidationError) -> str:
    """What is wrong with a rubric, without a word of it: names of fields that it should not have are left out, too."""
    found = refusal.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{_place(error['loc'])}: {error['msg']}".removeprefix(": ") for error in found[:5])


def _place(parts: tuple[int | str, ...]) -> str:
    known = {*Rubric.model_fields, *Criterion.model_fields}
    return ".".join(str(part) if isinstance(part, int) or part in known else "?" for part in parts)
