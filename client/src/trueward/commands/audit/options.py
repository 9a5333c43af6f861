"""Options that several kinds of audit share, and what they say together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from pydantic import JsonValue

from trueward.audits import Given, Population, Subject
from trueward.commands.audit.reading import valid
from trueward.commands.jsonl import read_samples
from trueward.commands.params import read_params
from trueward.types import Split

Verifier = Annotated[str | None, typer.Option(help="Verifier to audit; name@version where stored verdicts are asked.")]
Recipe = Annotated[str | None, typer.Option(help="Recipe to audit, instead.")]
Param = Annotated[list[str] | None, typer.Option(help="Parameter of the verifier, key=value; JSON or text.")]
Threshold = Annotated[float | None, typer.Option(help="Score (or reward) from which on a response counts as accepted.")]
Run = Annotated[str | None, typer.Option(help="Only records of this run.")]
SplitOf = Annotated[Split | None, typer.Option(help="Only records of this split.")]
Policy = Annotated[str | None, typer.Option(help="Only records of this version of the policy.")]
Source = Annotated[str | None, typer.Option(help="Only records of this data source.")]
Samples = Annotated[str | None, typer.Option(help="JSONL, one sample a line, instead of records of a run; - is stdin.")]
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="Samples at most that are taken from the ledger.")]
Seed = Annotated[int, typer.Option(help="Of what is drawn at random.")]
Level = Annotated[float, typer.Option(help="Level of the intervals, above 0.5 and below 1.")]


def subject(
    verifier: str | None,
    recipe: str | None,
    param: Sequence[str] | None,
    threshold: float | None,
) -> Subject:
    """Wrong usage where it is not one thing exactly."""
    if (verifier is None) == (recipe is None):
        raise typer.BadParameter("name either a verifier or a recipe", param_hint="--verifier / --recipe")
    if recipe is not None and param:
        raise typer.BadParameter("a recipe has its own parameters; --param is for a verifier", param_hint="--param")
    said: dict[str, JsonValue] = {"recipe": recipe} if verifier is None else {**named(verifier)}
    if param:
        said["params"] = read_params(param)
    if threshold is not None:
        said["threshold"] = threshold
    return valid(Subject, said, "--verifier / --recipe")


def named(verifier: str) -> dict[str, JsonValue]:
    """``math``, or ``math@1`` for the verdicts of one version."""
    name, at, version = verifier.partition("@")
    return {"verifier": name, "version": version} if at else {"verifier": name}


def population(run: str | None, split: Split | None, policy: str | None, source: str | None) -> Population:
    return Population(run=run, split=split, policy=policy, data_source=source)


def given(samples: str | None, population: Population, limit: int, seed: int) -> Given:
    """Samples of a file, or else of the ledger."""
    if samples is None:
        return Given(population=population, limit=limit, seed=seed)
    if population != Population():
        raise typer.BadParameter("a file and records of the ledger cannot be mixed", param_hint="--samples / --run")
    return valid(Given, {"samples": list(read_samples(samples)), "seed": seed}, "--samples")
