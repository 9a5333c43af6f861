"""The responses of a metamorphic audit: each transformation that fits applied to each sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pydantic import JsonValue

from audits.metamorphic.forms import wrap_answer
from audits.metamorphic.transformation import Margin, Reader, Task, Transformation
from trueward.wire.sample import Sample

_LONGEST = 2_000
_OPTIONS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FORM_PARAMETERS = {"form": "any", "decimal_places": None, "unit_required": False}
"""Parameters that ask for more than the value, and what they are where they do not."""
_OF_POLICY = {
    "finish_reason": None,
    "tokens": None,
    "token_ids": None,
    "logprobs": None,
    "reasoning": None,
    "prefix": None,
    "pair": None,
}


@dataclass(frozen=True, slots=True)
class Variant:
    """A response to judge. ``place`` is that of its sample."""

    place: int
    transformation: Transformation
    sample: Sample

    @property
    def of_program(self) -> bool:
        return "code" in self.transformation.verifiers


def variants(
    samples: Sequence[Sample], transformations: Sequence[Transformation], reader: Reader, seed: int
) -> list[Variant]:
    """By sample, in the order of the transformations; what two of them would spell the same is there once."""
    found: list[Variant] = []
    params = reader.params
    # a rewrite keeps the value, and not the form that such a subject asks for
    if any(params.get(name, usual) != usual for name, usual in _FORM_PARAMETERS.items()):
        transformations = [each for each in transformations if each.whole or each.breaks]
    for place, sample in enumerate(samples):
        task = task_of(sample, reader)
        said: set[str] = set()
        for each in transformations:
            response = _response(task, each, seed)
            if response is not None and response not in said:
                said.add(response)
                found.append(Variant(place, each, _answering(sample, response, str(len(found)))))
    return found


def task_of(sample: Sample, reader: Reader) -> Task:
    text = _text(sample, reader.verifier)
    return Task(sample, text, reader.verifier, reader.params, _margin(reader.params))


def _response(task: Task, transformation: Transformation, seed: int) -> str | None:
    answer = transformation.apply(task, seed)
    if answer is None or transformation.whole:
        return answer
    if answer.strip() == task.text.strip() or answer.count("{") != answer.count("}"):
        return None
    if not transformation.breaks and answer.strip() in task.sample.prompt_text:
        return None  # the question gives this form and asks for another
    return wrap_answer(answer, task.params.get("extract"))


def _answering(sample: Sample, response: str, group: str) -> Sample:
    """In a group of its own, so that nothing depends on the other variants."""
    return sample.model_copy(update={**_OF_POLICY, "response": response, "group": group})


def _text(sample: Sample, verifier: str | None) -> str:
    reference = sample.reference
    if isinstance(reference, list):
        if verifier == "sets":
            return ", ".join(map(str, reference)) if all(_is_plain(item) for item in reference) else ""
        reference = reference[0] if reference else None
    if verifier == "choice" and isinstance(reference, int):
        return _letter(sample, reference)
    if verifier == "quantity" and isinstance(reference, dict):
        return f"{reference.get('value')} {reference.get('unit', '')}".strip()
    if isinstance(reference, bool) or not isinstance(reference, str | int | float):
        return ""
    text = str(reference)
    # a whole solution is no answer
    return "" if len(text) > _LONGEST or "\\boxed" in text or "####" in text else text


def _is_plain(item: JsonValue) -> bool:
    return isinstance(item, int) or (isinstance(item, str) and not set(item) & set(",;\n"))


def _letter(sample: Sample, index: int) -> str:
    choices = (sample.metadata or {}).get("choices")
    letters = (
        list(choices) if isinstance(choices, dict) else _OPTIONS[: len(choices)] if isinstance(choices, list) else []
    )
    return letters[index] if not isinstance(index, bool) and 0 <= index < len(letters) else ""


def _margin(params: Mapping[str, JsonValue]) -> Margin:
    relative, absolute, places = (
        params.get(name) for name in ("relative_tolerance", "absolute_tolerance", "decimal_places")
    )
    rounding = Fraction(1, 10**places) if isinstance(places, int) and 0 <= places <= 100 else Fraction(0)
    return Margin(
        max(Fraction(relative), Margin().relative) if isinstance(relative, int | float) else Margin().relative,
        max(rounding, Fraction(absolute)) if isinstance(absolute, int | float) else rounding,
    )
