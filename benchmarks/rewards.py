"""What rewards cost beside the verdicts: verdicts combined a second, and what a large request adds.

``python -m benchmarks.rewards [--short | --long]``. One core, nothing but :mod:`rewards`: recipes from one term to
routes with gates, noise correction, shaping and group rules. Verdicts are made beforehand; counted is CPU time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from rewards.conditions import NOTHING_KNOWN
from rewards.judging import due
from rewards.learning import learn
from rewards.price import Member
from rewards.recipe import Recipe, parse_recipe
from rewards.settle import settle
from trueward.wire.sample import Sample, group_names
from trueward.wire.verdict import Verdict

SAMPLES = 1_024
GROUP = 16
WANTED_PER_S = 50_000
ADDED_S = 0.020
ROUNDS: dict[Form, int] = {"short": 1, "quick": 15, "long": 61}

_NOISE = {"false_positive": 0.05, "false_negative": 0.1}
RECIPES: dict[str, Mapping[str, object]] = {
    "one term": {"terms": ["math"]},
    "one term, corrected": {"terms": [{"verifier": "math", "noise": _NOISE}]},
    "three terms": {"terms": {"math": 1, "format": 0.1, "repetition": -0.5}, "shaping": [{"clip": [-1, 1]}]},
    "routes, gate, correction, group rules": {
        "routes": [
            {"when": {"data_source": "chat"}, "terms": ["format"]},
            {
                "when": {"data_source": "math"},
                "terms": [
                    {"verifier": "math", "noise": _NOISE},
                    {"verifier": "format", "weight": 0.1, "gate": "math"},
                    {"verifier": "repetition", "weight": -0.5},
                ],
            },
        ],
        "shaping": [{"overlong": {"limit": 4096, "cache": 1024}}],
        "group": {"rules": ["dynamic_sampling"]},
        "missing": "mean",
    },
    "by group: z-score": {"terms": ["math", "format"], "shaping": ["z_score"]},
}


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds of one request of 1,024 samples in groups of 16, and its verdicts."""

    recipe: str
    request_s: float
    verdicts: int

    @property
    def per_s(self) -> float:
        return self.verdicts / self.request_s


def samples(count: int) -> list[Sample]:
    return [
        Sample(id=str(index), prompt=f"p{index // GROUP}", response="r" * 400, tokens=900, data_source="math")
        for index in range(count)
    ]


def verdicts(recipe: Recipe, batch: Sequence[Sample]) -> list[dict[str, Verdict]]:
    """Right and wrong at random; whatever is due, until nothing is."""
    chance = random.Random(0)
    said: list[dict[str, Verdict]] = []
    for sample in batch:
        course = recipe.course_of(sample)
        assert course is not None, "every sample of this benchmark has a route"
        found: dict[str, Verdict] = {}
        while wanted := due(course, sample, found):
            for one in wanted:
                right = chance.random() < 0.5
                found[one.key] = Verdict.correct("equal") if right else Verdict.incorrect("unequal")
        said.append(found)
    return said


def request(recipe: Recipe, batch: Sequence[Sample], said: Sequence[Mapping[str, Verdict]]) -> None:
    """All that rewards add to a request whose verdicts are there."""
    groups: dict[str, list[Member]] = {}
    for name, sample, found in zip(group_names(batch), batch, said, strict=True):
        course = recipe.course_of(sample)
        assert course is not None, "every sample of this benchmark has a route"
        assert not due(course, sample, found), "every verdict is there"
        groups.setdefault(name, []).append(Member.of(recipe, course, sample, found, NOTHING_KNOWN))
    done = [(name, members, settle(recipe, name, members)) for name, members in groups.items()]
    learn(recipe, done, NOTHING_KNOWN)


def cost(name: str, rounds: int) -> Cost:
    recipe = parse_recipe(RECIPES[name])
    batch = samples(SAMPLES)
    said = verdicts(recipe, batch)
    times = []
    for _ in range(rounds):
        started = time.process_time()
        request(recipe, batch, said)
        times.append(time.process_time() - started)
    return Cost(name, median(times), sum(map(len, said)))


def aims(costs: Sequence[Cost]) -> list[Aim]:
    """The slowest recipe counts for both."""
    slowest = min(costs, key=lambda one: one.per_s)
    longest = max(costs, key=lambda one: one.request_s)
    limit = "the interpreter: calls grow with every term, gate, correction and rule"
    return [
        Aim(
            "verdicts combined a second",
            f"{WANTED_PER_S:,} on one core",
            f"{slowest.per_s:,.0f} ({slowest.recipe})",
            slowest.per_s >= WANTED_PER_S,
            limit,
        ),
        Aim(
            f"added to a request of {SAMPLES:,} samples, {GROUP} a group",
            f"under {ADDED_S * 1000:g} ms",
            f"{longest.request_s * 1000:.1f} ms ({longest.recipe})",
            longest.request_s < ADDED_S,
            limit,
        ),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("rewards", __doc__ or "", arguments)
    costs = [cost(name, ROUNDS[call.form]) for name in RECIPES]
    body = [[one.recipe, f"{one.per_s:,.0f}", f"{one.request_s * 1000:.1f}", f"{one.verdicts:,}"] for one in costs]
    rows("Rewards of one request", ["recipe", "verdicts a second", "ms a request", "verdicts"], body)
    found = aims(costs)
    show_aims(found)
    finish("rewards", call, {"costs": costs, "aims": found}, {})


if __name__ == "__main__":
    main()
