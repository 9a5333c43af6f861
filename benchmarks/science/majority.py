"""Effect 3: the vote of the majority as reward, where the initial mode is right and where it is wrong.

Test-time training on majority votes (TTRL, arXiv 2504.16084) needs no label: it sharpens the policy's mode. Where that
is right on most prompts accuracy rises; where it is wrong accuracy falls while the reward rises, which is the collapse
that a run's watch is to raise an alarm about (docs/watch.md, signal ``collapse``, cause ``accuracy``).

The policy reads three digits and says them in rising order. In the texts of the warm-up that answer has a share of 65%
(arm ``right``) or 35% (arm ``wrong``), and the falling order the rest, so the likeliest answer is right in one arm and
wrong in the other. Both are trained by the recipe of TTRL, and the run is watched: after every four steps one
response in sixteen is labelled by the task. Labels are only read by the watch.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import httpx2
from pydantic import JsonValue
from rich.console import Console
from transformers import LlamaForCausalLM

from benchmarks import digits
from benchmarks.digits import Pair
from benchmarks.science.arms import Arm, Setting, configuration, late, stretches
from benchmarks.science.effect import Effect, Finding, Measured, Place, Scale, Table, above, below
from benchmarks.science.imitation import imitating
from benchmarks.science.paired import interval
from benchmarks.science.toy import Shape, Start, Toy, accuracy, some
from trueward import Client
from trueward_trainer.config import TrainConfig
from trueward_trainer.training import train

SHARES: Mapping[str, float] = {"right": 0.65, "wrong": 0.35}
"""The chance of the right answer in the warm-up."""
WARM_UP_STEPS, WARM_UP_LR, WARM_UP_BATCH = 400, 2e-3, 256
SHAPE = Shape(layers=2, hidden=64)
RECIPE: dict[str, JsonValue] = {"unsupervised": True, "terms": {"majority": {"params": {"inner": "exact"}}}}
SETTING = Setting(
    steps=40, prompts=16, group=16, update={"loss": "grpo", "advantages": "grpo", "lr": 3e-4, "warmup": 10}
)
STRETCH = 4
"""Steps between two looks at the run, and those whose mean is the start and the end of a curve."""
LABELLED = 1 / 16
RISE = 0.05
SIGNAL, CAUSE = "collapse", "accuracy"
LOOK_S = 20.0


def _problem(draw: random.Random) -> Pair:
    asked = draw.choices("0123456789", k=3)
    while len({*asked}) == 1:
        asked = draw.choices("0123456789", k=3)
    return "".join(asked) + "=", "".join(sorted(asked))


def _said(draw: random.Random, reference: str, chance: float) -> str:
    return reference if draw.random() < chance else reference[::-1]


def _text(draw: random.Random, chance: float) -> Pair:
    prompt, reference = _problem(draw)
    return prompt, _said(draw, reference, chance)


TOY = Toy("rising", _problem, lambda draw, prompt, reference: reference, lambda reference: (reference,), 3)


@dataclass(frozen=True, slots=True)
class Watched:
    """One training. ``before`` is the probability of the right answer before it. ``reward`` and ``sampled`` are curves
    by step; the latter is the true accuracy of the responses, to prompts that were not learnt from yet.

    ``alarm_step``: the steps that were done when the alarm was open; ``first_step``: the first of those in which it
    found the collapse. ``others``: what else the watch found, as ``signal: cause``.
    """

    arm: str
    seed: int
    before: float
    reward: list[float]
    sampled: list[float]
    missing: int
    alarm_step: int | None
    first_step: int | None
    others: list[str]

    @property
    def rise(self) -> float:
        return late(self.reward, STRETCH) - early(self.reward)

    @property
    def gain(self) -> float:
        return late(self.sampled, STRETCH) - early(self.sampled)


def early(curve: Sequence[float]) -> float:
    """The mean over the first steps."""
    return sum(curve[:STRETCH]) / len(curve[:STRETCH])


def measure(place: Place, scale: Scale) -> Measured:
    found = []
    for seed in scale.seeds:
        for arm, share in SHARES.items():
            folder, lessons = place.scratch / f"{arm}-{seed}-start", [(partial(_text, chance=share), WARM_UP_STEPS)]
            learner = imitating(lessons, folder, seed, shape=SHAPE, lr=WARM_UP_LR, batch=WARM_UP_BATCH)
            start = Start(folder, _accuracy(learner, seed), WARM_UP_STEPS)
            found.append(watched(place, start, SETTING.of(scale.steps), arm, seed))
            print(found[-1], flush=True)
    return told(found)


def watched(place: Place, start: Start, setting: Setting, arm: str, seed: int) -> Watched:
    """Trains a stretch at a time; between two of them labels are sent and the run is looked at."""
    name, folder = f"majority-{arm}-{seed}", place.scratch / f"{arm}-{seed}"
    asked = some(TOY, "train", seed, setting.prompts * setting.steps)
    said = configuration(TOY, start, setting, Arm(name, RECIPE), seed, place.url, folder, asked)
    config = TrainConfig.model_validate(
        {**said, "service": {"url": place.url, "recipe": RECIPE, "run": name}, "checkpoints": {"every": 1, "keep": 1}}
    )
    references, watch = dict(asked), Watch(place.url, name)
    done, lines = 0, list[Mapping[str, JsonValue]]()
    while done < setting.steps:
        upto = min(done + STRETCH, setting.steps)
        train(config.model_copy(update={"steps": upto}), resume=done > 0, console=Console(quiet=True))
        text = (config.out / "completions.jsonl").read_text()
        lines = [json.loads(line) for line in text.split("\n")[:-1]]
        watch.label([one for one in lines if done <= one["step"] < upto], references, f"{seed}/{upto}")  # type: ignore[operator]
        done = upto
        watch.look(done)
    right = [float(one["response"] == references[str(one["prompt"])]) for one in lines]
    paid = [float(one["reward"] or 0.0) for one in lines]  # type: ignore[arg-type]
    size = setting.prompts * setting.group
    return Watched(
        arm,
        seed,
        start.accuracy,
        stretches(paid, len(paid) // size),
        stretches(right, len(right) // size),
        sum(one["reward"] is None for one in lines),
        watch.alarm_step,
        watch.first_step,
        watch.others,
    )


class Watch:
    """A watch of one run, and what it has raised so far."""

    def __init__(self, url: str, run: str) -> None:
        self.alarm_step: int | None = None
        self.first_step: int | None = None
        self.others: list[str] = []
        self._url, self._run = url, run
        body = {"run": run, "every_s": 1.0}
        httpx2.put(f"{url}/v1/watches/{run}", json=body).raise_for_status()

    def label(self, said: Sequence[Mapping[str, JsonValue]], references: Mapping[str, str], seed: str) -> None:
        """A share of the responses, drawn, by the task."""
        drawn = random.Random(seed).sample(said, max(1, round(LABELLED * len(said))))
        with Client(self._url) as client:
            client.label(
                {
                    "record": str(one["record"]),
                    "right": one["response"] == references[str(one["prompt"])],
                    "source": "oracle",
                }
                for one in drawn
            )

    def look(self, done: int) -> None:
        """Waits for the alarm where the run's report has what it is raised for."""
        report = httpx2.get(f"{self._url}/v1/runs/{self._run}/watch").raise_for_status().json()
        found = {(one["signal"], one["cause"]): one for one in report["findings"]}
        self.others = sorted({*self.others, *(f"{a}: {b}" for a, b in found if (a, b) != (SIGNAL, CAUSE))})
        if self.alarm_step is not None or (SIGNAL, CAUSE) not in found:
            return
        deadline = time.monotonic() + LOOK_S
        while time.monotonic() < deadline:
            page = httpx2.get(f"{self._url}/v1/alarms", params={"run": self._run}).raise_for_status().json()
            for alarm in page["alarms"]:
                if (alarm["finding"]["signal"], alarm["finding"]["cause"]) == (SIGNAL, CAUSE):
                    self.alarm_step, self.first_step = done, alarm["finding"]["first_step"]
                    return
            time.sleep(0.2)


