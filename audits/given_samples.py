"""The samples of an audit that judges anew: sent with the request, or one for each of the ledger's prompts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from audits.ports import Work
from trueward.errors import InvalidRequest
from trueward.former_names import former_names
from trueward.wire.audit import GivenSamples
from trueward.wire.sample import Sample


async def choose_samples(
    given: GivenSamples, work: Work, needs_reference: bool, accepted: bool = False
) -> list[Sample]:
    """At most ``limit`` of the ledger's tasks (prompt and reference) by Population, drawn at random by ``seed``, each
    with one of its responses; or the samples that the request has, all of them.

    The draw is by responses, so a task with more different ones is likelier to be drawn where not all are.
    ``needs_reference`` leaves out samples without one, and ``accepted`` those of the ledger that no verifier called
    correct. Raises :class:`InvalidRequest` where nothing is left.
    """
    if (given.samples is None) == (given.population is None):
        raise InvalidRequest(
            "given must name samples or a population of the ledger, exactly one; an empty population is all of it"
        )
    if given.samples is not None:
        found, place = [sample for sample in given.samples if is_usable(sample, needs_reference)], "the request"
    else:
        assert given.population is not None
        found = await work.ledger.tasks(given, given.population, needs_reference=needs_reference, accepted=accepted)
        place = "the population"
    if not found:
        without = " with a reference" if needs_reference else ""
        right = ", and a response that was found correct" if accepted and given.samples is None else ""
        raise InvalidRequest(f"there is no sample{without}{right} in {place}: send other samples, or widen it")
    return found


def tasks_in(samples: Sequence[Sample]) -> list[int]:
    """The number of each sample's task. What is tried of one task is tried alike for all samples that share it, so an
    interval that took them for independent would be too narrow."""
    known: dict[str, int] = {}
    return [
        known.setdefault(task_of(sample.model_dump(mode="json", include={"prompt", "reference"})), len(known))
        for sample in samples
    ]


def is_usable(sample: Sample, needs_reference: bool) -> bool:
    """Whether the sample has a reference, where it needs one."""
    return bool(sample.references) or not needs_reference


def task_of(fields: Mapping[str, JsonValue]) -> str:
    """What is the same for all responses to one task."""
    return json.dumps([fields.get("prompt"), fields.get("reference")], sort_keys=True)


__getattr__ = former_names(__name__, {"given_samples": "choose_samples"})
