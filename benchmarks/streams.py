"""Streams of runs, made up: clean ones of several kinds, and those in which something goes wrong at a known step.

Answers to one prompt are alike (a prompt's difficulty is shared by its group), the policy learns, responses grow
longer, one record in ten has a label, and the verifier errs at constant rates: a clean stream is not a constant one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.watch.signal_input import RecipeKind
from app.watch.stream import RecordStream
from audits.statistics.arrays import Floats

STEPS, PROMPTS, GROUP = 40, 32, 8
START = 22
"""The step from which on something is wrong."""
FALSE_POSITIVE, FALSE_NEGATIVE = 0.03, 0.06
LABELLED = 0.1


@dataclass(frozen=True, slots=True)
class Case:
    """``expected`` are the signals that should find it; none in a clean stream."""

    name: str
    make: Callable[[int], RecordStream]
    kind: RecipeKind
    expected: frozenset[str] = frozenset()


@dataclass(slots=True)
class Run:
    """Columns of a run, to be spoilt."""

    dice: np.random.Generator
    step: Floats
    group: Floats
    right: Floats
    accepted: Floats
    length: Floats
    score: Floats
    cause: list[str | None]
    answer: list[str | None]

    @property
    def progress(self) -> Floats:
        """0 until ``START``, then up to 1 within six steps."""
        ramp: Floats = np.clip((self.step - START + 1) / 6, 0, 1)
        return ramp

    def stream(self, reward: Floats | None = None, scores: dict[str, Floats] | None = None) -> RecordStream:
        paid = self.accepted if reward is None else reward
        missing = np.array([cause is not None and cause.startswith("missing") for cause in self.cause])
        invalid = np.array([cause is not None and cause.startswith("invalid") for cause in self.cause])
        known = np.where(missing, np.nan, np.where(invalid, 0.0, paid))
        labels = np.where(self.dice.random(len(paid)) < LABELLED, self.right, np.nan)
        return RecordStream.of(
            known,
            step=self.step.astype(int).tolist(),
            group=self.group.astype(int),
            accepted=np.where(missing, np.nan, np.where(invalid, 0.0, self.accepted)),
            cause=self.cause,
            length=self.length,
            answer=self.answer,
            right=labels,
            scores=scores,
        )


def run(seed: int, learns: float = 2.0) -> Run:
    """A policy whose skill grows by ``learns`` logits, judged by a verifier with constant error rates."""
    dice = np.random.default_rng(seed)
    size = STEPS * PROMPTS * GROUP
    step = np.repeat(np.arange(STEPS), PROMPTS * GROUP).astype(float)
    group = np.repeat(np.arange(STEPS * PROMPTS), GROUP).astype(float)
    skill = -0.6 + learns * step / STEPS + np.repeat(dice.normal(0, 1.3, STEPS * PROMPTS), GROUP)
    right = (dice.random(size) < 1 / (1 + np.exp(-skill))).astype(float)
    errs = dice.random(size) < np.where(right == 1, FALSE_NEGATIVE, FALSE_POSITIVE)
    length = np.exp(dice.normal(6.5, 0.4, size) + np.repeat(dice.normal(0, 0.3, STEPS * PROMPTS), GROUP))
    cause: list[str | None] = [None] * size
    draw = dice.random(size)
    for place in np.flatnonzero(draw < 0.04 - 0.02 * step / STEPS):
        cause[place] = "invalid: no_answer"
    for place in np.flatnonzero(draw > 0.9995):
        cause[place] = "missing: deadline"
    wrong = dice.integers(0, 6, size)
    answer: list[str | None] = [
        f"the answer of prompt {prompt:.0f}" + ("" if fine else f", or rather {other}")
        for prompt, fine, other in zip(group, right, wrong, strict=True)
    ]
    score = skill * 0.4 + dice.normal(0, 0.6, size)
    accepted = np.where(errs, 1 - right, right)
    return Run(dice, step, group, right, accepted, length * (1 + 0.4 * step / STEPS), score, cause, answer)


def learning(seed: int) -> RecordStream:
    return run(seed).stream()


def standing(seed: int) -> RecordStream:
    """A policy that learns nothing."""
    return run(seed, learns=0.0).stream()


def judged(seed: int) -> RecordStream:
    """A reward model's scores, without a pass line."""
    made = run(seed)
    return made.stream(made.score, {"reward_model": made.score})


def agreeing(seed: int) -> RecordStream:
    """A majority vote that works: the policy agrees with itself more, and is right more."""
    made = run(seed, learns=1.5)
    return made.stream(_vote(made))


def hanging(seed: int) -> RecordStream:
    """Responses that exhaust the verifier's limits: up to a quarter."""
    made = run(seed)
    for place in np.flatnonzero(made.dice.random(len(made.step)) < 0.25 * made.progress):
        made.cause[place] = "invalid: resource_limit"
    return made.stream()


def outage(seed: int) -> RecordStream:
    """Checks that end without a verdict: up to one in twelve."""
    made = run(seed)
    for place in np.flatnonzero(made.dice.random(len(made.step)) < 0.08 * made.progress):
        made.cause[place] = "missing: time_limit"
    return made.stream()


def exploiting(seed: int) -> RecordStream:
    """A form that the verifier accepts whatever it says: up to seven in ten responses, and right no more often."""
    made = run(seed)
    places = made.dice.random(len(made.step)) < 0.7 * made.progress
    made.accepted = np.where(places, 1.0, made.accepted)
    made.right = np.where(places, (made.dice.random(len(places)) < 0.2).astype(float), made.right)
    return made.stream()


def drifting(seed: int) -> RecordStream:
    """Another version of the judge: scores are higher by one and narrower, the policy is what it was."""
    made = run(seed)
    score = np.where(made.step >= START, made.score * 0.7 + 1.0, made.score)
    return made.stream(score, {"reward_model": score})


def collapsing(seed: int) -> RecordStream:
    """A majority vote that the policy satisfies by saying the same whatever is asked."""
    made = run(seed, learns=1.5)
    places = made.dice.random(len(made.step)) < np.minimum(made.progress * 1.5, 1.0)
    made.right = np.where(places, 0.0, made.right)
    made.answer = ["the answer is always 1234" if same else one for same, one in zip(places, made.answer, strict=True)]
    return made.stream(_vote(made))


def _vote(made: Run) -> Floats:
    """1 for the most frequent answer of the group, which the verdict then accepts."""
    names = np.array(made.answer, dtype=object).reshape(-1, GROUP)
    paid = np.zeros(names.shape)
    for row, answers in enumerate(names):
        said, counts = np.unique(answers.astype(str), return_counts=True)
        paid[row] = answers == said[np.argmax(counts)]
    made.accepted = paid.ravel()
    return made.accepted


BINARY, SCORES, VOTE = RecipeKind((0.0, 1.0)), RecipeKind(), RecipeKind((0.0, 1.0), unsupervised=True)
CLEAN = (
    Case("learns", learning, BINARY),
    Case("learns nothing", standing, BINARY),
    Case("reward model", judged, SCORES),
    Case("majority vote", agreeing, VOTE),
)
SPOILT = (
    Case("hangs the verifier", hanging, BINARY, frozenset({"invalid"})),
    Case("ends without a verdict", outage, BINARY, frozenset({"missing"})),
    Case("format exploit", exploiting, BINARY, frozenset({"reward_without_accuracy", "false_positives"})),
    Case("judge version drifts", drifting, SCORES, frozenset({"score_drift"})),
    Case("majority vote collapses", collapsing, VOTE, frozenset({"collapse"})),
)