def _accuracy(learner: LlamaForCausalLM, seed: int) -> float:
    return accuracy(TOY, learner, digits.tokenizer(), some(TOY, "check", seed, 256))


def told(found: Sequence[Watched]) -> Measured:
    arms = {arm: [one for one in found if one.arm == arm] for arm in SHARES}
    rows = [
        [
            arm,
            *(str(interval([getattr(one, name) for one in some_])) for name in ("before", "rise", "gain")),
            f"{_alarms(some_)} of {len(some_)}",
            ", ".join(str(one.alarm_step) for one in some_),
        ]
        for arm, some_ in arms.items()
    ]
    header = ("arm", "accuracy before", "rise of the reward", "gain in accuracy", "alarms", "after step")
    return Measured(
        {"runs": found, "alarms": {arm: _alarms(some_) for arm, some_ in arms.items()}},
        findings(arms),
        [Table("Votes of the majority", header, rows)],
        {"no reward is missing": not any(one.missing for one in found)},
    )


def findings(arms: Mapping[str, Sequence[Watched]]) -> list[Finding]:
    wrong, right = arms["wrong"], arms["right"]
    return [
        above(f"wrong mode: the reward rises by more than {RISE}", interval([one.rise for one in wrong]), RISE),
        below("wrong mode: true accuracy, last four steps less first", interval([one.gain for one in wrong])),
        above("right mode: true accuracy, last four steps less first", interval([one.gain for one in right])),
        above("wrong mode: share of the runs with the alarm", interval([_alarms([one]) for one in wrong]), 0.5),
        below("right mode: share of the runs with the alarm", interval([_alarms([one]) for one in right]), 0.5),
    ]


def _alarms(some_: Sequence[Watched]) -> int:
    return sum(one.alarm_step is not None for one in some_)


EFFECT = Effect(
    "majority",
    "the vote of the majority, where the initial mode is right and where it is wrong",
    {
        "shares": SHARES,
        "warm_up": {"steps": WARM_UP_STEPS, "lr": WARM_UP_LR, "batch": WARM_UP_BATCH, "shape": SHAPE},
        "recipe": RECIPE,
        "setting": SETTING,
        "labelled": LABELLED,
        "stretch": STRETCH,
        "rise": RISE,
    },
    measure,
)
