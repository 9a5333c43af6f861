"""What a mathematical verdict costs in CPU: Trueward's verifier beside raw math-verify, same cases, same processes.

``python -m benchmarks.math [--short | --long]``. Both judge one item at a time, whole, in worker processes that are
warm: extraction, parsing and proof, without HTTP, queue or store. ``cold``: items that the process has not seen;
``again``: the same items once more, as when a trainer's group shares a reference. CPU seconds are those of the worker
over the item, so a busy machine disturbs them little; contestants take turns and the medians over the rounds count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from statistics import median

import numpy as np

from benchmarks.contest import Case, Judged, judged
from benchmarks.corpus import SYMBOLIC_SHARE, corpus
from benchmarks.pairs import FORMS, open_pairs
from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from trueward.wire.sample import Sample
from verifiers.math import MathVerifier

CONTESTANTS = {"Trueward": "benchmarks.math:trueward", "math-verify": "benchmarks.peers.math_verify_raw:judge"}

FASTER_SIMPLE, FASTER_MIX, SLOWEST = 10.0, 5.0, 0.9
MIX_P99_S = 0.04


@dataclass(frozen=True, slots=True)
class Scale:
    """Items of each load, a multiple of ``workers``; right and as many wrong pairs for the rates by form.

    ``warm``: right and as many wrong pairs before; ``workers``: processes of each contestant.
    """

    rounds: int
    simple: int
    mix: int
    symbolic: int
    pairs: int
    warm: int = len(FORMS)
    workers: int = 2


SCALES: dict[Form, Scale] = {
    "short": Scale(rounds=1, simple=10, mix=10, symbolic=4, pairs=len(FORMS), warm=2, workers=1),
    "quick": Scale(rounds=1, simple=600, mix=800, symbolic=200, pairs=400),
    "long": Scale(rounds=3, simple=3_000, mix=3_000, symbolic=800, pairs=1_600),
}


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a stretch of items: rate in items per CPU second, seconds of CPU per item, the share without an answer."""

    items: int
    per_cpu_s: float
    p50_s: float
    p99_s: float
    unanswered: float

    @classmethod
    def of(cls, answers: Sequence[Judged]) -> Cost:
        seconds = [answer.cpu_s for answer in answers]
        p50, p99 = np.percentile(seconds, [50, 99])
        missing = sum(answer.accepted is None for answer in answers)
        return cls(len(seconds), len(seconds) / sum(seconds), float(p50), float(p99), round(missing / len(seconds), 4))


Costs = dict[str, dict[str, list[Cost]]]
"""By load and contestant, one a round."""


@cache
def _verifier() -> MathVerifier:
    return MathVerifier()


