"""What each query of a draw matches, as probabilities of N stored verdicts; 0 where it does not match.

A missing verdict neither agrees nor disagrees: only ``random_stratified`` and the rest draw it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.labels.second_verdicts import ReadAnswer
from audits.labelled.records import Records
from audits.statistics.arrays import Bools, Floats, Ints
from audits.statistics.suspect import suspect_reference
from trueward.errors import InvalidRequest
from trueward.wire.audit import Subject
from trueward.wire.draw import (
    Cell,
    Disagreement,
    GroupJump,
    NearThreshold,
    NewForm,
    Query,
    RandomStratified,
    RecordList,
    SuspectedReference,
)


@dataclass(frozen=True, slots=True)
class QueriedPopulation:
    """A population as queries see it. ``others`` has what another subject said, by its JSON and by sample; ``answers``
    those of the verdicts' evidence, by record."""

    records: Records
    threshold: float | None
    others: Mapping[str, Mapping[str, bool | None]]
    answers: Mapping[str, ReadAnswer]

    def second(self, other: Subject) -> list[bool | None]:
        """What another subject said of each record's sample."""
        said = self.others[other.model_dump_json()]
        return [said.get(sample) for sample in self.records.sample]


def other_of(query: Query) -> Subject | None:
    """The subject beside the draw's own whose verdicts the query needs."""
    if isinstance(query, Cell | Disagreement):
        return query.other
    return query.second if isinstance(query, SuspectedReference) else None


def feature_of(query: Query) -> str | None:
    """The feature of the records that the query needs."""
    if isinstance(query, Cell):
        return query.feature
    return "step" if isinstance(query, GroupJump) else "data_source" if isinstance(query, RandomStratified) else None


def probabilities(query: Query, view: QueriedPopulation) -> Floats:
    """N probabilities. Raises :class:`InvalidRequest` for a query that lacks what it needs."""
    match query:
        case Cell():
            matches = _cell(query, view)
        case Disagreement():
            matches = _disagreement(query, view)
        case NearThreshold():
            matches = _near_threshold(query, view)
        case GroupJump():
            matches = _group_jump(query, view.records)
        case NewForm():
            matches = _new_form(query, view)
        case SuspectedReference():
            matches = _suspected_reference(query, view)
        case RecordList():
            wanted = set(query.records)
            matches = np.array([record in wanted for record in view.records.record], dtype=np.bool_)
        case RandomStratified():
            return _stratified(query, view.records)
    return np.where(matches, float(query.probability), 0.0)


def _cell(query: Cell, view: QueriedPopulation) -> Bools:
    matches: Bools = view.records.accepted == float(query.accepted)
    if query.other is not None:
        said = _verdicts(view.second(query.other))
        matches = matches & (np.isnan(said) if query.said is None else said == float(query.said))
    if query.feature is not None:
        column = view.records.features[query.feature]
        named = np.array([name in query.values for name in column.names], dtype=np.bool_)[column.codes]
        matches = matches & (named != query.outside)
    return matches


def _disagreement(query: Disagreement, view: QueriedPopulation) -> Bools:
    own, other = view.records.accepted, _verdicts(view.second(query.other))
    differ: Bools = ~np.isnan(own) & ~np.isnan(other) & (own != other)
    return differ


def _near_threshold(query: NearThreshold, view: QueriedPopulation) -> Bools:
    threshold = query.threshold if query.threshold is not None else view.threshold
    if threshold is None:
        detail = "near_threshold needs a threshold: its own, or the subject's"
        raise InvalidRequest.at_field("queries", "threshold", detail)
    near: Bools = np.abs(view.records.score - float(threshold)) <= float(query.margin)
    return near


def _group_jump(query: GroupJump, records: Records) -> Bools:
    """A group's name may come again at another step: then it is another group."""
    _, step = np.unique(records.features["step"].codes, return_inverse=True)
    group = records.group * (int(step.max(initial=0)) + 1) + step
    _, group = np.unique(group, return_inverse=True)
    accepted = np.bincount(group, weights=records.accepted == 1)[group]
    rejected = np.bincount(group, weights=records.accepted == 0)[group]
    alone = ((records.accepted == 1) & (accepted == 1)) | ((records.accepted == 0) & (rejected == 1))
    matches: Bools = alone & (accepted + rejected >= query.least)
    return matches


def _new_form(query: NewForm, view: QueriedPopulation) -> Bools:
    forms = [view.answers[record].form if record in view.answers else None for record in view.records.record]
    counts = Counter(form for form in forms if form is not None)
    rare = {form for form, count in counts.items() if count < query.share * counts.total()}
    return np.array([form in rare for form in forms], dtype=np.bool_)


def _suspected_reference(query: SuspectedReference, view: QueriedPopulation) -> Bools:
    records = view.records
    classes = [view.answers[record].text if record in view.answers else None for record in records.record]
    accepted = [None if np.isnan(said) else bool(said) for said in records.accepted]
    second = view.second(query.second)
    matches = np.zeros(len(records), dtype=np.bool_)
    for members in _members(records.group):
        suspect = suspect_reference(
            [classes[place] for place in members],
            [accepted[place] for place in members],
            [second[place] for place in members],
            agree=query.agree,
            least=query.least,
        )
        if suspect is not None:
            matches[[place for place in members if classes[place] == suspect.answer]] = True
    return matches


def _stratified(query: RandomStratified, records: Records) -> Floats:
    """Strata of different responses, each by its latest verdict: the same expected number from each."""
    latest = list({sample: place for place, sample in enumerate(records.sample)}.values())
    source = records.features["data_source"]
    stratum = records.outcome.codes[latest] * len(source.names) + source.codes[latest]
    _, stratum, sizes = np.unique(stratum, return_inverse=True, return_counts=True)
    each = query.probability * len(latest) / len(sizes)
    chance = np.zeros(len(records))
    chance[latest] = np.minimum(1.0, each / sizes)[stratum]
    return chance


def _members(group: Ints) -> Sequence[list[int]]:
    found: defaultdict[int, list[int]] = defaultdict(list)
    for place, name in enumerate(group.tolist()):
        found[name].append(place)
    return list(found.values())


def _verdicts(said: Sequence[bool | None]) -> Floats:
    return np.array([np.nan if one is None else float(one) for one in said])
