"""Effect 1: a verifier whose false positives are frequent in one form of an answer, which the policy may choose.

Main arms. In the form with a plus half of the wrong answers are accepted, in the plain form one in fifty. Predicted:
raw rewards, centred or divided by the group's spread, drive the policy into the form with the plus; rewards that are
corrected backward with the rates of each form, taken from an audit, end with a higher true accuracy than raw ones.

Control arms. Rates are equal in both forms; arXiv 2510.00915 reports that both corrections improve over uncorrected
training. Under SGD and under Adam, because backward correction with equal rates only multiplies centred rewards by
1/J, which Adam all but undoes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from benchmarks.science.arms import Arm, Completion, Run, Setting, late, learn
from benchmarks.science.audited import GROUP, PROMPTS, audited
from benchmarks.science.effect import Effect, Finding, Measured, Place, Scale, Table, above
from benchmarks.science.extremes import TAUGHT, TWO_FORMS
from benchmarks.science.paired import difference, interval
from benchmarks.science.toy import Shape, Start, warmed_up
from trueward.wire.audit import Audit

VERIFIER = "noisy_form"
LEAST, MOST = 0.15, 0.25
WARM_UP_LR = 3e-3
SHARE = 0.9
SHAPE = Shape(layers=1, hidden=64)


@dataclass(frozen=True, slots=True)
class Rates:
    """Of wrong answers that are accepted, and right ones that are rejected, by form."""

    plain_false_positive: float
    plus_false_positive: float
    false_negative: float

    def params(self, seed: int) -> dict[str, JsonValue]:
        return {
            "seed": seed,
            "plain_false_positive": self.plain_false_positive,
            "plus_false_positive": self.plus_false_positive,
            "plain_false_negative": self.false_negative,
            "plus_false_negative": self.false_negative,
        }


EXPLOIT = Rates(0.02, 0.5, 0.1)
EQUAL = Rates(0.3, 0.3, 0.2)
ADAM: Mapping[str, JsonValue] = {"loss": "reinforce", "advantages": "dr_grpo", "lr": 1e-3, "warmup": 5}
SGD: Mapping[str, JsonValue] = {**ADAM, "optimiser": "sgd", "lr": 0.03, "warmup": 0, "clip_norm": 1e6}
OPTIMISERS: Mapping[str, Mapping[str, JsonValue]] = {"sgd": SGD, "adam": ADAM}
MAIN = Setting(steps=60, update=ADAM)
CONTROL = Setting(steps=80, update=ADAM)


UNCHANGED: Mapping[str, JsonValue] = {}


@dataclass(frozen=True, slots=True)
class Audits:
    """Of one seed: the verifier's rates in the main arms, and in the control arms."""

    exploit: Audit
    equal: Audit


def measure(place: Place, scale: Scale) -> Measured:
    starts: dict[int, Start] = {}
    audits: dict[int, Audits] = {}
    runs: dict[str, list[Run]] = {}
    for seed in scale.seeds:
        start = warmed_up(
            TWO_FORMS, place.scratch / f"start-{seed}", seed, least=LEAST, most=MOST, shape=SHAPE, lr=WARM_UP_LR
        )
        starts[seed] = start
        audits[seed] = Audits(
            _audit(start, seed, place.url, "exploit", EXPLOIT, ["form"]),
            _audit(start, seed, place.url, "equal", EQUAL, []),
        )
        for setting, arms in ((MAIN, main_arms(seed, audits[seed])), (CONTROL, control_arms(seed, audits[seed]))):
            for arm in arms:
                run = learn(TWO_FORMS, start, setting.of(scale.steps), arm, seed, place.url, place.scratch)
                runs.setdefault(arm.name, []).append(run)
                ends = f"true {late(run.curve(right)):.3f}, plus {late(run.curve(plus)):.3f}"
                print(f"seed {seed}, {arm.name}: {ends}", flush=True)
    return concluded(starts, audits, runs)


def _audit(start: Start, seed: int, url: str, arms: str, rates: Rates, rates_by: Sequence[str]) -> Audit:
    return audited(TWO_FORMS, start, seed, url, VERIFIER, rates.params(seed), f"audit-{seed}-{arms}", rates_by)


def recipe(params: Mapping[str, JsonValue], noise: Mapping[str, JsonValue] | None = None) -> dict[str, JsonValue]:
    term: dict[str, JsonValue] = {"verifier": VERIFIER, "params": dict(params)}
    return {"invalid": 0, "terms": [term if noise is None else {**term, "noise": dict(noise)}]}


