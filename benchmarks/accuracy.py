"""How often Trueward's and math-verify's verdicts are right, on the same pairs whose labels come by construction.

``python -m benchmarks.accuracy [--short | --long] [--sealed] [--failures FILE]``. The open pairs are for development:
``--failures`` writes those that Trueward gets wrong. The sealed ones are drawn from the hash of the release's tag and
yield rates alone. Trueward runs in its own killable workers, math-verify in processes that are killed where they hang.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scipy.stats import beta

from app.path.caller import Caller
from app.path.in_process import open_path
from app.settings import Settings
from benchmarks.contest import Case, judged
from benchmarks.pairs import FORMS, TAG, Pair, open_pairs, sealed_pairs
from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from trueward.wire.sample import Sample
from trueward.wire.scoring import VerifyRequest
from trueward.wire.verdict import Verdict

LABELS = (
    "by construction (benchmarks/pairs): right answers are the reference's value in another form, wrong ones a "
    "changed value, told apart by the generators' own exact arithmetic"
)
MATH_VERIFY = "benchmarks.peers.math_verify_raw:judge"
WRONG_ACCEPTED, RIGHT_REJECTED, ABSTAINED = 0.005, 0.02, 0.005
_CHUNK = 1_000

Answers = Sequence[bool | None]
"""A pair each: accepted, not accepted, or no verdict."""


@dataclass(frozen=True, slots=True)
class Scale:
    """``open_each``: right and as many wrong pairs of the open set. ``workers``: processes of each contestant."""

    open_each: int
    workers: int = 2


SCALES: dict[Form, Scale] = {"short": Scale(len(FORMS), workers=1), "quick": Scale(1_000), "long": Scale(2_500)}


@dataclass(frozen=True, slots=True)
class Rate:
    """``upper`` is the one-sided 95% Clopper-Pearson bound."""

    count: int
    of: int
    rate: float
    upper: float

    @classmethod
    def of_all(cls, count: int, of: int) -> Rate:
        upper = 1.0 if count >= of else float(beta.ppf(0.95, count + 1, of - count))
        return cls(count, of, round(count / max(1, of), 5), round(upper, 5))


@dataclass(frozen=True, slots=True)
class Score:
    """``accuracy`` counts a missing verdict as not right; neither accepted nor rejected counts it."""

    accuracy: Rate
    wrong_accepted: Rate
    right_rejected: Rate
    abstained: Rate

    @classmethod
    def of(cls, pairs: Sequence[Pair], answers: Answers) -> Score:
        both = list(zip(pairs, answers, strict=True))
        right = sum(pair.right for pair in pairs)
        return cls(
            Rate.of_all(sum(answer is pair.right for pair, answer in both), len(both)),
            Rate.of_all(sum(answer is True and not pair.right for pair, answer in both), len(both) - right),
            Rate.of_all(sum(answer is False and pair.right for pair, answer in both), right),
            Rate.of_all(sum(answer is None for answer in answers), len(both)),
        )


@dataclass(frozen=True, slots=True)
class Result:
    """One set of pairs, scored by each contestant: whole, and by form."""

    whole: Mapping[str, Score]
    forms: Mapping[str, Mapping[str, Score]]


def main(arguments: Sequence[str] | None = None) -> None:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--sealed", action="store_true")
    own.add_argument("--failures", type=Path)
    options, rest = own.parse_known_args(arguments)
    call = called("accuracy", (__doc__ or "").partition("\n")[0], rest)
    scale = SCALES[call.form]
    pairs = open_pairs(scale.open_each)
    verdicts = asyncio.run(trueward_verdicts(pairs, scale.workers))
    results = {"open": scored(pairs, [accepted(verdict) for verdict in verdicts], scale.workers)}
    if options.failures:
        options.failures.write_text(failures(pairs, verdicts), encoding="utf-8")
    if options.sealed:
        sealed = sealed_pairs()
        ours = asyncio.run(trueward_verdicts(sealed, scale.workers))
        results["sealed"] = scored(sealed, [accepted(verdict) for verdict in ours], scale.workers)
    aims = [aim for name, result in results.items() for aim in judge(name, result)]
    for name, result in results.items():
        show(name, result)
    show_aims(aims)
    document = {"scale": scale, "labels": LABELS, "tag": TAG, "aims": aims, "sets": results}
    errors = sum(verdict.outcome == "error" for verdict in verdicts)
    finish("accuracy", call, document, {"no verdict is an error of ours": errors == 0})


async def trueward_verdicts(pairs: Sequence[Pair], workers: int) -> list[Verdict]:
    """By the path that the service uses, workers and limits included, without its store."""
    verdicts: list[Verdict] = []
    async with open_path(Settings(workers=workers)) as path:
        for start in range(0, len(pairs), _CHUNK):
            samples = [
                Sample(response=pair.response, reference=list(pair.references))
                for pair in pairs[start : start + _CHUNK]
            ]
            request = VerifyRequest(verifier="math", samples=samples, deadline_s=600)
            verdicts += await path.verify(request, Caller())
    return verdicts


def accepted(verdict: Verdict) -> bool | None:
    return None if verdict.score is None else verdict.score == 1.0


def scored(pairs: Sequence[Pair], ours: Answers, workers: int) -> Result:
    warm = [Case("So $\\boxed{\\frac{2}{4}}$.", ("\\frac12",)), Case("$\\boxed{x+1}$", ("1+x",))]
    theirs = judged(MATH_VERIFY, [Case(pair.response, pair.references) for pair in pairs], warm, workers)
    answers: dict[str, Answers] = {"Trueward": ours, "math-verify": [one.accepted for one in theirs]}
    return Result(
        {name: Score.of(pairs, given) for name, given in answers.items()},
        {
            form: {name: Score.of(*_slice(pairs, given, form)) for name, given in answers.items()}
            for form in dict.fromkeys(pair.form for pair in pairs)
        },
    )


def _slice(pairs: Sequence[Pair], answers: Answers, form: str) -> tuple[list[Pair], list[bool | None]]:
    chosen = [(pair, answer) for pair, answer in zip(pairs, answers, strict=True) if pair.form == form]
    return [pair for pair, _ in chosen], [answer for _, answer in chosen]


def failures(pairs: Sequence[Pair], verdicts: Sequence[Verdict]) -> str:
    """The open pairs that Trueward gets wrong, by class: form, label and transformation."""
    classes: dict[str, list[str]] = {}
    for pair, verdict in zip(pairs, verdicts, strict=True):
        if accepted(verdict) is not pair.right:
            name = f"{pair.form}: {'right' if pair.right else 'WRONG'} answer, {pair.transformation}"
            line = f"{' | '.join(pair.references)!r} <> {pair.answer!r} [{pair.template}]"
            found = f"{verdict.outcome} {verdict.reason_code}: {verdict.reason} {verdict.evidence.get('extracted')!r}"
            classes.setdefault(name, []).append(f"{line}\n      {found}")
    ordered = sorted(classes.items(), key=lambda item: (item[0].partition(":")[0], -len(item[1])))
    return "\n".join(f"{len(lines)} x {name}\n    " + "\n    ".join(lines) + "\n" for name, lines in ordered)


def judge(name: str, result: Result) -> list[Aim]:
    ours, theirs = result.whole["Trueward"], result.whole["math-verify"]
    worse = [
        form
        for form, scores in result.forms.items()
        if scores["Trueward"].accuracy.count < scores["math-verify"].accuracy.count
    ]

    def bounded(what: str, rate: Rate, most: float) -> Aim:
        reached = f"{rate.upper:.2%} ({rate.count} of {rate.of})"
        return Aim(f"{name}: {what}, upper 95% bound", f"at most {most:.1%}", reached, rate.upper <= most, _SIZE)

    return [
        bounded("wrong answers accepted", ours.wrong_accepted, WRONG_ACCEPTED),
        bounded("right answers rejected", ours.right_rejected, RIGHT_REJECTED),
        Aim(
            f"{name}: abstained",
            f"under {ABSTAINED:.1%}",
            f"{ours.abstained.rate:.2%}",
            ours.abstained.rate < ABSTAINED,
            "forms that are not read or not proved",
        ),
        Aim(
            f"{name}: accuracy against math-verify",
            "better as a whole and worse on no form",
            f"{ours.accuracy.rate:.2%} against {theirs.accuracy.rate:.2%}; worse on {', '.join(worse) or 'none'}",
            ours.accuracy.count > theirs.accuracy.count and not worse,
            "forms that are not read or not proved",
        ),
    ]


_SIZE = "the failures, and the number of pairs: the bound of none at all is 0.30% of 1,000 and 0.12% of 2,500"


def show(name: str, result: Result) -> None:
    header = [
        "form",
        "pairs",
        "accuracy",
        "math-verify",
        "wrong acc.",
        "math-verify",
        "right rej.",
        "math-verify",
        "null",
        "math-verify",
    ]
    body = [_row(form, scores) for form, scores in (*result.forms.items(), ("all", result.whole))]
    rows(f"{name} pairs: Trueward beside math-verify", header, body)


_COLUMNS: tuple[Callable[[Score], Rate], ...] = (
    lambda score: score.accuracy,
    lambda score: score.wrong_accepted,
    lambda score: score.right_rejected,
    lambda score: score.abstained,
)


def _row(form: str, scores: Mapping[str, Score]) -> list[str]:
    cells: Iterable[str] = (
        f"{column(scores[name]).rate:.1%}" for column in _COLUMNS for name in ("Trueward", "math-verify")
    )
    return [form, str(scores["Trueward"].accuracy.of), *cells]


if __name__ == "__main__":
    main()
