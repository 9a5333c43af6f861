"""Where the rubric of a sample comes from, and how its prompt shows it.

The parameter ``rubric`` is for every sample; else ``metadata.rubric`` is the sample's own; else its reference, where
that is an object with ``criteria`` or a list of criteria as objects. Any other reference is a reference answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue, ValidationError

from judges.asking import Material
from judges.asking.material import references
from judges.rubric.marks import NOT_APPLICABLE
from trueward.authoring.verifier import Abstain
from trueward.rubrics import Criterion, Rubric, WeightMode, explain_refusal
from trueward.wire.sample import Sample

_LEVELS = {
    "binary": "Score 1 where a criterion is met, else 0.",
    "graded": "Score 2 where a criterion is met, 1 where it is met in part, else 0.",
}

_MAY_NOT_APPLY = (
    f'Reply "{NOT_APPLICABLE}" instead of a score only where a criterion that may not apply speaks of something that '
    "does not arise here at all; one that applies and is not met has 0."
)


def rubric_of(sample: Sample, given: Rubric | None, mode: WeightMode | None) -> Rubric:
    """Raises :class:`trueward.Abstain` where there is none that can be judged by."""
    if given is None:
        value = (sample.metadata or {}).get("rubric")
        if value is None and _is_rubric(sample.reference):
            value = sample.reference
        if value is None:
            raise Abstain("no_rubric", "this judge needs a rubric: a parameter, metadata.rubric, or the reference")
        try:
            given = Rubric.of(value, mode)
        except ValidationError as refusal:
            raise Abstain(
                "bad_rubric", f"the sample's rubric cannot be read: {explain_refusal(refusal)}"[:500]
            ) from refusal
    if not given.criteria:
        raise Abstain("empty_rubric", "the rubric has no criteria: there is nothing to judge by")
    if not given.best:
        raise Abstain("no_weight", "no weight of the rubric can add to a score")
    return given


def reference_of(sample: Sample, *, needed: bool) -> str:
    """The reference answers in fences; empty where there are none, or the reference is the rubric.

    Raises :class:`trueward.Abstain` where one is ``needed``.
    """
    given = None if _is_rubric(sample.reference) else sample.reference
    if given in (None, "", []) and not needed:
        return ""
    return references(sample.model_copy(update={"reference": given}))


def describe_rubric(rubric: Rubric) -> dict[str, object]:
    """Slots of a prompt on the whole rubric."""
    importance = [f"Criterion {one.id} ({_importance(one)}):" for one in rubric.criteria]
    texts = [str(Material("CRITERION", one.text)) for one in rubric.criteria]
    together = "\n\n".join(f"{head}\n{text}" for head, text in zip(importance, texts, strict=True))
    return {"criteria": together, **_scale(rubric, rubric.criteria)}


def describe_criterion(rubric: Rubric, criterion: Criterion) -> dict[str, object]:
    """Slots of a prompt on one criterion."""
    return {"criterion": str(Material("CRITERION", criterion.text)), **_scale(rubric, [criterion])}


def _importance(criterion: Criterion) -> str:
    said = criterion.category or f"weight {criterion.weighs:g}"
    return f"{said}, may not apply" if criterion.may_not_apply else said


def _scale(rubric: Rubric, shown: Sequence[Criterion]) -> dict[str, object]:
    levels, scores = _LEVELS[rubric.scores], ["0", "1"] if rubric.scores == "binary" else ["0", "1", "2"]
    if any(one.may_not_apply for one in shown):
        levels, scores = f"{levels} {_MAY_NOT_APPLY}", [*scores, f'"{NOT_APPLICABLE}"']
    return {"levels": levels, "scale": f"{', '.join(scores[:-1])} or {scores[-1]}"}


def _is_rubric(value: JsonValue) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(one, dict) and "text" in one for one in value)
    return isinstance(value, dict) and "criteria" in value