def main_arms(seed: int, audits: Audits) -> list[Arm]:
    noisy = EXPLOIT.params(seed)
    by_form: dict[str, JsonValue] = {"method": "backward", "audit": audits.exploit.id, "by": ["form"]}
    return [
        Arm("clean", recipe({})),
        Arm("raw", recipe(noisy)),
        Arm("z-scored", recipe(noisy), {"update": {"advantages": "grpo"}}),
        Arm("backward", recipe(noisy, by_form)),
    ]


def control_arms(seed: int, audits: Audits) -> list[Arm]:
    noisy, audit = EQUAL.params(seed), audits.equal.id
    methods = {
        "uncorrected": (recipe(noisy), UNCHANGED),
        "backward": (recipe(noisy, {"method": "backward", "audit": audit}), UNCHANGED),
        "forward": (recipe(noisy, {"method": "forward", "audit": audit}), {"advantages": "forward"}),
    }
    return [
        Arm(f"equal-{method}-{name}", corrected, {"update": {**update, **change}})
        for name, update in OPTIMISERS.items()
        for method, (corrected, change) in methods.items()
    ]


def right(one: Completion) -> float:
    return float(one.response in TWO_FORMS.right(one.reference))


def plus(one: Completion) -> float:
    return float(one.response.startswith("+"))


def concluded(starts: Mapping[int, Start], audits: Mapping[int, Audits], runs: Mapping[str, list[Run]]) -> Measured:
    true = {arm: [late(run.curve(right)) for run in some] for arm, some in runs.items()}
    share = {arm: [late(run.curve(plus)) for run in some] for arm, some in runs.items()}
    every = [run for some in runs.values() for run in some]
    rows = [[arm, str(interval(true[arm])), str(interval(share[arm]))] for arm in runs]
    return Measured(
        {
            "starts": starts,
            "rates": {seed: _rates(found) for seed, found in audits.items()},
            "accuracy": {arm: interval(values) for arm, values in true.items()},
            "plus": {arm: interval(values) for arm, values in share.items()},
            "runs": [run.summary(right=right, plus=plus) for run in every],
        },
        findings(true, share),
        [Table("Forms", ("arm", "true accuracy", "share of the plus"), rows)],
        {"no reward is missing": not any(run.missing for run in every)},
    )


def findings(true: Mapping[str, Sequence[float]], share: Mapping[str, Sequence[float]]) -> list[Finding]:
    gains = [
        above(
            f"equal rates, {name}: {method} less uncorrected true accuracy is above 0",
            difference(true[f"equal-{method}-{name}"], true[f"equal-uncorrected-{name}"]),
        )
        for name in OPTIMISERS
        for method in ("backward", "forward")
    ]
    return [
        above(f"the share of the form with the plus is above {SHARE}, raw", interval(share["raw"]), SHARE),
        above(f"the share of the form with the plus is above {SHARE}, z-scored", interval(share["z-scored"]), SHARE),
        above("backward less raw true accuracy is above 0", difference(true["backward"], true["raw"])),
        *gains,
    ]


def _rates(found: Audits) -> dict[str, object]:
    """What the audits measured; the recipes name them, and the service reads them."""
    return {
        name: one.report.rates if one.report else None
        for name, one in (("exploit", found.exploit), ("equal", found.equal))
    }


EFFECT = Effect(
    "noisy-form",
    "a verifier that errs in a form that the policy may choose",
    {
        "task": "the second smallest and second largest of five digits, a plus before them or not; prompts come once",
        "start": {
            "least": LEAST,
            "most": MOST,
            "lr": WARM_UP_LR,
            "right of what is taught": TAUGHT,
            "forms": "taught half and half",
        },
        "shape": SHAPE,
        "rates": {"main": EXPLOIT, "control": EQUAL},
        "audit": {"prompts": PROMPTS, "responses each": GROUP, "of": "the policy before the training"},
        "settings": {"main": MAIN, "control": CONTROL, "optimisers of the control arms": OPTIMISERS},
        "final": "of the responses sampled in the last 10 steps",
        "criteria": [
            f"the 95% intervals of the plus's share lie above {SHARE} under raw and z-scored",
            "the 95% interval of backward less raw true accuracy lies above 0",
            "equal rates: the 95% intervals of backward and forward less uncorrected lie above 0, SGD and Adam",
        ],
    },
    measure,
)
