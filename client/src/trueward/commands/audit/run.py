"""``trueward audit run KIND`` and ``trueward audit reverify``: options in, a specification out."""

from __future__ import annotations

from typing import Annotated

import typer

from trueward.audits import (
    ConsensusAudit,
    ExploitAudit,
    LabelledAudit,
    MetamorphicAudit,
    ReverifyAudit,
)
from trueward.commands.audit import options
from trueward.commands.audit.carry import Name, Timeout, Wait, carry_out
from trueward.commands.audit.reading import read_spec, valid
from trueward.commands.service import AsJson, Url

app = typer.Typer(help="Carry out an audit of one kind, or the one that --spec describes.", no_args_is_help=True)


@app.callback(invoke_without_command=True)
def run(
    context: typer.Context,
    spec: Annotated[str | None, typer.Option(help="Specification of any audit, YAML or JSON; - is stdin.")] = None,
    name: Name = "",
    wait: Wait = True,
    timeout: Timeout = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Carry out an audit of one kind, or the one that --spec describes."""
    if context.invoked_subcommand is not None:
        if spec is not None:
            raise typer.BadParameter("a specification says the kind itself: leave the kind out", param_hint="--spec")
        return
    if spec is None:
        raise typer.BadParameter("name a kind of audit, or --spec", param_hint="--spec")
    carry_out(read_spec(spec), name, url, wait=wait, timeout_s=timeout, as_json=as_json)


@app.command()
def labelled(
    verifier: options.Verifier = None,
    recipe: options.Recipe = None,
    param: options.Param = None,
    threshold: options.Threshold = None,
    run: options.Run = None,
    split: options.SplitOf = None,
    policy: options.Policy = None,
    data_source: options.Source = None,
    against: Annotated[
        str | None, typer.Option(help="A second verifier as an imperfect reference, instead of labels.")
    ] = None,
    label_source: Annotated[
        list[str] | None, typer.Option(help="Only labels of this source; given again: any.")
    ] = None,
    draw: Annotated[str | None, typer.Option(help="Only labels of this draw, weighted by its probabilities.")] = None,
    by: Annotated[list[str] | None, typer.Option(help="Feature to slice by; given again: several.")] = None,
    rates_by: Annotated[list[str] | None, typer.Option(help="Feature that a recipe's rates are keyed by.")] = None,
    level: options.Level = 0.95,
    seed: options.Seed = 0,
    name: Name = "",
    wait: Wait = True,
    timeout: Timeout = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Stored verdicts against labels, or against a second verifier."""
    said = {
        "subject": options.subject(verifier, recipe, param, threshold),
        "population": options.population(run, split, policy, data_source),
        "labels": {"sources": label_source, "draw": draw},
        "against": None if against is None else options.named(against),
        "level": level,
        "seed": seed,
        **({} if by is None else {"by": by}),
        **({} if rates_by is None else {"rates_by": rates_by}),
    }
    carry_out(valid(LabelledAudit, said), name, url, wait=wait, timeout_s=timeout, as_json=as_json)


@app.command()
def consensus(
    verifier: Annotated[list[str], typer.Option(help="Verifier, three or more times; or name@version.")],
    run: options.Run = None,
    split: options.SplitOf = None,
    policy: options.Policy = None,
    data_source: options.Source = None,
    smoothing: Annotated[float, typer.Option(min=0, help="Pseudo-count of Dawid and Skene's estimate.")] = 0.01,
    level: options.Level = 0.95,
    name: Name = "",
    wait: Wait = True,
    timeout: Timeout = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Error rates without labels, from verifiers that judged the same responses."""
    said = {
        "subjects": [options.named(one) for one in verifier],
        "population": options.population(run, split, policy, data_source),
        "smoothing": smoothing,
        "level": level,
    }
    carry_out(valid(ConsensusAudit, said), name, url, wait=wait, timeout_s=timeout, as_json=as_json)


@app.command()
def metamorphic(
    verifier: options.Verifier = None,
    recipe: options.Recipe = None,
    param: options.Param = None,
    threshold: options.Threshold = None,
    samples: options.Samples = None,
    run: options.Run = None,
    data_source: options.Source = None,
    limit: options.Limit = 200,
    transformation: Annotated[list[str] | None, typer.Option(help="Only this one; given again: these.")] = None,
    level: options.Level = 0.95,
    seed: options.Seed = 0,
    name: Name = "",
    wait: Wait = True,
    timeout: Timeout = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Rewrites that keep a reference's meaning must be accepted, those that break it rejected."""
    said = {
        "subject": options.subject(verifier, recipe, param, threshold),
        "given": options.given(samples, options.population(run, None, None, data_source), limit, seed),
        "transformations": transformation,
        "level": level,
    }
    carry_out(valid(MetamorphicAudit, said), name, url, wait=wait, timeout_s=timeout, as_json=as_json)


@app.command()
def exploit(
    verifier: options.Verifier = None,
    recipe: options.Recipe = None,
    param: options.Param = None,
    threshold: options.Threshold = None,
    samples: options.Samples = None,
    run: options.Run = None,
    data_source: options.Source = None,
    limit: options.Limit = 200,
    probe: Annotated[list[str] | None, typer.Option(help="Only this probe; given again: these.")] = None,
    level: options.Level = 0.95,
    seed: options.Seed = 0,
    name: Name = "",
    wait: Wait = True,
    timeout: Timeout = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Hostile responses that know nothing of the answer: how many are accepted?"""
    said = {
        "subject": options.subject(verifier, recipe, param, threshold),
        "given": options.given(samples, options.population(run, None, None, data_source), limit, seed),
        "probes": probe,
        "level": level,
    }
    carry_out(valid(ExploitAudit, said), name, url, wait=wait, timeout_s=timeout, as_json=as_json)


def reverify(
    before: Annotated[str, typer.Option(help="What judged then: name@version, or a recipe with --recipe.")],
    verifier: options.Verifier = None,
    recipe: options.Recipe = None,
    param: options.Param = None,
    threshold: options.Threshold = None,
    run: options.Run = None,
    split: options.SplitOf = None,
    policy: options.Policy = None,
    data_source: options.Source = None,
    limit: Annotated[int, typer.Option(min=1, help="Samples at most.")] = 100_000,
    level: options.Level = 0.95,
    seed: options.Seed = 0,
    name: Name = "",
    wait: Wait = True,
    timeout: Timeout = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Stored samples judged again, against what was said of them then."""
    said = {
        "subject": options.subject(verifier, recipe, param, threshold),
        "before": options.named(before) if recipe is None else {"recipe": before},
        "population": options.population(run, split, policy, data_source),
        "limit": limit,
        "level": level,
        "seed": seed,
    }
    carry_out(valid(ReverifyAudit, said), name, url, wait=wait, timeout_s=timeout, as_json=as_json)
