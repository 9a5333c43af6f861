"""The texts that are compared: the response's own, and those of the sample's ``baselines``, each by the same scope."""

from __future__ import annotations

from collections.abc import Sequence

from judges.asking import Material
from judges.comparative.reading import names
from trueward.authoring.verifier import Abstain
from trueward.wire.sample import Sample
from verifiers.extract import NoAnswer
from verifiers.scope import Scope, extract_scope


def contestants(sample: Sample, scope: Scope) -> list[str]:
    """The response first. Raises :class:`trueward.Abstain` where there is nothing to compare it with."""
    if not sample.baselines:
        raise Abstain("no_baselines", "this judge compares a response with others: send `baselines`, a list of texts")
    return [part_of(one, scope) for one in (sample, *(_instead(sample, other) for other in sample.baselines))]


def _instead(sample: Sample, other: str) -> Sample:
    """The sample with another response; what the chat template opened was opened for it too."""
    return sample.model_copy(update={"response": other, "reasoning": None})


def part_of(sample: Sample, scope: Scope) -> str:
    """The text by which a response is compared. Raises :class:`trueward.Abstain` where it has none."""
    part = extract_scope(sample, scope)
    if isinstance(part, NoAnswer):
        raise Abstain("unfit_baseline", f"a response to compare with has no such part: {part.reason}")
    return part.text


def as_pair(first: str, second: str) -> dict[str, object]:
    """Slots of a prompt about two."""
    return {"first": str(Material("RESPONSE-A", first)), "second": str(Material("RESPONSE-B", second))}


def as_list(texts: Sequence[str], order: Sequence[int]) -> dict[str, object]:
    """Slots of a prompt about several, masked, in an order."""
    masked = zip(names(len(order)), order, strict=True)
    shown = [str(Material(name, texts[place])) for name, place in masked]
    return {"candidates": "\n".join(shown), "count": len(shown)}


def as_baseline(sample: Sample, scope: Scope) -> str:
    """The response as another sample's ``baselines`` have it: of the thinking alone, as thinking."""
    if scope is not Scope.THINKING:
        return sample.response_text
    part = extract_scope(sample, scope)
    return f"<think>{part.text}</think>" if not isinstance(part, NoAnswer) else ""
