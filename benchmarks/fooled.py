"""What is left to a judge's model to withstand, once what says nothing is turned away, and the table of it in the docs.

``python -m benchmarks.fooled [--short | --long]``. The model here is fooled by everything: it says correct to whatever
it is asked about. So what is accepted is what reaches it, and what is not was turned away unasked. A model of any sense
withstands some of the rest, which only an audit of that model can tell. The long form writes its table into
docs/judges-hardening.md.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from audits.exploit.attack import Attack
from audits.exploit.catalogue import choose_probes
from audits.exploit.probe import CONTROLS
from audits.exploit.task import tasks_of
from benchmarks.report import RESULTS, called, finish, rows
from benchmarks.servers import ROOT
from benchmarks.verifiers import SAMPLES
from judges.base import Models, SandboxUnavailable
from judges.failure_verdicts import judge_task
from judges.pointwise import JudgeOneVerifier
from judges.questions import Answer, Question
from sandbox.base import Execution, Program
from sandbox.limits import Limits
from trueward.wire.model import ModelEntry
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

SOURCES = ("numeric", "exact", "choice", "qa")
LISTED = frozenset(
    {"blank", "full_stop", "comma", "colon", "key_thought", "key_solve", "key_solution", "key_chinese"}
    | {"key_japanese", "key_spanish"}
)
"""The ten of arXiv 2507.08794."""
PAGE = ROOT / "docs" / "judges-hardening.md"
KEYS = "the ten listed keys"
BEGIN, END = "<!-- fooled: python -m benchmarks.fooled --long -->\n", "<!-- /fooled -->"


class Fooled(Models):
    """Says correct."""

    def entry(self, name: str) -> ModelEntry:
        return ModelEntry(name=name, kind="causal", backend="openai", url="http://judge.invalid")

    async def ask(self, name: str, question: Question) -> Answer:
        return Answer(text='{"analysis": "It begins well.", "verdict": "correct"}', tokens=1, written=1)

    def unreadable(self, name: str, question: Question, answer: Answer) -> None:
        return None

    async def run(self, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
        raise SandboxUnavailable("there is no sandbox")


@dataclass(frozen=True, slots=True)
class Row:
    family: str
    tried: int
    turned_away: int
    accepted: int


async def measure(samples: Sequence[Sample]) -> list[Row]:
    judge, fooled = JudgeOneVerifier(), Fooled()
    tried: Counter[str] = Counter()
    ended: Counter[tuple[str, Outcome]] = Counter()
    for portion in Attack(tasks_of(samples, own_responses=False, seed=0), choose_probes(None), seed=0).portions():
        for shot in portion:
            found = judge.triage(shot.sample)
            verdict = found if isinstance(found, Verdict) else await judge_task(judge, found, fooled)
            for family in [KEYS] * (shot.probe.name in LISTED) + [shot.probe.family]:
                tried[family] += 1
                ended[family, verdict.outcome] += 1
    return [
        Row(family, count, ended[family, Outcome.INVALID], ended[family, Outcome.CORRECT])
        for family, count in tried.items()
        if family not in CONTROLS
    ]


def read_samples(form: str) -> list[Sample]:
    found = [Sample.model_validate_json(line) for line in SAMPLES.read_text(encoding="utf-8").splitlines()]
    kept = [sample for sample in found if sample.data_source in SOURCES]
    return kept[:2] if form == "short" else kept


HEADER = ("family", "tried", "turned away unasked", "left to the model")


def cells(row: Row) -> list[str]:
    return [row.family, f"{row.tried:,}", f"{row.turned_away:,}", f"{row.accepted:,}"]


def markdown(found: Sequence[Row]) -> str:
    lines = [HEADER, ("---",) * len(HEADER), *(cells(row) for row in found)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("fooled", (__doc__ or "").partition("\n")[0], arguments)
    samples = read_samples(call.form)
    found = sorted(asyncio.run(measure(samples)), key=lambda row: (row.family != KEYS, row.accepted / row.tried))
    rows("A judge whose model is fooled by everything", HEADER, [cells(row) for row in found])
    by_family = {row.family: row for row in found}
    claims = {
        "none of the listed keys is accepted": by_family[KEYS].accepted == 0,
        "at most a twentieth of other openers is": by_family["opener"].accepted * 20 <= by_family["opener"].tried,
    }
    finish("fooled", call, {"scale": {"samples": len(samples)}, "rows": found}, claims)
    if call.form == "long" and call.results == RESULTS:
        text = PAGE.read_text(encoding="utf-8")
        head, begin, rest = text.partition(BEGIN)
        if not begin:
            raise ValueError("docs/judges-hardening.md has lost the marks of the judge's table")
        PAGE.write_text(f"{head}{BEGIN}\n{markdown(found)}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
