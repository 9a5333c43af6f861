"""Verdicts then and now: how many flipped which way, in which slices, and for which reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from pydantic import JsonValue

from audits.cells import cells
from audits.estimates import of_groups
from audits.reverify.comparison import Compared
from audits.statistics.arrays import Floats, Ints
from audits.statistics.change import change
from audits.statistics.mcnemar import flips
from audits.statistics.slices import slices
from trueward.wire.audit import Cell, Figure, FigureLine, ReverifyAudit, Table

LISTED = 2_000
_REASONS = 50
_WORDS = ("accepted", "rejected", "no verdict")


def flip_findings(found: Compared, spec: ReverifyAudit) -> dict[str, JsonValue]:
    """``flips`` (both ways, p-values, their share and the change of the accepted share with intervals), ``table``,
    ``by_reason``, ``by_data_source``, and ``flipped``: the records."""
    both = found.both
    counted = flips(found.before, found.after)
    changed = found.flipped[both]
    estimates = of_groups(changed.tolist(), found.shared[both], spec.level, spec.seed)
    moved = change(found.before[both], found.after[both], found.shared[both], level=spec.level, seed=spec.seed)
    return {
        "flips": {
            **counted._asdict(),
            "share": estimates[0].rate,
            "change": {"value": moved.value, "interval": [*moved.interval], "note": moved.note},
            "estimates": [estimate.model_dump(mode="json") for estimate in estimates],
        },
        "table": {name: dict(zip(_WORDS, row, strict=True)) for name, row in zip(_WORDS, _cells(found), strict=True)},
        "by_reason": _by_reason(found),
        "by_data_source": _by_source(found, spec),
        "flipped": _flipped(found),
    }


def flip_tables(findings: dict[str, JsonValue], found: Compared) -> list[Table]:
    counts: list[list[Cell]] = [[name, *row] for name, row in zip(_WORDS, _cells(found), strict=True)]
    tables = [
        Table(
            title="Then and now",
            columns=["then", *(f"now {name}" for name in _WORDS)],
            rows=counts,
            note="Flips are off the diagonal. A sample without a verdict is neither accepted nor rejected.",
        )
    ]
    for title, key, names, share in (
        ("Flips by reason", "by_reason", ["before", "after", "gained", "lost"], []),
        ("Flips by data source", "by_data_source", ["data_source", "items", "flipped", "share", "p_value"], ["share"]),
    ):
        listed = findings[key]
        assert isinstance(listed, list)
        rows = [cells(row, *names) for row in listed]
        if rows:
            tables.append(Table(title=title, columns=names, rows=rows, shares=share))
    return tables


def flip_figure(found: Compared) -> Figure:
    lines = [
        FigureLine(name=f"then {name}", x=[0.0, 1.0, 2.0], y=list(map(float, row)))
        for name, row in zip(_WORDS, _cells(found), strict=True)
    ]
    return Figure(kind="matrix", title="Then and now", x="now", y="then", lines=lines, labels=list(_WORDS))


def _cells(found: Compared) -> list[list[int]]:
    """3 x 3 counts: then by now."""
    then, now = _kinds(found.before), _kinds(found.after)
    counts: list[list[int]] = np.bincount(3 * then + now, minlength=9).reshape(3, 3).tolist()
    return counts


def _kinds(verdicts: Floats) -> Ints:
    kinds: Ints = np.where(np.isnan(verdicts), 2, np.where(verdicts == 1, 0, 1)).astype(np.int64)
    return kinds


def _by_reason(found: Compared) -> list[JsonValue]:
    """The most frequent pairs of reasons among the flips."""
    gained: Counter[tuple[str, str]] = Counter()
    lost: Counter[tuple[str, str]] = Counter()
    for place in np.flatnonzero(found.flipped).tolist():
        way = gained if found.after[place] == 1 else lost
        way[found.then[place].reason_code, found.now[place].reason_code] += 1
    most = sorted((gained + lost).items(), key=lambda one: (-one[1], one[0]))[:_REASONS]
    return [{"before": a, "after": b, "gained": gained[a, b], "lost": lost[a, b]} for (a, b), _ in most]


def _by_source(found: Compared, spec: ReverifyAudit) -> list[JsonValue]:
    """Worst first, guarded against the number of sources; nothing for a single one."""
    places = np.flatnonzero(found.both).tolist()
    names = [found.then[place].data_source for place in places]
    if len(set(names)) < 2:
        return []
    parts = slices(found.flipped[places], names, found.shared[places], level=spec.level)
    return [
        {
            "data_source": str(part.name),
            "items": part.proportion.trials,
            "flipped": part.proportion.errors,
            "share": part.proportion.rate,
            "interval": list(part.interval),
            "p_value": part.adjusted,
        }
        for part in parts
    ]


def _flipped(found: Compared) -> list[JsonValue]:
    """Both records of each flip, those that are now accepted first: they may be the new false positives."""
    places = sorted(np.flatnonzero(found.flipped).tolist(), key=lambda place: found.after[place] != 1)
    return [
        {
            "sample": found.then[place].sample,
            "before": found.then[place].record,
            "after": found.now[place].record,
            "now": _WORDS[0] if found.after[place] == 1 else _WORDS[1],
        }
        for place in places[:LISTED]
    ]


def examples_of(found: Compared, each: int) -> Sequence[int]:
    """Places of the newest flips, ``each`` of both ways."""
    places = np.flatnonzero(found.flipped)
    ways = (places[found.after[places] == said] for said in (1.0, 0.0))
    return [place for way in ways for place in way[-each:].tolist()]
