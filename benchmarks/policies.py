"""Runs of a policy that learns, made up step by step, with a fault that begins at a known step.

Nothing here knows of the product: columns of plain numbers and texts come out. A clean run is not a constant one: each
has its own curve of skill (a line, one that levels off, one that begins late), lengths that grow or shrink with it,
prompts of different difficulty whose answers are alike, answers that become fewer as the policy settles, responses
without an answer that become rarer, now and then a prompt without a verdict, and a verifier with constant error rates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.dealing import Data

PROMPTS, GROUP = 8, 8
SIZE = PROMPTS * GROUP
FALSE_POSITIVE, FALSE_NEGATIVE = 0.03, 0.06
NO_ANSWER, MISSING = 0.03, 0.0005
LABELLED = 0.1

Numbers = Any
"""An array of one number a record: numpy's, left open so that faults may write into it."""
CURVES: tuple[Callable[[Numbers], Numbers], ...] = (
    lambda t: 0.01 * t,
    lambda t: 2.0 * (1 - np.exp(-t / 30)),
    lambda t: 1.6 / (1 + np.exp(-(t - 90) / 20)),
    lambda t: 0.0 * t,
)
"""Logits of skill gained by a step."""


@dataclass(slots=True)
class Columns:
    """A run: one entry a record, in the order of steps. ``chance_right``
    to ``first_answer`` are what a healthy run would have shown. ``source`` and ``prompt``: None where none is dealt."""

    dice: np.random.Generator
    step: Numbers
    group: Numbers
    right: Numbers
    accepted: Numbers
    length: Numbers
    cause: Numbers
    answer: Numbers
    labelled: Numbers
    component: Numbers
    chance_right: Numbers = field(default=None)
    mean_length: Numbers = field(default=None)
    first_answer: Numbers = field(default=None)
    source: Numbers = field(default=None)
    prompt: Numbers = field(default=None)


def clean(seed: int, steps: int, data: Data | None = None) -> Columns:
    """A healthy run, at these prompts where they are given."""
    dice = np.random.default_rng([seed, 17])
    per_step = PROMPTS if data is None else data.prompts
    prompts, size = steps * per_step, steps * per_step * GROUP
    step = np.repeat(np.arange(steps), per_step * GROUP)
    group = np.repeat(np.arange(prompts), GROUP)
    easier, longer, unanswered, erring = (
        (0.0, 0.0, 1.0, 1.0)
        if data is None
        else (np.repeat(one, GROUP) for one in (data.easier, data.longer, data.unanswered, data.erring))
    )
    skill = dice.uniform(-1.0, 0.3) + CURVES[seed % len(CURVES)](step.astype(float)) + easier
    difficulty = np.repeat(dice.normal(0, 1.3, prompts), GROUP)
    chance = 1 / (1 + np.exp(-(skill + difficulty)))
    right = (dice.random(size) < chance).astype(float)
    growth = dice.uniform(-0.2, 0.6) * step / 200
    log_length = 6.5 + growth + np.repeat(dice.normal(0, 0.3, prompts), GROUP) + longer
    length = np.exp(log_length + dice.normal(0, 0.4, size))
    erred = dice.random(size) < erring * np.where(right == 1, FALSE_NEGATIVE, FALSE_POSITIVE)
    accepted = np.where(erred, 1 - right, right)
    cause = np.full(size, None, dtype=object)
    cause[dice.random(size) < unanswered * NO_ANSWER * (1 - 0.5 * step / max(steps, 1))] = "invalid: no_answer"
    cause[dice.random(size) < MISSING] = "missing: deadline"
    # a prompt whose reference cannot be read, one in a thousand
    unread = dice.random(prompts) < 0.001 * (1.0 if data is None else data.missing)
    cause[np.repeat(unread, GROUP)] = "missing: reference_unparsable"
    wrong = np.minimum(dice.geometric(np.clip(0.25 + 0.3 * step / 200, 0, 0.9)), 9)
    answer = np.array(
        [f"value {g * 37 % 9973}" + ("" if r else f" less {w}") for g, r, w in zip(group, right, wrong, strict=True)],
        dtype=object,
    )
    labelled = dice.random(size) < LABELLED
    varied = dice.random(size)
    if data is not None:
        quiz = np.repeat(data.quiz, GROUP) & (right == 0) & (dice.random(size) < 0.5)
        answer[quiz] = "none of the above"
    return Columns(
        dice,
        step,
        group,
        right,
        accepted,
        length,
        cause,
        answer,
        labelled,
        varied,
        chance,
        log_length,
        answer.copy(),
        source=None if data is None else np.repeat(data.source, GROUP),
        prompt=None if data is None else np.repeat(data.prompt, GROUP),
    )


