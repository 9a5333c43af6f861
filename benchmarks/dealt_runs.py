"""Runs whose prompts are dealt in many ways (``benchmarks/dealing.py``): how often a watch alarms on healthy ones, and
how soon it finds a fault of one data source, beside a CUSUM that is told the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from benchmarks import cusum
from benchmarks.cusum import Cusum, Mean, Rate, Read
from benchmarks.dealing import DEALS, dealt
from benchmarks.delays import START, STEPS, Delay, Faulty, Quiet, delay, first_words
from benchmarks.pieces import find_by_seed
from benchmarks.policies import Columns, Fault, Numbers, clean, hangs, lengths_jump, rewards_jump, some_missing
from benchmarks.policies import sudden_exploit as exploit
from benchmarks.report import Call

SPOILT = "source-0"
"""The harder one of the first two sources."""
SMALL, LARGE = 8, 32
"""Prompts of a step: of 64 and of 256 records."""


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A fault in the records of one source, of a run that is dealt so."""

    deal: str
    fault: Fault
    cusum: Cusum


def _rate(rate: Rate) -> Cusum:
    return cusum.of_rate(lambda run: _own(run, *rate(run)))


def _mean(mean: Mean) -> Cusum:
    return cusum.of_mean(lambda run: mean(only(run)))


OF_ONE_SOURCE: Mapping[str, Spoilt] = {
    "by turns: exploit of 40%": Spoilt("whole batches by turns", exploit, _rate(cusum.labelled(0.0))),
    "by turns: the same, no labels": Spoilt("whole batches by turns", rewards_jump, _mean(cusum.rewards)),
    "by turns: lengths jump 1.6 times": Spoilt("whole batches by turns", lengths_jump, _mean(cusum.log_lengths)),
    "by chance: 2% of verdicts missing": Spoilt(
        "whole batches by chance", some_missing, _rate(cusum.caused("missing: time_limit"))
    ),
    "mixed: 10% hang the verifier": Spoilt("sources mixed", hangs, _rate(cusum.caused("invalid: resource"))),
    "mixed: exploit of 40%, no labels": Spoilt("sources mixed", rewards_jump, _mean(cusum.rewards)),
}


def healthy(deal: str, seed: int, prompts: int = SMALL, steps: int = STEPS) -> Columns:
    return clean(seed, steps, dealt(deal, seed, steps, prompts))


def spoilt(name: str, seed: int) -> Columns:
    """The fault is in one source's records alone."""
    case = OF_ONE_SOURCE[name]
    run, usual = (healthy(case.deal, seed) for _ in range(2))
    case.fault(run, START)
    own = run.source == SPOILT
    for column in ("right", "accepted", "length", "cause", "answer"):
        getattr(run, column)[~own] = getattr(usual, column)[~own]
    return run


def only(run: Columns) -> Columns:
    """The records of the source that has the fault."""
    own = run.source == SPOILT
    return Columns(
        **{
            one.name: getattr(run, one.name) if one.name == "dice" else getattr(run, one.name)[own]
            for one in fields(run)
        }
    )


def delays_of_one_source(call: Call, names: Sequence[str], seeds: Sequence[int], healthy_runs: int) -> list[Delay]:
    asked = [(name,) for name in names]
    usual = find_by_seed("watch", call, reads_of_one_source, asked, range(10_000, 10_000 + healthy_runs))
    late = find_by_seed("watch", call, runs_of_one_source, asked, seeds)
    return [
        delay(name, [OF_ONE_SOURCE[name].cusum], reads, runs)
        for name, reads, runs in zip(names, usual, late, strict=True)
    ]


def reads_of_one_source(name: str, seeds: Sequence[int]) -> list[list[Read]]:
    case = OF_ONE_SOURCE[name]
    return [[case.cusum.read(healthy(case.deal, seed))] for seed in seeds]


def runs_of_one_source(name: str, seeds: Sequence[int]) -> list[Faulty]:
    return [Faulty.of(spoilt(name, seed), [OF_ONE_SOURCE[name].cusum]) for seed in seeds]


def quiet_dealt(call: Call, seeds: Sequence[int], every: int) -> dict[str, Quiet]:
    """Healthy runs of each way to deal and each size of step, looked at every so many steps."""
    ways = [(deal, prompts, steps) for deal in DEALS for prompts, steps in ((SMALL, STEPS), (LARGE, STEPS // 2))]
    said = find_by_seed("watch", call, quiet_runs_dealt, [(*way, every) for way in ways], seeds)
    return {
        f"{deal}, {prompts} prompts a step": Quiet.of(one, every)
        for (deal, prompts, _), one in zip(ways, said, strict=True)
    }


def quiet_runs_dealt(deal: str, prompts: int, steps: int, every: int, seeds: Sequence[int]) -> list[str | None]:
    return [first_words(seed, healthy(deal, seed, prompts, steps), steps, every) for seed in seeds]


def _own(run: Columns, hits: Numbers, trials: Numbers) -> tuple[Numbers, Numbers]:
    return hits, trials & (run.source == SPOILT)
