"""The doctor of a run: reads its newest records, says what is wrong, and tries what would help.

One run is examined at a time, as it costs a bounded but real amount of work. What was said stays until the run has
another record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from copy import copy
from dataclasses import replace

from app.doctor.faults import faults_of
from app.doctor.faults.invalid import NO_ANSWER
from app.doctor.reading import DoctorReader
from app.doctor.retrial import Asker, Retrial, estimate, rules_of, trial_of
from app.doctor.summary import Summary
from app.kit.cache import Cache
from app.kit.db import Database
from app.path.path import Path
from app.projects.visibility import Sight
from trueward.errors import Overloaded, RequestRefused
from trueward.numerals import number, share
from trueward.wire.diagnosis import ExtractionEstimate, RunDiagnosis, RunFault

LIMIT = 2000
_KEPT = 200
_Key = tuple[str, int, str | None, int]


class Doctor:
    def __init__(self, db: Database, path: Path) -> None:
        self._db = self._seen = db
        self._path = path
        self._known: Cache[_Key, RunDiagnosis] = Cache(_KEPT)
        self._turn = asyncio.Lock()

    def visible_to(self, sight: Sight) -> Doctor:
        """The same for somebody who sees these records alone."""
        doctor = copy(self)
        doctor._seen = sight.of(self._db)
        return doctor

    async def examine(self, run: str, asker: Asker, limit: int = LIMIT) -> RunDiagnosis:
        """Of a run without records: that there are none."""
        async with self._turn:
            reader = DoctorReader(self._seen)
            latest, total = await reader.extent(run)
            key = (run, limit, latest, total)
            known = self._known.get(key)
            if known is None:
                known = await self._diagnosis(reader, await reader.read(run, limit), asker)
                if not known.notes:  # what could not be tried now may be tried later
                    self._known.put(key, known)
            return known

    async def _diagnosis(self, reader: DoctorReader, summary: Summary, asker: Asker) -> RunDiagnosis:
        found, notes = await asyncio.to_thread(faults_of, summary), list[str]()
        if any(fault.kind == NO_ANSWER for fault in found):
            summary, better, note = await self._try_rules(reader, summary, asker)
            found = [_with(fault, better) for fault in await asyncio.to_thread(faults_of, summary)]
            notes += [note] if note else []
        return RunDiagnosis(
            run=summary.run,
            records=len(summary.records),
            total=summary.total,
            sentence=_sentence(summary, found),
            faults=found,
            notes=notes,
        )

    async def _try_rules(
        self, reader: DoctorReader, summary: Summary, asker: Asker
    ) -> tuple[Summary, ExtractionEstimate | None, str]:
        """The summary with the rule by which was read, the best other one, and why none was tried."""
        trial: Retrial | None = await trial_of(reader, summary)
        if trial is None:
            return summary, None, "no other extraction was tried: the samples are gone, or too long"
        try:
            summary = replace(summary, reads=rules_of(self._path, trial))
            return summary, await estimate(self._path, trial, asker), ""
        except (RequestRefused, Overloaded) as refusal:
            return summary, None, f"no other extraction was tried: {refusal.detail}"


def _with(fault: RunFault, better: ExtractionEstimate | None) -> RunFault:
    if fault.kind != NO_ANSWER or better is None:
        return fault
    advice = (
        f"{fault.advice}. With `extract: {better.extract}` {share(better.answers / better.judged)} of these samples "
        f"would have an answer (now {share(better.answers_before / better.judged)}) and "
        f"{share(better.paid / better.judged)} would be paid (now {share(better.paid_before / better.judged)}): "
        f"{number(better.judged)} of the run's samples, judged again"
    )
    return fault.model_copy(update={"advice": advice, "estimate": better})


def _sentence(summary: Summary, found: Sequence[RunFault]) -> str:
    count = len(summary.records)
    looked = f"{number(count)} record{'' if count == 1 else 's'}{' of evaluations' if summary.evaluated else ''}"
    if not summary.records:
        return "The run has no records: the trainer has sent nothing yet, or under another run's name."
    if not found:
        return f"Nothing wrong found in {looked}; this does not say that the rewards are right."
    return f"{number(len(found))} {'thing is' if len(found) == 1 else 'things are'} wrong in the newest {looked}."
