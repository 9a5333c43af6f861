"""The shipped batch: read, scored through the client, shown in a table.

Its labels are its author's: disagreements are cases to look at, no rate.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue
from rich.table import Table

from trueward import Client, Outcome, Sample, Verdict

BATCH = Path(__file__).parents[2] / "examples" / "demo_batch.jsonl"
RUN = "demo"


@dataclass(frozen=True, slots=True)
class DemoCase:
    """One response of the batch; ``right`` is what its author says of it."""

    verifier: str
    params: dict[str, JsonValue]
    sample: Sample
    right: bool


@dataclass(frozen=True, slots=True)
class ScoredCase:
    """A case with its verdict and its seconds over the wire."""

    case: DemoCase
    verdict: Verdict
    elapsed_s: float

    @property
    def differs(self) -> bool:
        return (self.verdict.outcome is Outcome.CORRECT) != self.case.right


def read_batch(path: Path = BATCH) -> list[DemoCase]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    return [
        DemoCase(
            line["verifier"], line.get("params", {}), Sample.model_validate(line["sample"]), line["label"] == "right"
        )
        for line in lines
    ]


def score(client: Client, cases: list[DemoCase]) -> dict[str, list[ScoredCase]]:
    """Each case with its verdict, by verifier; one request a case."""
    scored: dict[str, list[ScoredCase]] = defaultdict(list)
    for case in cases:
        start = time.perf_counter()
        [verdict] = client.verify([case.sample], verifier=case.verifier, params=case.params, run=RUN)
        scored[case.verifier].append(ScoredCase(case, verdict, time.perf_counter() - start))
    return dict(scored)


def table(scored: dict[str, list[ScoredCase]]) -> Table:
    shown = Table(title="Verdicts by verifier (p50 and p99: one request a response, from the client)")
    for heading in ("verifier", "responses", "accepted", "rejected", "invalid", "no verdict", "p50", "p99"):
        shown.add_column(heading, justify="left" if heading == "verifier" else "right")
    for verifier, rows in sorted(scored.items()):
        outcomes = [row.verdict.outcome for row in rows]
        seconds = sorted(row.elapsed_s for row in rows)
        shown.add_row(
            verifier,
            str(len(rows)),
            _share(sum(outcome is Outcome.CORRECT for outcome in outcomes), len(rows)),
            _share(sum(outcome in (Outcome.INCORRECT, Outcome.PARTIAL) for outcome in outcomes), len(rows)),
            _share(sum(outcome is Outcome.INVALID for outcome in outcomes), len(rows)),
            _share(sum(outcome.missing for outcome in outcomes), len(rows)),
            _milliseconds(_quantile(seconds, 0.5)),
            _milliseconds(_quantile(seconds, 0.99)),
        )
    return shown


def _share(count: int, total: int) -> str:
    return f"{count} ({100 * count / total:.1f}%)"


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"


def _quantile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
