"""Effect 2: whole groups with their rewards turned round (r to 1 - r), with probability 0, .2, .4, .5 and .6.

arXiv 2505.22653 flips all responses to a question together and leaves what cannot be parsed at 0: with 40% of the
questions flipped a model ended with 72% where a clean one ended with 75%, a ratio of .96. Here the recipe's control
``flip`` does it, on prompts that come once each. At one half the mean of what is learnt is nothing; beyond it the sign
is turned.

Half of what the policy was taught is right, and it samples the right answer about two times in five when the training
begins: it mostly knows, and learns to say it, as a pretrained model does.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from benchmarks.science.arms import Arm, Completion, Run, Setting, late, learn
from benchmarks.science.effect import Effect, Measured, Place, Scale, Table, above, below
from benchmarks.science.extremes import PLAIN, TAUGHT
from benchmarks.science.paired import difference, interval, ratio
from benchmarks.science.toy import Shape, Start, warmed_up

SHARES = (0.0, 0.2, 0.4, 0.5, 0.6)
LEAST, MOST = 0.35, 0.45
WARM_UP_LR = 3e-3
SHAPE = Shape(layers=1, hidden=64)
RATIO = 0.9
UPDATE: Mapping[str, JsonValue] = {"loss": "reinforce", "advantages": "grpo", "lr": 5e-4, "warmup": 5}
SETTING = Setting(steps=240, update=UPDATE, prompts=64, group=4)


def measure(place: Place, scale: Scale) -> Measured:
    setting = SETTING.of(scale.steps)
    starts: dict[int, Start] = {}
    runs: dict[float, list[Run]] = {share: [] for share in SHARES}
    for seed in scale.seeds:
        starts[seed] = warmed_up(
            PLAIN, place.scratch / f"start-{seed}", seed, least=LEAST, most=MOST, shape=SHAPE, lr=WARM_UP_LR
        )
        for share in SHARES:
            arm = Arm(f"flips-{share:g}", flipped(share))
            runs[share].append(learn(PLAIN, starts[seed], setting, arm, seed, place.url, place.scratch))
            print(f"seed {seed}, {share:g} flipped: {late(runs[share][-1].curve(right)):.3f}", flush=True)
    return concluded(starts, runs)


def flipped(share: float) -> dict[str, JsonValue]:
    """The recipe: the verifier of two digits, turned round for this share of the prompts."""
    params: dict[str, JsonValue] = {"inner": {"verifier": "noisy_form"}, "p": share, "unit": "group"}
    return {"control": True, "invalid": 0, "terms": [{"verifier": "flip", "params": params}]}


def right(one: Completion) -> float:
    return float(one.response == one.reference)


def concluded(starts: Mapping[int, Start], runs: Mapping[float, list[Run]]) -> Measured:
    begun = [one.accuracy for one in starts.values()]
    ends = {share: [late(run.curve(right)) for run in some] for share, some in runs.items()}
    findings = [
        above(f"at .4 the final accuracy is above {RATIO} of that without flips", ratio(ends[0.4], ends[0.0]), RATIO),
        below("at .6 the final accuracy is below that of the start", difference(ends[0.6], begun)),
    ]
    rows = [
        [f"{share:g}", str(interval(values)), str(ratio(values, ends[0.0])), str(difference(values, begun))]
        for share, values in ends.items()
    ]
    every = [run for some in runs.values() for run in some]
    return Measured(
        {
            "starts": starts,
            "accuracy": {share: interval(values) for share, values in ends.items()},
            "ratios": {share: ratio(values, ends[0.0]) for share, values in ends.items()},
            "runs": [run.summary(right=right) for run in every],
        },
        findings,
        [Table("Groups flipped", ("share", "final accuracy", "ratio to 0", "less the start"), rows)],
        {"no reward is missing": not any(run.missing for run in every)},
    )


EFFECT = Effect(
    "group-flips",
    "rewards of whole groups turned round",
    {
        "task": "the second smallest and the second largest of five digits, two digits; every prompt comes once",
        "start": {"least": LEAST, "most": MOST, "lr": WARM_UP_LR, "right of what is taught": TAUGHT},
        "shape": SHAPE,
        "setting": SETTING,
        "shares": SHARES,
        "final": "true accuracy of the responses sampled in the last 10 steps",
        "criteria": [
            f"the 95% interval of the ratio of final accuracies at .4 and at 0 lies above {RATIO} (paper: .96)",
            "the 95% interval of the final accuracy at .6 less that of the start lies below 0",
        ],
    },
    measure,
)
