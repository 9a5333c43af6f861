"""Effect 5: which likelihood of the reference teaches, where the reference is short and where it is long?

"Likelihood-based reward designs for general LLM reasoning" (arXiv 2602.03979): rewards that are probabilities of the
reference work where it is short and flat-line where it is long; the mean log-probability of its tokens works in all
set-ups. RLPR (arXiv 2506.18254) rewards the mean probability and drops groups of little spread.

The policy reads five digits and says one more, its reasoning, which should be the last of them. A reference is written
in threes: the digit that was said, a digit that nothing tells (as the wording of a free text), a plus. The short has
the first two of these tokens, the long one eight times all three; after the first three the reference itself tells the
digit, so only its first token depends on the reasoning. The warm-up teaches the right digit with a chance of 30%, and
with one of 50% the reference that belongs to the digit that was said, else any digit's. The service's verifier
``likelihood`` asks the policy itself, whose weights are pushed before each step. What is measured is the policy's
probability of the right digit, on new prompts.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from pydantic import JsonValue
from transformers import LlamaForCausalLM, PreTrainedModel

from benchmarks import digits
from benchmarks.digits import Pair
from benchmarks.science.arms import Arm, Run, Setting, learn
from benchmarks.science.effect import Effect, Finding, Measured, Place, Scale, Table, above, below
from benchmarks.science.imitation import imitating
from benchmarks.science.paired import difference, interval
from benchmarks.science.toy import CHECKED, Shape, Start, Toy, some
from trueward import Client
from trueward.wire.model import ModelEntry
from trueward_trainer.checkpoint import latest

TRANSFORMS = ("probability", "mean_probability", "log_probability", "mean_log_probability")
FILTERED = ("mean_probability", "mean_log_probability")
TOKENS: Mapping[str, int] = {"short": 2, "long": 24}
RIGHT = 0.3
"""The chance of the right digit in the warm-up."""
FAITHFUL = 0.5
"""The chance that a reference of the warm-up belongs to the digit that was said; else it is any digit's."""

SHAPE = Shape(layers=2, hidden=64)
WARM_UP = ((1.0, 200), (RIGHT, 150))
"""The chance of the right digit, and for how many steps it is taught."""
WARM_UP_LR, WARM_UP_BATCH = 2e-3, 64
SETTING = Setting(
    steps=40,
    prompts=16,
    group=8,
    update={"loss": "grpo", "advantages": "rloo", "optimiser": "adamw", "lr": 3e-4, "warmup": 5},
)
TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}"
JOINT = "++"
"""The digit that was said stands as far ahead of the reference as each three ahead of the next."""
LEAST_LOG = -10.0
"""The price of an invalid response, by token, where the reward is a log-probability: less than a wrong digit
is worth, and not so little that one such response drowns its group. Where it is a probability the price is 0."""
LEARNS = 0.1
"""The gain in the probability of the right digit that is more than nothing."""


