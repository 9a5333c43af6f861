"""References that may be wrong, from the verdicts that the ledger has.

Answers are classes by their text: two ways to write one answer count as two, so a suspect may be missed for them and
none is made up.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue
from pydantic_core import from_json
from sqlalchemy import Row, func, select

from app.kit.db import Database
from app.tables import Sample as SampleTable
from app.tables import Verdict as VerdictTable
from app.watch.reading import prompt_name, select_answer
from audits.statistics.suspect import suspect_reference
from audits.subject_verdict import accepts
from trueward.wire.reference import SourceSuspects, Suspect, SuspectReport
from trueward.wire.verdict import Outcome

_PAGE = 2000
_AT_ONCE = 400
_MOST = 100_000
_SHOWN = 1000
_LEAST_ANSWERS = 2


@dataclass(slots=True)
class _Prompt:
    """What was answered to one prompt; one entry a stored response."""

    name: str
    source: str | None
    reference: JsonValue
    records: list[str] = field(default_factory=list)
    samples: list[str] = field(default_factory=list)
    answers: list[str | None] = field(default_factory=list)
    accepted: list[bool | None] = field(default_factory=list)


async def suspects(db: Database, run: str, verifier: str, second: str, agree: float = 0.7) -> SuspectReport:
    """Prompts of a run of whose parsed answers a share of ``agree`` or more is one that the reference rejects and
    ``second``, by its stored verdicts of any run, accepts. The latest 100,000 verdicts are read."""
    prompts: dict[tuple[str, str], _Prompt] = {}
    known: set[str] = set()
    read, before = 0, None
    while read < _MOST and (page := await _page(db, run, verifier, before)):
        await asyncio.to_thread(_add, prompts, known, page)
        read, before = read + len(page), page[-1].record
    seconded = await _verdicts(db, second, known)
    found = await asyncio.to_thread(_suspects, list(prompts.values()), seconded, agree)
    sources = _by_source(prompts.values(), found)
    total = await _count(db, run, verifier)
    found.sort(key=lambda one: (-one.share, -one.answers, one.prompt))
    return SuspectReport(
        run=run,
        verifier=verifier,
        second=second,
        records=read,
        left_out=max(total - read, 0),
        sources=sources,
        suspects=found[:_SHOWN],
        responses=len(known),
        seconded=len(seconded),
        notes=list(_notes(run, verifier, second, list(prompts.values()), seconded)),
    )


def _notes(
    run: str, verifier: str, second: str, prompts: Sequence[_Prompt], seconded: Mapping[str, bool | None]
) -> Iterator[str]:
    """An empty list says that nothing is suspect only where something could have been."""
    rejected = {
        sample
        for prompt in prompts
        for sample, accepted in zip(prompt.samples, prompt.accepted, strict=True)
        if accepted is False
    }
    responses = sum(len(prompt.samples) for prompt in prompts)
    if not responses:
        yield f"the ledger has no verdict of {verifier!r} in run {run!r}"
    elif not seconded:
        yield (
            f"{second!r} has judged none of these {responses} responses, so nothing could be suspected: have them "
            "judged by it (POST /v1/verify), or name another"
        )
    elif rejected and not any(seconded.get(sample) for sample in rejected):
        yield (
            f"{second!r} accepts none of the responses that {verifier!r} rejects, so nothing could be suspected: one "
            "that compares with the same reference rarely does; take one that does not, such as a judge"
        )
    elif len(seconded) < responses:
        yield f"{second!r} has judged {len(seconded)} of {responses} responses; of the others it says nothing"


async def _count(db: Database, run: str, verifier: str) -> int:
    query = select(func.count()).select_from(VerdictTable)
    async with db.read() as connection:
        wanted = query.where(VerdictTable.run == run, VerdictTable.verifier == verifier)
        return (await connection.execute(wanted)).scalar_one()


async def _page(db: Database, run: str, verifier: str, before: str | None) -> Sequence[Row[Any]]:
    """Latest first."""
    columns = (VerdictTable.record, VerdictTable.sample, VerdictTable.data_source, VerdictTable.outcome)
    query: Any = select(*columns, VerdictTable.score, select_answer(), SampleTable.content)
    query = query.join(SampleTable, SampleTable.fingerprint == VerdictTable.sample)
    query = query.where(VerdictTable.run == run, VerdictTable.verifier == verifier)
    if before is not None:
        query = query.where(VerdictTable.record < before)
    async with db.read() as connection:
        return list(await connection.execute(query.order_by(VerdictTable.record.desc()).limit(_PAGE)))


def _add(prompts: dict[tuple[str, str], _Prompt], known: set[str], page: Sequence[Row[Any]]) -> None:
    """Each response once, by its latest verdict."""
    for row in page:
        if row.sample in known:
            continue
        known.add(row.sample)
        content = from_json(row.content)
        name, reference = prompt_name(content), content.get("reference")
        prompt = prompts.setdefault((name, repr(reference)), _Prompt(name, row.data_source, reference))
        prompt.records.append(row.record)
        prompt.samples.append(row.sample)
        prompt.answers.append(row.extracted)
        prompt.accepted.append(accepts(Outcome(row.outcome), row.score, None))


async def _verdicts(db: Database, verifier: str, samples: set[str]) -> dict[str, bool | None]:
    """What the latest verdict of a verifier says of each sample."""
    wanted = sorted(samples)
    found: dict[str, bool | None] = {}
    columns = (VerdictTable.sample, VerdictTable.outcome, VerdictTable.score)
    async with db.read() as connection:
        for at in range(0, len(wanted), _AT_ONCE):
            query = select(*columns).where(VerdictTable.sample.in_(wanted[at : at + _AT_ONCE]))
            query = query.where(VerdictTable.verifier == verifier).order_by(VerdictTable.record)
            for row in await connection.execute(query):
                found[row.sample] = accepts(Outcome(row.outcome), row.score, None)
    return found


def _suspects(prompts: Sequence[_Prompt], seconded: Mapping[str, bool | None], agree: float) -> list[Suspect]:
    found = []
    for prompt in prompts:
        second = [seconded.get(sample) for sample in prompt.samples]
        suspect = suspect_reference(prompt.answers, prompt.accepted, second, agree=agree, least=_LEAST_ANSWERS)
        if suspect is None:
            continue
        of_answer = prompt.answers.index(str(suspect.answer))
        found.append(
            Suspect(
                prompt=prompt.name,
                record=prompt.records[of_answer],
                data_source=prompt.source,
                reference=prompt.reference,
                answer=str(suspect.answer),
                share=suspect.share,
                answers=suspect.answers,
            )
        )
    return found


def _by_source(prompts: Any, found: Sequence[Suspect]) -> list[SourceSuspects]:
    """The highest share first."""
    looked: defaultdict[str | None, int] = defaultdict(int)
    suspect: defaultdict[str | None, int] = defaultdict(int)
    for prompt in prompts:
        looked[prompt.source] += sum(one is not None for one in prompt.answers) >= _LEAST_ANSWERS
    for one in found:
        suspect[one.data_source] += 1
    rows = [
        SourceSuspects(
            data_source=name, prompts=count, suspects=suspect[name], share=suspect[name] / count if count else None
        )
        for name, count in looked.items()
    ]
    return sorted(rows, key=lambda row: (-(row.share or 0.0), str(row.data_source)))
