"""What is held for true of each record, and where that came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from audits.labelled.columns import NameNumbers
from audits.labelled.records import Records
from audits.statistics.arrays import Bools, Floats, Ints
from audits.statistics.label_errors import Votes
from trueward.errors import InvalidRequest
from trueward.wire.audit import Population, Subject

if TYPE_CHECKING:
    from audits.ports import Ledger


def _nobody() -> Ints:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class DrawnRecords:
    """Records that stand for others: which of the N records, one for each drawn content with a truth, and the
    probability with which each was drawn."""

    rows: Ints = field(default_factory=_nobody)
    probability: Floats = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, slots=True)
class DrawDesign:
    """Of N records: the probability with which the content could come to be labelled (NaN: not known, 0: by no draw),
    whether it was, and the number of its stratum."""

    chance: Floats
    labelled: Bools
    stratum: Ints


@dataclass(frozen=True, slots=True)
class Truth:
    """``right`` has N entries: 1, 0, or NaN where nothing is known. ``sample`` numbers the contents. ``origins`` counts
    labels by their source. ``design`` is there where labels were drawn and speak of the run, ``votes`` (of each record)
    where labellers disagree, so that none of them can be taken for right."""

    right: Floats
    sample: Ints
    drawn: DrawnRecords
    origins: dict[str, int]
    notes: list[str]
    design: DrawDesign | None = None
    votes: Votes | None = None

    @property
    def known(self) -> Bools:
        """Of which records something is known; where labellers disagree that is not yet what is true."""
        known: Bools = ~np.isnan(self.right) if self.votes is None else self.votes.labels > 0
        return known


def number_records(samples: list[str]) -> tuple[Ints, NameNumbers]:
    """Each record's content as a number, and what number each fingerprint has."""
    numbers = NameNumbers()
    numbers.add(samples)
    return numbers.codes(), numbers


async def truth_of_verifier(ledger: Ledger, reference: Subject, records: Records) -> Truth:
    """The latest verdicts of another verifier on the same samples, wherever in the ledger they are.

    Raises :class:`InvalidRequest` where it has none.
    """
    found = (await ledger.records(reference, Population(), told=True)).last_words()
    right = np.array([found.get(sample, np.nan) for sample in records.sample], dtype=np.float64)
    known = int(np.count_nonzero(~np.isnan(right)))
    if not known:
        raise InvalidRequest(
            f"{reference.name} has no verdict on any of these {len(records)} responses: judge them with it first "
            "(POST /v1/jobs), and give it a threshold where it gives scores without a pass line"
        )
    source = f"verifier:{reference.verifier}" if reference.verifier is not None else reference.name
    note = (
        f"the truth is what {reference.name} says: its own errors are counted as the subject's, and errors that both "
        "make are not seen"
    )
    return Truth(right, number_records(records.sample)[0], DrawnRecords(), {source: known}, [note])
