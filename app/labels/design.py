"""With which probability each response of a population could be drawn: computed again from what a draw asked.

A draw keeps the probability of what it drew. Weighing labels of two draws together takes that of what each of them did
not draw, too; and how many responses had which probability says how large the strata are of which the labels speak.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError
from sqlalchemy import select

from app.kit.db import Database
from app.labels.second_verdicts import acceptances, answers
from app.tables import Draw, DrawItem
from audits.absent import describe_absence
from audits.labelled.features import check_names
from trueward.errors import InvalidRequest
from trueward.wire.audit import Population
from trueward.wire.draw import DrawRequest, NewForm, SuspectedReference

if TYPE_CHECKING:
    from app.labels.queries import QueriedPopulation
    from audits.labelled.records import Records

_READ_THE_ANSWER = (NewForm, SuspectedReference)
_SAME = 1e-9
_LEAST_ALIKE = 0.98


class Design(NamedTuple):
    """``chance`` by sample, of all that could be drawn; ``drawn`` are the samples of the draw's items; ``others`` is
    what each other subject said that the draw asked about, by sample."""

    seed: int
    chance: dict[str, float]
    drawn: dict[str, float]
    others: Sequence[Mapping[str, bool | None]]


async def design_of(db: Database, draw: str, known: Records | None = None) -> Design | None:
    """None for an unknown draw, for one that this version of the service cannot read, and where the ledger has changed
    so much since that it would be another one. ``known`` are records that were read: perhaps those of the draw."""
    items = select(DrawItem.sample, DrawItem.probability).where(DrawItem.draw == draw)
    async with db.read() as connection:
        row = (await connection.execute(select(Draw.spec, Draw.created_at).where(Draw.id == draw))).one_or_none()
        drawn = {item.sample: item.probability for item in await connection.execute(items)}
    if row is None or not drawn:
        return None
    try:
        spec = DrawRequest.model_validate(row.spec)
        until = min(one for one in (spec.population.until, row.created_at) if one is not None)
        view = await view_of(db, spec, spec.population.model_copy(update={"until": until}), known)
        from app.labels.sampling import chances

        found = await asyncio.to_thread(chances, spec, view)
    except (InvalidRequest, ValidationError):
        return None
    samples = view.records.sample
    chance_of = {samples[place]: float(chance) for place, chance in zip(found.places, found.chance, strict=True)}
    alike = sum(abs(chance_of.get(sample, 0.0) - probability) <= _SAME for sample, probability in drawn.items())
    if alike < _LEAST_ALIKE * len(drawn):
        return None
    return Design(spec.seed, {**chance_of, **drawn}, drawn, list(view.others.values()))


async def view_of(
    db: Database, spec: DrawRequest, population: Population, known: Records | None = None
) -> QueriedPopulation:
    """Raises :class:`InvalidRequest` where there is nothing to draw from."""
    subject = spec.subject
    reads = any(isinstance(query, _READ_THE_ANSWER) for query in spec.queries)
    if reads and subject.verifier is None:
        raise wrong("queries", "new_form and suspected_reference read a verifier's evidence: name a verifier")
    # with numpy, which nothing else of the service's start needs
    await asyncio.to_thread(import_module, "app.labels.queries")
    from app.audits.ledger import StoredLedger
    from app.audits.records import read_before
    from app.labels.queries import QueriedPopulation, feature_of, other_of

    features = {name for query in spec.queries if (name := feature_of(query)) is not None}
    check_names(features, "queries")
    records = await read_before(db, subject, population, sorted(features), known)
    if not len(records):
        raise wrong("population", await describe_absence(StoredLedger(db), subject))
    named = {other.model_dump_json(): other for other in map(other_of, spec.queries) if other is not None}
    samples = set(records.sample) if named else set()
    others = {name: await acceptances(db, other, subject, population, samples) for name, other in named.items()}
    read = await answers(db, subject, population) if reads else {}
    return QueriedPopulation(records, subject.threshold, others, read)


def wrong(field: str, detail: str) -> InvalidRequest:
    return InvalidRequest.at_field(field, "draw", detail)
