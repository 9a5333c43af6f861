"""How often does the interval of an error rate from drawn labels hold the true rate?

``python -m benchmarks.coverage [--short | --quick | --long]``. Runs with a known false-positive rate are simulated,
responses are drawn from them as a queue draws, disagreement first, and the product's estimator
(``audits.statistics.drawn``) says what it makes of the labels. All data are of our own simulation. Two truths are
held against each interval: the rate of the verifier at large, of which it speaks, and that of the very run.

Beside it stand three published intervals of the same labels: linearised variance (without groups), Fay
and Feuer's gamma interval, and Wilson's by probability combined by MOVER; ``best`` is the narrowest that covers 93% at
least and lies below the truth in 3.5% at most. With several looks an audit ends, as a gate would end it, as soon as the
upper end is below the true rate, which is the error; there the lasting intervals are used. With slices every slice of
every audit counts. Labellers that are wrong at times are corrected for; the published intervals have their majority. A
second table is of audits without a draw, by clusters of uneven sizes (``benchmarks/covering/clustered.py``); a third
one of plans (``benchmarks/covering/planned.py``), which draw in batches and stop when a target is reached.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from audits.statistics.drawn import DrawnRate, DrawnRates
from audits.statistics.frame import Frame, cells, estimate_label_chance, joint_chance
from audits.statistics.label_errors import Votes, estimate_label_errors
from audits.statistics.voted import VotedRates
from benchmarks.covering.clustered import clustered, situations
from benchmarks.covering.planned import planned, plans
from benchmarks.covering.published import by_probability, gamma, linearised
from benchmarks.covering.world import Bools, Draw, Floats, Run, Setting, draw_of, run_of, settings
from benchmarks.pieces import find_all
from benchmarks.report import Form, called, finish, rows

AUDITS: dict[Form, int] = {"short": 30, "quick": 100, "long": 1_000}
LEAST, MOST_BELOW, MOST_WRONG = 0.93, 0.035, 0.035
PEERS: dict[str, Callable[[Bools, Floats], tuple[float, float]]] = {
    "linearised": linearised,
    "gamma": gamma,
    "by probability": by_probability,
}


@dataclass(frozen=True, slots=True)
class Counted:
    """``covers`` and ``below`` (the upper end below the truth) of the rate at large, ``covers_run`` of the run's own;
    mean width and number of labels. ``peers`` are covers, below and width of the published intervals."""

    setting: Setting
    covers: float
    below: float
    covers_run: float
    width: float
    labels: float
    peers: dict[str, tuple[float, float, float]]

    @property
    def best(self) -> float | None:
        """The width of the narrowest published interval that is valid here."""
        valid = [width for covers, below, width in self.peers.values() if covers >= LEAST and below <= MOST_BELOW]
        return min(valid, default=None)


def audited(run: Run, draw: Draw, setting: Setting, labels: int) -> list[DrawnRate]:
    """What the product says after so many labels: of each slice, or of the whole."""
    chance = joint_chance(draw.first, draw.second, same_seed=setting.same_seed)
    labelled = np.zeros(len(run.right), dtype=np.bool_)
    labelled[draw.order[:labels]] = True
    frame = Frame(
        accepted=run.accepted.astype(np.float64),
        right=np.where(labelled, draw.blamed * 2 < setting.labellers, np.nan),
        records=run.records,
        group=run.group,
        chance=estimate_label_chance(chance, draw.drawn, labelled),
        stratum=np.zeros(len(chance), dtype=np.int64),
    )
    found = []
    errors = None
    votes = Votes(draw.blamed * labelled, (setting.labellers - draw.blamed) * labelled)
    if setting.mistaken:
        errors = estimate_label_errors(cells(frame)[labelled], Votes(votes.wrong[labelled], votes.right[labelled]))
    for number in range(len(setting.rates)):
        some = run.slice == number
        part, said = frame.of(some), Votes(votes.wrong[some], votes.right[some])
        lasting = setting.looks > 1
        rates = DrawnRates(part, lasting=lasting) if errors is None else VotedRates(part, said, errors, lasting=lasting)
        found.append(rates.false_positive())
    return found


def cell(setting: Setting, audits: int, seed: int) -> Counted:
    generator = np.random.default_rng(seed)
    covers, below, inside_run, widths, labels = [], [], [], [], []
    others: dict[str, list[tuple[bool, bool, float]]] = {name: [] for name in PEERS}
    for _ in range(audits):
        run = run_of(setting, generator)
        draw = draw_of(setting, run, generator)
        steps = [math.ceil(len(draw.order) * (look + 1) / setting.looks) for look in range(setting.looks)]
        found: list[DrawnRate] = []
        for step in steps:
            found = audited(run, draw, setting, step)
            if all(one.interval.high < rate for one, rate in zip(found, setting.rates, strict=True)):
                break
        labels.append(len(draw.order))
        chance = joint_chance(draw.first, draw.second, same_seed=setting.same_seed)
        said_wrong = draw.drawn & (draw.blamed * 2 > setting.labellers)
        for number, (one, rate) in enumerate(zip(found, setting.rates.tolist(), strict=True)):
            (low, high), some = one.interval, run.slice == number
            covers.append(low <= rate <= high)
            below.append(high < rate)
            inside_run.append(low <= run.rate_of(some) <= high)
            widths.append(high - low)
            wrong = said_wrong & some
            weight = (run.records / chance)[wrong]
            for name, peer in PEERS.items() if wrong.any() else ():
                low, high = peer(run.accepted[wrong], weight)
                others[name].append((low <= rate <= high, high < rate, high - low))
    return Counted(
        setting,
        covers=float(np.mean(covers)),
        below=float(np.mean(below)),
        covers_run=float(np.mean(inside_run)),
        width=float(np.mean(widths)),
        labels=float(np.mean(labels)),
        peers={name: _means(found) for name, found in others.items()},
    )


def _means(found: list[tuple[bool, bool, float]]) -> tuple[float, float, float]:
    covers, below, width = (float(np.mean(column)) for column in zip(*found, strict=True))
    return covers, below, width


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("coverage", "How often intervals of drawn labels hold the truth.", arguments)
    audits = AUDITS[call.form]
    cells = [(setting, audits, seed) for seed, setting in enumerate(settings(call.form))]
    found = find_all("coverage", call, cell, cells)
    rows(
        f"95% intervals of the false-positive rate, {audits} audits a row (%)",
        ["setting", "labels", "cover", "below", "of the run", "width", "best valid", "linearised covers"],
        [
            [
                one.setting.name,
                f"{one.labels:.0f}",
                *(f"{100 * x:.1f}" for x in (one.covers, one.below, one.covers_run, one.width)),
                "none" if one.best is None else f"{100 * one.best:.1f}",
                f"{100 * one.peers['linearised'][0]:.1f}",
            ]
            for one in found
        ],
    )
    by_cluster = [(one, audits, seed) for seed, one in enumerate(situations(call.form))]
    clustered_rows = find_all("coverage", call, clustered, by_cluster)
    rows(
        f"95% intervals of audits without a draw, {audits} audits a row (%)",
        ["clusters, tail of their sizes, rate, correlation", "cover", "below", "width", "bootstrap covers"],
        [
            [
                f"{one.clusters}, {one.tail:g}, {one.rate:g}, {one.correlation:g}",
                *(f"{100 * x:.1f}" for x in (one.covers, one.below, one.width, one.bootstrap_covers)),
            ]
            for one in clustered_rows
        ],
    )
    by_plan = [(setting, target, audits, seed) for seed, (setting, target) in enumerate(plans(call.form))]
    plan_rows = find_all("coverage", call, planned, by_plan)
    rows(
        f"Labels that a plan draws in batches until a target is reached, {audits} audits a row (%)",
        ["setting", "target", "labels", "of nine in ten", "looks", "reached", "cover", "below", "wrong side", "width"],
        [
            [
                one.name,
                f"limit {one.target.limit:g}" if one.target.limit is not None else f"width {one.target.width:g}",
                f"{one.labels:.0f}",
                f"{one.most_labels:.0f}",
                f"{one.looks:.1f}",
                *(f"{100 * x:.1f}" for x in (one.reached, one.covers, one.below, one.wrong, one.width)),
            ]
            for one in plan_rows
        ],
    )
    # what chance alone allows beyond the aim with so many audits: three standard errors
    slack = 3 * math.sqrt(0.05 * 0.95 / audits) if audits < max(AUDITS.values()) else 0.0
    chance = ", but for what chance allows (three standard errors)" if slack else ""
    claims = {
        f"covers {LEAST:.0%} and more in every cell{chance}": all(one.covers >= LEAST - slack for one in found),
        f"lies below the truth in {MOST_BELOW:.1%} at most in every cell{chance}": all(
            one.below <= MOST_BELOW + slack for one in found
        ),
        f"the last look of a plan covers {LEAST:.0%} and more in every cell{chance}": all(
            one.covers >= LEAST - slack for one in plan_rows
        ),
        f"a plan names the wrong side of a limit in {MOST_WRONG:.1%} at most in every cell{chance}": all(
            one.wrong <= MOST_WRONG + slack for one in plan_rows
        ),
        f"audits by cluster cover {LEAST:.0%} and more in every cell{chance}": all(
            one.covers >= LEAST - slack for one in clustered_rows
        ),
        "has a width in every cell": all(one.width > 0 for one in found),
    }
    finish(
        "coverage", call, {"audits": audits, "cells": found, "clustered": clustered_rows, "plans": plan_rows}, claims
    )


if __name__ == "__main__":
    main()
