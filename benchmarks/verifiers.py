"""Label-free audits of every verifier that plain samples suit, by a service, and the table of them in the docs.

``python -m benchmarks.verifiers [--short | --long]`` audits with rewrites of references (metamorphic) and with hostile
answers (exploit): the samples of ``examples/audits``, and in the long form references of ``benchmarks/pairs`` beside
them. The long form writes its table into docs/benchmarks.md, between two marks; a test holds the two together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import servers
from benchmarks.pairs import open_pairs
from benchmarks.report import RESULTS, Form, called, finish, rows
from benchmarks.servers import ROOT
from trueward import Client, Sample
from trueward.wire.audit import Audit, Estimate, ExploitAudit, GivenSamples, MetamorphicAudit, Subject

SAMPLES = ROOT / "examples" / "audits" / "samples.jsonl"
PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- verifiers: python -m benchmarks.verifiers --long -->\n", "<!-- /verifiers -->"
REFERENCES: dict[Form, int] = {"short": 0, "quick": 40, "long": 400}
"""Further references for ``math``, drawn by construction."""

SHORT = ("choice", "numeric")
_TIMEOUT_S = 1800.0


@dataclass(frozen=True, slots=True)
class Rate:
    """``upper`` is the upper end of Clopper and Pearson's 95% interval. All None where there was nothing to try."""

    errors: float | None
    items: float | None
    upper: float | None

    @classmethod
    def of(cls, estimates: Sequence[Estimate]) -> Rate:
        found = next((each for each in estimates if each.method == "clopper_pearson" and each.interval), None)
        if found is None or found.interval is None:
            return cls(None, None, None)
        return cls(found.errors, found.items, found.interval[1])

    def __str__(self) -> str:
        if self.items is None or self.errors is None or self.upper is None:
            return ""
        return f"{self.errors:,.0f} of {self.items:,.0f} ({100 * self.upper:.1f}%)"


@dataclass(frozen=True, slots=True)
class Row:
    """What the audits of one verifier found; ``why`` an audit was not possible."""

    verifier: str
    samples: int
    rewrites_rejected: Rate
    mutations_accepted: Rate
    hostile_accepted: Rate
    why: str


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("verifiers", (__doc__ or "").partition("\n")[0], arguments)
    samples = read_samples(call.form)
    found = []
    with servers.trueward() as server, Client(server.url) as client:
        for verifier, given in samples.items():
            found.append(audited(client, verifier, given))
            print(*cells(found[-1]), sep="  ", flush=True)
    rows("audits without labels: errors of items (upper end)", HEADER, [cells(row) for row in found])
    document = {"scale": {"references": REFERENCES[call.form]}, "rows": found}
    finish("verifiers", call, document, {"every audit ended": all("bug" not in row.why for row in found)})
    if call.form == "long" and call.results == RESULTS:
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), markdown(found)), encoding="utf-8")


def read_samples(form: Form) -> dict[str, list[Sample]]:
    """By verifier, which is the samples' data source."""
    found: dict[str, list[Sample]] = {}
    for line in SAMPLES.read_text(encoding="utf-8").splitlines():
        sample = Sample.model_validate_json(line)
        if form != "short" or sample.data_source in SHORT:
            found.setdefault(sample.data_source or "", []).append(sample)
    pairs = open_pairs(max(1, REFERENCES[form])) if REFERENCES[form] else []
    references = dict.fromkeys(pair.references[0] for pair in pairs)
    if references:
        found["math"] += [
            Sample(prompt=f"Problem {number}.", reference=reference, data_source="math")
            for number, reference in enumerate(references)
        ]
    return found


def audited(client: Client, verifier: str, samples: Sequence[Sample]) -> Row:
    subject, given = Subject(verifier=verifier), GivenSamples(samples=list(samples))
    started = [
        client.start_audit(spec)
        for spec in (MetamorphicAudit(subject=subject, given=given), ExploitAudit(subject=subject, given=given))
    ]
    metamorphic, exploit = (client.wait_for_audit(audit.id, _TIMEOUT_S) for audit in started)
    return Row(
        verifier,
        len(samples),
        Rate.of(metamorphic.report.false_negatives if metamorphic.report else ()),
        Rate.of(metamorphic.report.false_positives if metamorphic.report else ()),
        Rate.of(exploit.report.false_positives if exploit.report else ()),
        " ".join(_why(audit) for audit in (metamorphic, exploit) if audit.failure),
    )


def _why(audit: Audit) -> str:
    return f"{audit.spec.kind}: {audit.failure}"


HEADER = ("verifier", "samples", "rewrites rejected", "mutations accepted", "hostile answers accepted")


def cells(row: Row) -> list[str]:
    rates = (row.rewrites_rejected, row.mutations_accepted, row.hostile_accepted)
    return [row.verifier, f"{row.samples:,}", *(str(rate) or "none" for rate in rates)]


def markdown(found: Sequence[Row]) -> str:
    lines = [HEADER, ("---",) * len(HEADER), *(cells(row) for row in found)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def with_table(text: str, table: str) -> str:
    """The page with the table between its marks. Raises ValueError where they are missing."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise ValueError("docs/benchmarks.md has lost the marks of the verifiers' table")
    return f"{head}{BEGIN}\n{table}\n{END}{tail}"


def stored(path: Path = RESULTS / "verifiers.json") -> list[Row]:
    """The rows of the last long run."""

    def rate(body: Mapping[str, float | None]) -> Rate:
        return Rate(body["errors"], body["items"], body["upper"])

    names = ("rewrites_rejected", "mutations_accepted", "hostile_accepted")
    return [
        Row(**{**row, **{name: rate(row[name]) for name in names}})
        for row in json.loads(path.read_text(encoding="utf-8"))["rows"]
    ]


if __name__ == "__main__":
    main()