def trueward(response: str, references: Sequence[str]) -> bool | None:
    """One item by Trueward's verifier, all stages in this process."""
    (verdict,) = _verifier().verify([Sample(response=response, reference=list(references))])
    return None if verdict.score is None else verdict.score == 1.0


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("math", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    costs: Costs = {}
    faults = 0
    for number in range(scale.rounds):
        stretches = [*_loads(scale, number), *_forms(scale)]
        for contestant in CONTESTANTS:
            answers = iter(_run(contestant, [case for stretch in stretches for case in stretch.cases], scale))
            for stretch in stretches:
                given = list(islice(answers, len(stretch.cases)))
                costs.setdefault(stretch.name, {}).setdefault(contestant, []).append(Cost.of(given))
                if contestant == "Trueward":
                    faults += sum(one.accepted is not label for one, label in zip(given, stretch.labels, strict=False))
    aims = judge(costs)
    _show(costs)
    show_aims(aims)
    document = {
        "scale": scale,
        "symbolic_share": SYMBOLIC_SHARE,
        "aims": aims,
        "ratios": {load: ratio(costs, load) for load in costs},
        "costs": costs,
    }
    finish("math", call, document, {"Trueward judges every item of the loads as its construction says": faults == 0})


@dataclass(frozen=True, slots=True)
class Stretch:
    """Cases in a row whose cost is told apart; no labels where accuracy is another benchmark's matter."""

    name: str
    cases: Sequence[Case]
    labels: Sequence[bool] = ()


def _loads(scale: Scale, number: int) -> Iterator[Stretch]:
    shares = (("simple", scale.simple, 0.0), ("mix", scale.mix, SYMBOLIC_SHARE), ("symbolic", scale.symbolic, 1.0))
    for name, count, share in shares:
        items = list(corpus(count, seed=100 + number, symbolic_share=share))
        cases, labels = [Case(item.response, (item.reference,)) for item in items], [item.correct for item in items]
        yield Stretch(f"{name}, cold", cases, labels)
        yield Stretch(f"{name}, again", cases, labels)


def _forms(scale: Scale) -> Iterator[Stretch]:
    """Each form of the open pairs is a class of its own."""
    pairs = open_pairs(scale.pairs)
    for form in dict.fromkeys(pair.form for pair in pairs):
        yield Stretch(f"pairs: {form}", [Case(pair.response, pair.references) for pair in pairs if pair.form == form])


def _run(contestant: str, cases: Sequence[Case], scale: Scale) -> list[Judged]:
    """Warmed by the last pairs of the open set, which no load reaches; 39 of each label are one of each form."""
    warm = [Case(pair.response, pair.references) for pair in open_pairs()[-2 * scale.warm :]]
    return judged(CONTESTANTS[contestant], cases, warm, scale.workers)


def ratio(costs: Costs, load: str) -> float:
    """Trueward's rate over math-verify's, the median over the rounds."""
    ours, theirs = costs[load]["Trueward"], costs[load]["math-verify"]
    return round(median(a.per_cpu_s / b.per_cpu_s for a, b in zip(ours, theirs, strict=True)), 2)


def _middle(costs: Mapping[str, Sequence[Cost]], contestant: str, of: Callable[[Cost], float]) -> float:
    return median(of(cost) for cost in costs[contestant])


def judge(costs: Costs) -> list[Aim]:
    def faster(load: str, least: float) -> Aim:
        reached = {pass_: ratio(costs, f"{load}, {pass_}") for pass_ in ("cold", "again")}
        ours, theirs = (_middle(costs[f"{load}, cold"], name, lambda cost: cost.per_cpu_s) for name in CONTESTANTS)
        text = f"{reached['cold']:.1f} times ({ours:,.0f} against {theirs:,.0f} cold), {reached['again']:.1f} again"
        return Aim(
            f"items a CPU second, {load}", f"at least {least:g} times", text, reached["cold"] >= least, _dearest(costs)
        )

    p99_s = _middle(costs["mix, cold"], "Trueward", lambda cost: cost.p99_s)
    theirs_s = _middle(costs["mix, cold"], "math-verify", lambda cost: cost.p99_s)
    classes = {load: ratio(costs, load) for load in costs if not load.endswith("again")}
    slowest = min(classes, key=lambda load: classes[load])
    return [
        faster("simple", FASTER_SIMPLE),
        faster("mix", FASTER_MIX),
        Aim(
            "p99 of CPU per item, mix",
            f"under {MIX_P99_S * 1e3:.0f} ms",
            f"{p99_s * 1e3:.1f} ms (math-verify {theirs_s * 1e3:.1f})",
            p99_s < MIX_P99_S,
            _dearest(costs),
        ),
        Aim(
            "slowest class against math-verify",
            f"at least {SLOWEST:g} of its rate",
            f"{classes[slowest]:.2f} times on {slowest}",
            classes[slowest] >= SLOWEST,
            _dearest(costs),
        ),
    ]


def _dearest(costs: Costs) -> str:
    """Which forms take Trueward's time."""
    forms = [load for load in costs if load.startswith("pairs")]
    dear = sorted(forms, key=lambda load: _middle(costs[load], "Trueward", lambda cost: cost.per_cpu_s))[:3]
    return "what goes to the algebra system; dearest: " + ", ".join(load.removeprefix("pairs: ") for load in dear)


def _show(costs: Costs) -> None:
    body = []
    for load, by in costs.items():
        numbers = [f"{ratio(costs, load):.1f}"]
        for of, form in _COLUMNS:
            numbers += [form.format(_middle(by, name, of)) for name in CONTESTANTS]
        body.append([load, *numbers])
    header = ["load", "ratio"] + [f"{what}{name}" for what in ("", "p50 ", "p99 ") for name in ("ours", "math-verify")]
    rows("Items per CPU second, and milliseconds of CPU per item", header, body)


_COLUMNS: tuple[tuple[Callable[[Cost], float], str], ...] = (
    (lambda cost: cost.per_cpu_s, "{:,.0f}"),
    (lambda cost: cost.p50_s * 1e3, "{:.2f}"),
    (lambda cost: cost.p99_s * 1e3, "{:.1f}"),
)


if __name__ == "__main__":
    main()
