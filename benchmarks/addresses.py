"""The addresses of the pages that are timed, and what in the ledger they name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PAGES: Mapping[str, str] = {
    "start": "/ui/",
    "playground": "/ui/playground",
    "overview": "/ui/overview",
    "catalogue": "/ui/catalogue",
    "runs": "/ui/runs",
    "runs, by their reward": "/ui/runs?sort=reward",
    "an old run": "/ui/runs/{run}",
    "an old run, since a step": "/ui/runs/{run}?since={step}",
    "the newest run": "/ui/runs/{newest}",
    "recipes": "/ui/recipes",
    "a recipe": "/ui/recipes/math",
    "labels": "/ui/labels",
    "audits": "/ui/audits",
    "a verifier's audits": "/ui/audits?subject=math&judge=verifier%3Amath",
    "comparisons": "/ui/compare",
    "ledger, newest": "/ui/ledger",
    "ledger, far back": "/ui/ledger?after={old}",
    "ledger, newer again": "/ui/ledger?before={old}",
    "ledger, an old run": "/ui/ledger?run={run}",
    "ledger, an old run's step": "/ui/ledger?run={run}&step={step}",
    "ledger, steps of an old run": "/ui/ledger?run={run}&step={step}-{step}",
    "ledger, all steps of an old run": "/ui/ledger?run={run}&step=0-",
    "ledger, the oldest": "/ui/ledger?order=oldest",
    "ledger, an old group": "/ui/ledger?group={group}",
    "ledger, a rare outcome": "/ui/ledger?outcome=timeout",
    "ledger, a rare outcome of an old run": "/ui/ledger?run={run}&outcome=timeout",
    "ledger, a rare reason": "/ui/ledger?reason_code=rare_{reason}",
    "ledger, an old policy": "/ui/ledger?policy={policy}",
    "ledger, scores that none has": "/ui/ledger?verifier=math&score_min=0.4&score_max=0.6",
    "ledger, since and until": "/ui/ledger?since=2026-01-03T00:00:00&until=2026-01-03T01:00:00",
    "ledger, a verifier's last minutes": "/ui/ledger?verifier=math&since=2026-01-10T23:55:00",
    "ledger, an old run's last minutes": "/ui/ledger?run={run}&since=2026-01-02T23:55:00",
    "ledger, a common word": "/ui/ledger?text=and+so",
    "ledger, a word that none has": "/ui/ledger?text=nowhere",
    "ledger, a word in an old group": "/ui/ledger?group={group}&text=response",
    "ledger, rewards": "/ui/ledger?kind=reward",
    "ledger, rewards of a recipe": "/ui/ledger?kind=reward&recipe=math",
    "sample of a verdict": "/ui/ledger/{verdict}",
    "sample of a reward": "/ui/ledger/{reward}",
}
"""What is asked; names in braces are those of :class:`Places`."""


@dataclass(frozen=True, slots=True)
class Places:
    """What in the ledger the addresses name."""

    old: str
    verdict: str
    reward: str
    run: str
    newest: str
    step: int
    group: str
    policy: str
    reason: int
