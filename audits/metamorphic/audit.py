"""The metamorphic audit: responses that are right or wrong by their making, against what the subject says of them.

After metamorphic testing (Chen, Cheung and Yiu 1998), with references for inputs; for programs it is mutation
analysis of their tests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import JsonValue

from audits.given_samples import choose_samples
from audits.metamorphic.catalogue import KNOWN, choose_transformations
from audits.metamorphic.report import report
from audits.metamorphic.survivors import JudgedVariant
from audits.metamorphic.transformation import Reader
from audits.metamorphic.variants import variants
from audits.ports import Work
from audits.subject_verdict import Judged
from trueward.authoring.verifier import Verifier
from trueward.errors import InvalidRequest
from trueward.wire.audit import AuditReport, MetamorphicAudit, Subject
from trueward.wire.sample import Sample


async def metamorphic(spec: MetamorphicAudit, work: Work) -> AuditReport:
    """Raises :class:`InvalidRequest` for unknown transformations, where none fits any sample, and where the subject
    reads no reference."""
    verifiers = work.judging.verifiers(spec.subject)
    if not any(getattr(each, "Reference", JsonValue) is not None or "reference" in each.needs for each in verifiers):
        raise InvalidRequest(
            f"{spec.subject.name} reads no reference, so no answer can be rewritten for it; an exploit audit needs none"
        )
    reader = _reader(verifiers, spec.subject)
    transformations = choose_transformations(spec.transformations, reader.verifier)
    samples = await choose_samples(spec.given, work, needs_reference=True, accepted=reader.verifier == "code")
    made = await asyncio.to_thread(variants, samples, transformations, reader, spec.given.seed)
    if not made:
        raise InvalidRequest(
            f"none of {len(transformations)} transformations fits any of {len(samples)} samples for "
            f"{spec.subject.name}: their references have other forms (docs/audits.md says which are read)"
        )
    of_programs = sorted({variant.place for variant in made if variant.of_program})
    total = len(of_programs) + len(made)
    originals = await _judge_all(spec.subject, [samples[place] for place in of_programs], work, 0, total)
    failing = {place for place, judged in zip(of_programs, originals, strict=True) if judged.accepted is not True}
    kept = [variant for variant in made if not (variant.of_program and variant.place in failing)]
    if not kept:
        raise InvalidRequest(
            f"the program of none of {len(failing)} samples passes its own tests: send responses that are right"
        )
    judged = await _judge_all(
        spec.subject, [variant.sample for variant in kept], work, len(of_programs), len(of_programs) + len(kept)
    )
    tried = [JudgedVariant(variant, each) for variant, each in zip(kept, judged, strict=True)]
    return await asyncio.to_thread(report, samples, tried, len(failing), spec.level)


def _reader(verifiers: Sequence[Verifier], subject: Subject) -> Reader:
    """The verifier, or a recipe's only one that transformations are made for."""
    known = [each for each in verifiers if each.name == subject.verifier or (subject.recipe and each.name in KNOWN)]
    if len({each.name for each in known}) != 1:
        return Reader(subject.verifier)
    return Reader(known[0].name, known[0].params.model_dump(mode="json", exclude_defaults=True))


async def _judge_all(subject: Subject, samples: Sequence[Sample], work: Work, before: int, total: int) -> list[Judged]:
    found: list[Judged] = []
    async for block in work.judging.judge(subject, samples):
        found += block
        await work.progress(before + len(found), total)
    return found