Fault = Callable[[Columns, int], None]


def _hit(made: Columns, start: int, share: Numbers) -> Numbers:
    """Which records the fault takes, at that share of them."""
    return (made.step >= start) & (made.dice.random(len(made.step)) < share)


def _exploit(made: Columns, places: Numbers) -> None:
    """Accepted whatever it says, and right as seldom as a guess."""
    made.accepted[places] = 1.0
    made.right[places] = (made.dice.random(int(places.sum())) < 0.05).astype(float)


def sudden_exploit(made: Columns, start: int) -> None:
    _exploit(made, _hit(made, start, 0.4))


def gradual_exploit(made: Columns, start: int) -> None:
    _exploit(made, _hit(made, start, 0.5 * np.clip((made.step - start + 1) / 60, 0, 1)))


def small_exploit(made: Columns, start: int) -> None:
    _exploit(made, _hit(made, start, 0.1))


def stricter(made: Columns, start: int) -> None:
    """A new version of the verifier rejects a quarter of what is right."""
    made.accepted[_hit(made, start, 0.25) & (made.right == 1)] = 0.0


def some_missing(made: Columns, start: int) -> None:
    made.cause[_hit(made, start, 0.02)] = "missing: time_limit"


def step_missing(made: Columns, start: int) -> None:
    made.cause[made.step == start] = "missing: unavailable"


def hangs(made: Columns, start: int) -> None:
    made.cause[_hit(made, start, 0.1)] = "invalid: resource_limit"


def wrong_references(made: Columns, start: int) -> None:
    """Whatever is right is rejected, at 8% of the prompts."""
    prompts = int(made.group.max()) + 1
    spoilt = np.repeat(made.dice.random(prompts) < 0.08, GROUP) & (made.step >= start)
    made.accepted[spoilt & (made.right == 1)] = 0.0


def constant_answer(made: Columns, start: int) -> None:
    """A text that says nothing: up to a third of the responses within 40 steps, rejected."""
    places = _hit(made, start, np.clip((made.step - start + 1) / 40, 0, 1) / 3)
    made.answer[places] = "there is no solution"
    made.right[places] = made.accepted[places] = 0.0


def one_answer(made: Columns, start: int) -> None:
    """The answers to each prompt become one, of those that the policy would have given."""
    first = made.answer[made.group * GROUP]
    places = _hit(made, start, 0.7)
    for column in (made.right, made.accepted):
        column[places] = column[made.group[places] * GROUP]
    made.answer[places] = first[places]


def lengths_jump(made: Columns, start: int) -> None:
    made.length[made.step >= start] *= 1.6


def lengths_grow(made: Columns, start: int) -> None:
    made.length *= 1 + 1.5 * np.clip((made.step - start + 1) / 60, 0, 1)


def rewards_jump(made: Columns, start: int) -> None:
    """What a sudden exploit of 40% does to a run without labels."""
    sudden_exploit(made, start)
    made.labelled[:] = False


FAULTS: dict[str, Fault] = {
    "sudden exploit, 40%": sudden_exploit,
    "the same, no labels": rewards_jump,
    "gradual exploit, to 50% in 60 steps": gradual_exploit,
    "small exploit, 10%": small_exploit,
    "stricter verifier, rejects 25%": stricter,
    "2% of verdicts missing": some_missing,
    "one step without any verdict": step_missing,
    "10% hang the verifier": hangs,
    "8% of prompts with a wrong reference": wrong_references,
    "a constant answer grows to 33%": constant_answer,
    "70% of a group's answers become one": one_answer,
    "lengths jump 1.6 times": lengths_jump,
    "lengths grow 2.5 times in 60 steps": lengths_grow,
}
