"""Options that several kinds of audit share, and what they say together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from pydantic import JsonValue

from trueward.commands.audit.reading import valid
from trueward.commands.jsonl import read_samples
from trueward.commands.params import read_params
from trueward.commands.report import plain
from trueward.wire.audit import GivenSamples, Population, Subject
from trueward.wire.sample import Sample, Split

Run = Annotated[str | None, typer.Option(help="Only records of this run.")]
Source = Annotated[str | None, typer.Option(help="Only records of this data source.")]
Level = Annotated[float, typer.Option(help="Level of the intervals, above 0.5 and below 1.")]


@dataclass(frozen=True, slots=True)
class SubjectOptions:
    """What is audited: a verifier or a recipe."""

    verifier: Annotated[
        str | None, typer.Option(help="Verifier to audit; name@version where stored verdicts are asked.")
    ] = None
    recipe: Annotated[str | None, typer.Option(help="Recipe to audit, instead.")] = None
    param: Annotated[list[str] | None, typer.Option(help="Parameter of the verifier, key=value; JSON or text.")] = None
    threshold: Annotated[
        float | None, typer.Option(help="Score (or reward) from which on a response counts as accepted.")
    ] = None

    def subject(self) -> Subject:
        """Wrong usage where it is not one thing exactly."""
        if (self.verifier is None) == (self.recipe is None):
            raise typer.BadParameter("name either a verifier or a recipe", param_hint="--verifier / --recipe")
        if self.recipe is not None and self.param:
            raise typer.BadParameter("a recipe has its own parameters; --param is for a verifier", param_hint="--param")
        said: dict[str, JsonValue] = (
            {"recipe": self.recipe} if self.verifier is None else {**parse_verifier(self.verifier)}
        )
        if self.param:
            said["params"] = read_params(self.param)
        if self.threshold is not None:
            said["threshold"] = self.threshold
        return valid(Subject, said, "--verifier / --recipe")


def parse_verifier(verifier: str) -> dict[str, JsonValue]:
    """``math``, or ``math@1`` for the verdicts of one version."""
    name, at, version = verifier.partition("@")
    return {"verifier": name, "version": version} if at else {"verifier": name}


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """Which records of the ledger are looked at."""

    run: Run = None
    split: Annotated[Split | None, typer.Option(help="Only records of this split.")] = None
    policy: Annotated[str | None, typer.Option(help="Only records of this version of the policy.")] = None
    data_source: Source = None

    def population(self) -> Population:
        return Population(run=self.run, split=self.split, policy=self.policy, data_source=self.data_source)


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """What an audit starts from: samples of a file, or else of the ledger."""

    samples: Annotated[
        str | None, typer.Option(help="JSONL, one sample a line, instead of records of a run; - is stdin.")
    ] = None
    run: Run = None
    data_source: Source = None
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Samples at most that are taken from the ledger.")] = 200

    def choose_samples(self, seed: int) -> GivenSamples:
        population = Population(run=self.run, data_source=self.data_source)
        if self.samples is None:
            return GivenSamples(population=population, limit=self.limit, seed=seed)
        if population != Population():
            raise typer.BadParameter("a file and records of the ledger cannot be mixed", param_hint="--samples / --run")
        rows = list(read_samples(self.samples))
        unread = dict.fromkeys(name for row in rows for name in row if name not in Sample.model_fields)
        if unread:  # a file of labelled responses is a file of samples, too
            typer.echo(plain(f"note: fields that are none of a sample's are not read: {', '.join(unread)}"), err=True)
            rows = [{name: value for name, value in row.items() if name not in unread} for row in rows]
        return valid(GivenSamples, {"samples": rows, "seed": seed}, "--samples")


@dataclass(frozen=True, slots=True)
class Chance:
    """What is said of chance: the intervals' level, and the seed of whatever is drawn."""

    level: Level = 0.95
    seed: Annotated[int, typer.Option(help="Of what is drawn at random.")] = 0
