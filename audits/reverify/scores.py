"""Scores, or rewards, then and now: how many are missing, their means, distance and order within the groups."""

from __future__ import annotations

import numpy as np
from pydantic import JsonValue

from audits.cells import cell, cells
from audits.reverify.comparison import Compared
from audits.statistics.arrays import Floats
from audits.statistics.distance import reward_distance
from audits.statistics.ranking import Jitter, rank_agreement, weight_jitter
from rewards.recipe import Recipe
from trueward.wire.audit import Cell, Table


def score_findings(found: Compared) -> dict[str, JsonValue]:
    """Means are over the samples that have a score both times."""
    scored = found.scored
    first, second, groups = found.score_before[scored], found.score_after[scored], found.groups[scored]
    ranks = rank_agreement(first, second, groups)
    return {
        "scored": int(scored.sum()),
        "missing": {"before": _missing(found.score_before), "after": _missing(found.score_after)},
        "mean": {"before": _mean(first), "after": _mean(second)},
        "distance": reward_distance(first, second, groups),
        "kendall_tau": ranks.mean,
        "groups": len(ranks.taus),
        "groups_with_an_order": int(np.count_nonzero(~np.isnan(ranks.taus))),
    }


def score_table(findings: dict[str, JsonValue]) -> Table:
    rows: list[list[Cell]] = [[name, *cells(findings[name], "before", "after")] for name in ("missing", "mean")]
    rows += [[name, None, cell(findings[name])] for name in ("distance", "kendall_tau")]
    return Table(
        title="Scores",
        columns=["what", "before", "after"],
        rows=rows,
        note="missing: share without a score. distance: 0 the same but for shift and scale, 1 opposite, after centring "
        "by group. kendall_tau: mean over the groups in which both tell responses apart, 1 the same order.",
    )


def jitter(found: Compared, recipe: Recipe, seed: int) -> tuple[Jitter | None, str]:
    """How firm the best response of each group is when the weights move by up to a tenth, and what to hold against it.

    None, and why, where the recipe is no weighted sum of several terms. A term behind a shut gate adds nothing.
    """
    if len(recipe.all_courses) != 1:
        return None, "the weights were not jittered: the recipe has several routes"
    [course] = recipe.all_courses
    if not course.combine.additive or len(course.paid) < 2:
        return None, "the weights were not jittered: the recipe is no weighted sum of several terms"
    places = [place for place, one in enumerate(found.now) if one.score is not None]
    parts = [[found.now[place].components.get(term.name) or 0.0 for term in course.paid] for place in places]
    weights = [term.weight_at(None) for term in course.paid]
    shaped = "; shaping is left out of it" if course.shaping else ""
    if not parts:
        return Jitter(None, None, 0), "no reward to jitter the weights of"
    return weight_jitter(
        parts, weights, found.groups[places], seed=seed
    ), f"the jitter is that of terms' scores{shaped}"


def _missing(scores: Floats) -> float | None:
    return float(np.isnan(scores).mean()) if len(scores) else None


def _mean(scores: Floats) -> float | None:
    return float(scores.mean()) if len(scores) else None
