"""The toy models asked through the client, and what they said in tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from rich.table import Table

from app.demo.models.sums import DigitSum
from app.demo.models.toys import SEPARATOR, Toys
from trueward import Client, Sample, Verdict
from trueward.wire.model import ModelEntry, StepReading, Weights

REWARD, PROCESS, POLICY = "toy-reward", "toy-process", "toy-policy"
SUMS = (DigitSum((2, 4), (3, 5)), DigitSum((5, 1), (0, 6)), DigitSum((3, 3), (7, 2)))


@dataclass(frozen=True, slots=True)
class SumCase:
    """A response to a sum, and whether each of its steps is right."""

    asked: DigitSum
    steps: tuple[str, ...]

    @property
    def right(self) -> bool:
        return self.steps == self.asked.working()

    @property
    def sample(self) -> Sample:
        return Sample(prompt=self.asked.question, response="\n\n".join(self.steps), reference=self.asked.answer)


@dataclass(frozen=True, slots=True)
class Likelihoods:
    """Of the references after each response's reasoning, by one version of the causal model's weights."""

    version: int
    means: tuple[float, ...]
    gains: tuple[float, ...]


def cases() -> list[SumCase]:
    """Each sum worked out rightly, and with a mistake."""
    draw = Random(3)
    return [SumCase(asked, steps) for asked in SUMS for steps in (asked.working(), asked.make_mistakes(draw))]


def register(client: Client, toys: Toys) -> None:
    client.add_model(ModelEntry(name=REWARD, kind="reward", path=str(toys.reward)))
    steps = StepReading(separator=SEPARATOR)
    client.add_model(ModelEntry(name=PROCESS, kind="process", path=str(toys.process), steps=steps))
    client.add_model(ModelEntry(name=POLICY, kind="causal", path=str(toys.causal)))


def push(client: Client, toys: Toys) -> Weights:
    return client.push_weights(POLICY, str(toys.later))


def likelihoods(client: Client, some: Sequence[SumCase]) -> Likelihoods:
    means = _likelihood(client, some, "mean_log_probability")
    gains = _likelihood(client, some, "rlpr")
    return Likelihoods(_version(means[0]), _scores(means), _scores(gains))


def judges_table(client: Client, some: Sequence[SumCase]) -> Table:
    """What the reward model says of each response, and the process reward model of each step."""
    samples = [case.sample for case in some]
    rewards = client.verify(samples, verifier="reward_model", params={"model": REWARD})
    steps = client.verify(samples, verifier="process_reward", params={"model": PROCESS})
    shown = _table(
        "A toy reward model and a toy process reward model", "reward_model", "process_reward", "steps", "wrong"
    )
    for case, reward, step in zip(some, rewards, steps, strict=True):
        shown.add_row(*_table_row(case), _score(reward), _score(step), _steps(step), _first_error(step))
    return shown


def likelihood_table(some: Sequence[SumCase], before: Likelihoods, after: Likelihoods) -> Table:
    """The references' likelihoods by two versions of a causal model's weights."""
    transforms = ("mean_log_probability", "rlpr")
    headings = [f"{name} v{said.version}" for name in transforms for said in (before, after)]
    shown = _table(
        "How likely a toy causal model finds the reference after the reasoning, by version of its weights", *headings
    )
    numbers = zip(before.means, after.means, before.gains, after.gains, strict=True)
    for case, row in zip(some, numbers, strict=True):
        shown.add_row(*_table_row(case), *(f"{one:.3f}" for one in row))
    return shown


def _likelihood(client: Client, some: Sequence[SumCase], transform: str) -> list[Verdict]:
    params = {"model": POLICY, "transform": transform}
    return client.verify([case.sample for case in some], verifier="likelihood", params=params)


def _version(verdict: Verdict) -> int:
    weights = verdict.evidence["weights"]
    assert isinstance(weights, dict)
    version = weights[POLICY]
    assert isinstance(version, int)
    return version


def _scores(verdicts: Sequence[Verdict]) -> tuple[float, ...]:
    """Raises RuntimeError where a verdict has none."""
    found = [verdict.score for verdict in verdicts if verdict.score is not None]
    if len(found) < len(verdicts):
        missing = next(verdict for verdict in verdicts if verdict.score is None)
        raise RuntimeError(f"no score ({missing.reason_code}): {missing.reason}")
    return tuple(found)


def _table(title: str, *headings: str) -> Table:
    shown = Table(title=title)
    for heading in ("sum", "response", "it is"):
        shown.add_column(heading)
    for heading in headings:
        shown.add_column(heading, justify="right")
    return shown


def _table_row(case: SumCase) -> tuple[str, str, str]:
    return case.asked.question, " ".join(case.steps), "right" if case.right else "wrong"


def _score(verdict: Verdict) -> str:
    [score] = _scores([verdict])
    return f"{score:.2f}"


def _steps(verdict: Verdict) -> str:
    scores = verdict.evidence["step_scores"]
    assert isinstance(scores, list)
    return " ".join(f"{score:.2f}" for score in scores)


def _first_error(verdict: Verdict) -> str:
    place = verdict.evidence["first_error"]
    assert isinstance(place, int)
    return "none" if place < 0 else f"step {place + 1}"
