"""``trueward audit run KIND`` and ``trueward audit reverify``: options in, a specification out."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from trueward.commands.audit import options
from trueward.commands.audit.carry import Carry
from trueward.commands.audit.groups import expand_groups
from trueward.commands.audit.reading import read_spec, valid
from trueward.commands.jsonl import read_samples
from trueward.wire.audit import (
    BenchAudit,
    BenchFormat,
    ConsensusAudit,
    ExploitAudit,
    LabelledAudit,
    MetamorphicAudit,
    ReverifyAudit,
)

app = typer.Typer(help="Carry out an audit of one kind, or the one that --spec describes.", no_args_is_help=True)


@app.callback(invoke_without_command=True)
@expand_groups
def run(
    *,
    context: typer.Context,
    spec: Annotated[str | None, typer.Option(help="Specification of any audit, YAML or JSON; - is stdin.")] = None,
    carry: Carry,
) -> None:
    """Carry out an audit of one kind, or the one that --spec describes."""
    if context.invoked_subcommand is not None:
        if spec is not None:
            raise typer.BadParameter("a specification says the kind itself: leave the kind out", param_hint="--spec")
        return
    if spec is None:
        raise typer.BadParameter("name a kind of audit, or --spec", param_hint="--spec")
    carry.out(read_spec(spec))


@app.command()
@expand_groups
def labelled(
    *,
    audited: options.SubjectOptions,
    records: options.RecordOptions,
    against: Annotated[
        str | None, typer.Option(help="A second verifier as an imperfect reference, instead of labels.")
    ] = None,
    label_source: Annotated[
        list[str] | None, typer.Option(help="Only labels of this source; given again: any.")
    ] = None,
    draw: Annotated[str | None, typer.Option(help="Only labels of this draw, weighted by its probabilities.")] = None,
    by: Annotated[list[str] | None, typer.Option(help="Feature to slice by; given again: several.")] = None,
    rates_by: Annotated[list[str] | None, typer.Option(help="Feature that a recipe's rates are keyed by.")] = None,
    lasting: Annotated[
        bool, typer.Option("--lasting", help="Intervals that hold however often you look while labels come in.")
    ] = False,
    chance: options.Chance,
    carry: Carry,
) -> None:
    """Stored verdicts against labels, or against a second verifier."""
    said = {
        "subject": audited.subject(),
        "population": records.population(),
        "labels": {"sources": label_source, "draw": draw},
        "against": None if against is None else options.parse_verifier(against),
        "lasting": lasting,
        **asdict(chance),
        **({} if by is None else {"by": by}),
        **({} if rates_by is None else {"rates_by": rates_by}),
    }
    carry.out(valid(LabelledAudit, said))


@app.command()
@expand_groups
def consensus(
    *,
    verifier: Annotated[list[str], typer.Option(help="Verifier, three or more times; or name@version.")],
    records: options.RecordOptions,
    smoothing: Annotated[float, typer.Option(min=0, help="Pseudo-count of Dawid and Skene's estimate.")] = 0.01,
    level: options.Level = 0.95,
    carry: Carry,
) -> None:
    """Error rates without labels, from verifiers that judged the same responses."""
    said = {
        "subjects": [options.parse_verifier(one) for one in verifier],
        "population": records.population(),
        "smoothing": smoothing,
        "level": level,
    }
    carry.out(valid(ConsensusAudit, said))


@app.command()
@expand_groups
def metamorphic(
    *,
    audited: options.SubjectOptions,
    drawn: options.SampleOptions,
    transformation: Annotated[list[str] | None, typer.Option(help="Only this one; given again: these.")] = None,
    chance: options.Chance,
    carry: Carry,
) -> None:
    """Rewrites that keep a reference's meaning must be accepted, those that break it rejected."""
    said = {
        "subject": audited.subject(),
        "given": drawn.choose_samples(chance.seed),
        "transformations": transformation,
        "level": chance.level,
    }
    carry.out(valid(MetamorphicAudit, said))


@app.command()
@expand_groups
def exploit(
    *,
    audited: options.SubjectOptions,
    drawn: options.SampleOptions,
    probe: Annotated[list[str] | None, typer.Option(help="Only this probe; given again: these.")] = None,
    chance: options.Chance,
    carry: Carry,
) -> None:
    """Hostile responses that know nothing of the answer: how many are accepted?"""
    said = {
        "subject": audited.subject(),
        "given": drawn.choose_samples(chance.seed),
        "probes": probe,
        "level": chance.level,
    }
    carry.out(valid(ExploitAudit, said))


@expand_groups
def reverify(
    *,
    before: Annotated[str, typer.Option(help="What judged then: name@version, or a recipe with --recipe.")],
    audited: options.SubjectOptions,
    records: options.RecordOptions,
    limit: Annotated[int, typer.Option(min=1, help="Samples at most.")] = 100_000,
    chance: options.Chance,
    carry: Carry,
) -> None:
    """Stored samples judged again, against what was said of them then."""
    said = {
        "subject": audited.subject(),
        "before": options.parse_verifier(before) if audited.recipe is None else {"recipe": before},
        "population": records.population(),
        "limit": limit,
        **asdict(chance),
    }
    carry.out(valid(ReverifyAudit, said))


@expand_groups
def bench(
    *,
    file: Annotated[str, typer.Argument(help="JSONL, one row of the format a line; - is stdin.", show_default=False)],
    form: Annotated[
        BenchFormat, typer.Option("--format", help="What a row holds; verdicts: a response, and whether it is right.")
    ],
    audited: options.SubjectOptions,
    chance: options.Chance,
    carry: Carry,
) -> None:
    """A file of preference pairs, best-of-n sets, first-error steps and the like, scored and counted."""
    said = {"subject": audited.subject(), "format": form, "rows": read_samples(file), **asdict(chance)}
    carry.out(valid(BenchAudit, said))
