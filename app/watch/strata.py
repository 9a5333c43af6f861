"""What a run's data loader deals: records of one data source, and of prompts that came as often before.

Sources differ in all that a watch looks at, and are dealt in any order. So what is compared is compared within one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.watch.stream import RecordStream, Texts
from audits.statistics.arrays import Ints, codes

MOST_SOURCES = 64
"""Data sources that are told apart, those with the most records; the others are one."""
MOST_PASSES = 3
"""A prompt that came so often before is like one that came more often."""
OTHERS = "all other data sources"


def add_strata(stream: RecordStream, base: RecordStream | None) -> tuple[RecordStream, RecordStream | None, list[str]]:
    """Both with the numbers of their strata, and the names of the sources in the order in which they appeared."""
    of_run, of_base = _names(stream.source), None if base is None else _names(base.source)
    every = of_run if of_base is None else np.concatenate([of_run, of_base])
    kinds, first, number, size = np.unique(every, return_index=True, return_inverse=True, return_counts=True)
    largest = np.argsort(-size, kind="stable")[:MOST_SOURCES]
    order = largest[np.argsort(first[largest])]
    place = np.full(len(kinds), len(order))
    place[order] = np.arange(len(order))
    sources = place[number.reshape(-1)]
    # passes over the prompts are the run's own: another run's are not compared with them
    passes = np.zeros(len(stream), np.int64) if base is not None else np.minimum(_passes(stream), MOST_PASSES)
    names = [str(kinds[one]) for one in order] + [OTHERS] * (len(kinds) > len(order))
    own = sources[: len(stream)]
    return (
        replace(stream, stratum=own, lesson=_in_order(own * (MOST_PASSES + 1) + passes)),
        None if base is None else replace(base, stratum=sources[len(stream) :], lesson=sources[len(stream) :]),
        names,
    )


def match_mix(
    before: RecordStream, now: RecordStream, *, passes: bool = False, right: bool = False
) -> tuple[RecordStream, RecordStream]:
    """The later records without those of strata that the earlier ones lack, and whole groups of the earlier ones, as
    many as there are with the same mix.

    The mix is that of the data sources; ``passes``: and of how often their prompts came; ``right``: and of what labels
    say, all records having one.
    """
    of_before, of_now = (_mix(one, passes, right) for one in (before, now))
    shares = np.bincount(of_now, minlength=1) / max(len(now), 1)
    there = np.bincount(of_before, minlength=len(shares))[: len(shares)]
    kept = (there > 0) & (shares > 0)
    now = now.part(kept[of_now])
    if not len(now):
        return before.part(slice(0, 0)), now
    shares = np.where(kept, shares, 0.0) / shares[kept].sum()
    size = float((there[kept] / shares[kept]).min())
    rows = []
    for stratum in np.flatnonzero(kept).tolist():
        own = np.flatnonzero(of_before == stratum)
        group = codes("group", before.group[own])
        groups = int(group.max()) + 1
        many = round(groups * float(shares[stratum]) * size / len(own))
        chosen = np.linspace(0, groups - 1, max(many, 1)).round().astype(np.int64)
        rows.append(own[np.isin(group, chosen)])
    return before.part(np.sort(np.concatenate(rows))), now


def _mix(stream: RecordStream, passes: bool, right: bool) -> Ints:
    numbers = stream.lesson if passes else stream.stratum
    return 2 * numbers + (stream.right == 1) if right else numbers


def _names(source: Texts) -> np.typing.NDArray[np.str_]:
    return np.array(["" if one is None else one for one in source], dtype=np.str_)


def _in_order(numbers: Ints) -> Ints:
    """Numbered again, in the order in which they appear."""
    kinds, first, number = np.unique(numbers, return_index=True, return_inverse=True)
    place = np.empty(len(kinds), np.int64)
    place[np.argsort(first)] = np.arange(len(kinds))
    found: Ints = place[number.reshape(-1)]
    return found


def _passes(stream: RecordStream) -> Ints:
    """Of each record how many groups of its prompt came before its own."""
    if not len(stream):
        return np.zeros(0, np.int64)
    group = codes("group", stream.group)
    _, first = np.unique(group, return_index=True)
    order = np.argsort(first)
    prompt = stream.prompt[first[order]]
    by_prompt = np.argsort(prompt, kind="stable")
    starts = np.concatenate([[True], np.diff(prompt[by_prompt]) != 0])
    since = np.arange(len(prompt)) - np.maximum.accumulate(np.where(starts, np.arange(len(prompt)), 0))
    came = np.empty(len(prompt), np.int64)
    came[order[by_prompt]] = since
    found: Ints = came[group]
    return found