def written(draw: random.Random, digit: str, tokens: int) -> str:
    """The reference that belongs to a digit."""
    return "".join(f"{digit}{draw.randrange(10)}+" for _ in range(-(-tokens // 3)))[:tokens]


def _problem(draw: random.Random, tokens: int) -> Pair:
    asked = "".join(draw.choices("0123456789", k=5))
    return asked + "=", written(draw, asked[-1], tokens)


def _text(draw: random.Random, tokens: int, chance: float) -> Pair:
    """A prompt, and a digit with a reference."""
    prompt, _ = _problem(draw, tokens)
    right = prompt[-2]
    said = right if draw.random() < chance else draw.choice([digit for digit in "0123456789" if digit != right])
    told_of = said if draw.random() < FAITHFUL else draw.choice("0123456789")
    return prompt, f"{said}{JOINT}{written(draw, told_of, tokens)}"


def toy_of(length: str) -> Toy:
    """Its responses are cut off after one character: ``longest`` and the end that others have make one token."""
    return Toy(
        f"likelihoods-{length}",
        partial(_problem, tokens=TOKENS[length]),
        lambda draw, prompt, reference: prompt[-2],
        lambda reference: (reference[0],),
        0,
    )


def knows(learner: PreTrainedModel, seed: int, length: str) -> float:
    """The probability of the right digit, mean over new prompts."""
    words, asked = digits.tokenizer(), some(toy_of(length), "check", seed, CHECKED)
    ids = torch.tensor([words(prompt)["input_ids"] for prompt, _ in asked])
    right = torch.tensor([words(prompt[-2])["input_ids"] for prompt, _ in asked])
    with torch.no_grad():
        said = torch.softmax(learner(input_ids=ids).logits[:, -1], -1)
    return float(said.gather(1, right).mean())


@dataclass(frozen=True, slots=True)
class Gain:
    """``dropped``: share of the groups of some spread that the filter left out of learning."""

    seed: int
    length: str
    transform: str
    filtered: bool
    before: float
    after: float
    dropped: float
    missing: int
    seconds: float

    @property
    def value(self) -> float:
        return self.after - self.before


def measure(place: Place, scale: Scale) -> Measured:
    plan = [(transform, False) for transform in TRANSFORMS] + [(transform, True) for transform in FILTERED]
    gains = []
    for seed in scale.seeds:
        for length in TOKENS:
            start = warmed_up(length, place.scratch / f"{length}-{seed}", seed)
            for transform, filtered in plan:
                gains.append(gained(place, start, SETTING.of(scale.steps), seed, length, transform, filtered=filtered))
                print(gains[-1], flush=True)
    return told(gains)


def warmed_up(length: str, folder: Path, seed: int) -> Start:
    lessons = [(partial(_text, tokens=TOKENS[length], chance=chance), steps) for chance, steps in WARM_UP]
    learner = imitating(lessons, folder, seed, shape=SHAPE, lr=WARM_UP_LR, batch=WARM_UP_BATCH)
    return Start(folder, knows(learner, seed, length), sum(steps for _, steps in WARM_UP))


def gained(
    place: Place, start: Start, setting: Setting, seed: int, length: str, transform: str, *, filtered: bool
) -> Gain:
    """One training, on a model of the service that is registered for it and deleted afterwards."""
    name = f"{transform}-{length}{'-filtered' if filtered else ''}-{seed}"
    arm = Arm(name, recipe(name, length, transform, filtered=filtered), {"push_weights": {"model": name}})
    with Client(place.url) as client:
        client.add_model(ModelEntry(name=name, kind="causal", path=str(start.folder), chat_template=TEMPLATE))
        run = learn(toy_of(length), start, setting, arm, seed, place.url, place.scratch)
        client.delete_model(name)
    newest = latest(run.folder / "checkpoints")
    after = knows(LlamaForCausalLM.from_pretrained(newest).eval(), seed, length)
    return Gain(seed, length, transform, filtered, start.accuracy, after, dropped(run), run.missing, run.seconds)


def recipe(model: str, length: str, transform: str, *, filtered: bool) -> dict[str, JsonValue]:
    """``append``: the response is all reasoning, and the reference follows it."""
    params: dict[str, JsonValue] = {"model": model, "transform": transform, "splice": "append", "joint": JOINT}
    rules: list[JsonValue] = ["std_filter"] if filtered else []
    tokens = TOKENS[length] if transform == "log_probability" else 1
    least = LEAST_LOG * tokens if transform.endswith("log_probability") else 0.0
    return {
        "range": [least, 1],
        "invalid": least,
        "terms": {"likelihood": {"params": params}},
        "group": {"rules": rules},
    }


def dropped(run: Run) -> float:
    """The share of groups that have some spread of rewards and yet no advantage: the rule left them out."""
    groups: dict[tuple[int, str], list[tuple[float | None, float]]] = {}
    for line in map(json.loads, (run.folder / "completions.jsonl").read_text().split("\n")[:-1]):
        groups.setdefault((line["step"], line["prompt"]), []).append((line["reward"], line["advantage"]))
    spread = [said for said in groups.values() if len({reward for reward, _ in said}) > 1]
    return sum(not any(gain for _, gain in said) for said in spread) / max(1, len(spread))


def told(gains: Sequence[Gain]) -> Measured:
    by = {
        (one.length, one.transform, one.filtered): [
            each
            for each in gains
            if (each.length, each.transform, each.filtered) == (one.length, one.transform, one.filtered)
        ]
        for one in gains
    }
    rows = [
        [
            f"{length}, {transform}{', filtered' if filtered else ''}",
            *(str(interval([getattr(one, name) for one in found])) for name in ("before", "after", "value", "dropped")),
        ]
        for (length, transform, filtered), found in by.items()
    ]
    header = ("arm", "right digit before", "after", "gain", "groups dropped")
    return Measured(
        {"runs": gains},
        findings({key: [one.value for one in found] for key, found in by.items()}),
        [Table("Likelihoods of the reference", header, rows)],
        {"no reward is missing": not any(one.missing for one in gains)},
    )


def findings(gain: Mapping[tuple[str, str, bool], Sequence[float]]) -> list[Finding]:
    def of(length: str, transform: str, filtered: bool = False) -> Sequence[float]:
        return gain[length, transform, filtered]

    mean = "mean_log_probability"
    return [
        above(
            f"short reference: the gain of probability is above {LEARNS}", interval(of("short", "probability")), LEARNS
        ),
        below(
            f"long reference: the gain of probability is below {LEARNS}", interval(of("long", "probability")), LEARNS
        ),
        *(
            above(f"{length} reference: the gain of {mean} is above {LEARNS}", interval(of(length, mean)), LEARNS)
            for length in TOKENS
        ),
        above(
            "long reference: the gain of mean_log_probability less that of probability",
            difference(of("long", mean), of("long", "probability")),
        ),
        below(
            f"long reference: the gain of mean_probability is below {LEARNS}",
            interval(of("long", "mean_probability")),
            LEARNS,
        ),
        *(
            above(
                f"{length} reference, {transform}: the gain with the filter less that without",
                difference(of(length, transform, True), of(length, transform)),
            )
            for length in TOKENS
            for transform in FILTERED
        ),
    ]


EFFECT = Effect(
    "likelihoods",
    "which likelihood of the reference teaches, where it is short and where it is long",
    {
        "tokens": TOKENS,
        "right": RIGHT,
        "faithful": FAITHFUL,
        "warm_up": {"chances": WARM_UP, "lr": WARM_UP_LR, "batch": WARM_UP_BATCH, "shape": SHAPE},
        "setting": SETTING,
        "transforms": TRANSFORMS,
        "filtered": FILTERED,
        "learns": LEARNS,
    },
    measure,
)
