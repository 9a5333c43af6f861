"""How often verifiers are wrong on material that others made.

``python -m benchmarks.natural --data DIR [--part NAME] [--short | --long] [--failures FILE]``. DIR holds a file a part,
as ``docs/accuracy.md`` says. ``--failures`` writes what Trueward gets wrong, for development.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from audits.statistics.proportion import clopper_pearson
from benchmarks.contest import Case, Judged, judged
from benchmarks.natural.part import PARTS, Item, Part, part
from benchmarks.report import Form, called, finish, rows

ROWS: dict[Form, int | None] = {"short": 4, "quick": 300, "long": None}
WORKERS: dict[Form, int] = {"short": 1, "quick": 2, "long": 2}


@dataclass(frozen=True, slots=True)
class Rate:
    """``low`` and ``high`` are the exact 95% interval (Clopper and Pearson)."""

    count: int
    of: int
    low: float
    high: float

    @classmethod
    def of_all(cls, count: int, of: int) -> Rate:
        low, high = clopper_pearson(count, of)
        return cls(count, of, round(low, 5), round(high, 5))

    def __str__(self) -> str:
        if not self.of:
            return "none"
        share = f"{100 * self.count / self.of:.2f}% [{100 * self.low:.2f}, {100 * self.high:.2f}]"
        return f"{self.count:,} of {self.of:,}: {share}"


@dataclass(frozen=True, slots=True)
class Score:
    """``wrong_accepted``, ``right_rejected``: no verdict counts as neither; ``*_unanswered`` are those without."""

    wrong_accepted: Rate
    right_rejected: Rate
    wrong_unanswered: Rate
    right_unanswered: Rate

    @classmethod
    def of(cls, items: Sequence[Item], answers: Sequence[Judged]) -> Score:
        right = [each.accepted for item, each in zip(items, answers, strict=True) if item.right]
        wrong = [each.accepted for item, each in zip(items, answers, strict=True) if not item.right]
        return cls(
            Rate.of_all(wrong.count(True), len(wrong)),
            Rate.of_all(right.count(False), len(right)),
            Rate.of_all(wrong.count(None), len(wrong)),
            Rate.of_all(right.count(None), len(right)),
        )


@dataclass(frozen=True, slots=True)
class Contestant:
    """CPU in seconds an item; ``killed`` counts the items over which the process hung."""

    whole: Score
    families: Mapping[str, Score]
    cpu_p50_s: float
    cpu_p99_s: float
    killed: int


def main(arguments: Sequence[str] | None = None) -> None:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--data", type=Path, required=True)
    own.add_argument("--part", choices=list(PARTS), action="append")
    own.add_argument("--failures", type=Path)
    own.add_argument("--only-ours", action="store_true")
    options, rest = own.parse_known_args(arguments)
    call = called("natural", (__doc__ or "").partition("\n")[0], rest)
    document: dict[str, object] = {}
    wrong: list[str] = []
    for name in options.part or list(PARTS):
        one = part(name)
        lines = (options.data / one.file).read_text(encoding="utf-8").strip("\n").split("\n")
        made = one.items([json.loads(line) for line in spread(lines, ROWS[call.form])])
        asked = dict(list(one.contestants.items())[: 1 if options.only_ours else None])
        answers = {
            who: judged(judge, made_cases(made), made_cases(made[:2]), WORKERS[call.form])
            for who, judge in asked.items()
        }
        found = {who: scored(made, answers[who]) for who in asked}
        show(one, found)
        document[name] = {"labels": one.labels, "items": len(made), "contestants": found}
        if options.failures:
            ours = answers[next(iter(asked))]
            wrong += failures(made, ours)
            options.failures.write_text("".join(wrong), encoding="utf-8")
    finish("natural", call, {"parts": document}, {"every part has right and wrong items": bool(document)})


def spread(lines: Sequence[str], most: int | None) -> list[str]:
    """Evenly over the file, whose sources stand together."""
    return list(lines) if most is None or most >= len(lines) else [lines[n * len(lines) // most] for n in range(most)]


def made_cases(items: Sequence[Item]) -> list[Case]:
    return [item.case for item in items]


def scored(items: Sequence[Item], answers: Sequence[Judged]) -> Contestant:
    families: dict[str, list[tuple[Item, Judged]]] = {}
    for item, answer in zip(items, answers, strict=True):
        families.setdefault(("right: " if item.right else "wrong: ") + item.family, []).append((item, answer))
    p50, p99 = np.percentile([answer.cpu_s for answer in answers], [50, 99])
    return Contestant(
        Score.of(items, answers),
        {name: Score.of(*map(list, zip(*both, strict=True))) for name, both in sorted(families.items())},
        float(p50),
        float(p99),
        sum(answer.killed for answer in answers),
    )


def show(one: Part, found: Mapping[str, Contestant]) -> None:
    names = list(found)
    body = []
    for family in next(iter(found.values())).families:
        cells = [_cells(found[name].families[family], family) for name in names]
        body.append([family, *[cell for pair in zip(*cells, strict=True) for cell in pair]])
    whole = [(str(found[name].whole.wrong_accepted), str(found[name].whole.right_rejected)) for name in names]
    header = [f"{what}, {name}" for what in ("errors", "null") for name in names]
    rows(f"{one.name}: by family", ["family", *header], body)
    rows(
        f"{one.name}: whole",
        ["contestant", "wrong accepted", "right rejected", "wrong null", "right null", "CPU p50 ms", "p99 ms"],
        [
            [
                name, *pair, str(found[name].whole.wrong_unanswered), str(found[name].whole.right_unanswered),
                f"{1000 * found[name].cpu_p50_s:.2f}", f"{1000 * found[name].cpu_p99_s:.1f}",
            ]
            for name, pair in zip(names, whole, strict=True)
        ],
    )  # fmt: skip


def _cells(score: Score, family: str) -> tuple[str, str]:
    if family.startswith("right"):
        return _short(score.right_rejected), _short(score.right_unanswered)
    return _short(score.wrong_accepted), _short(score.wrong_unanswered)


def _short(rate: Rate) -> str:
    return f"{rate.count}/{rate.of}"


def failures(items: Sequence[Item], answers: Sequence[Judged]) -> list[str]:
    found = []
    for item, answer in zip(items, answers, strict=True):
        if answer.accepted is not item.right:
            case = {"response": item.case.response, "references": item.case.references}
            line = {
                "family": item.family,
                "right": item.right,
                "accepted": answer.accepted,
                "cpu_s": answer.cpu_s,
                **case,
            }
            found.append(json.dumps(line, ensure_ascii=False) + "\n")
    return found


if __name__ == "__main__":
    main()
