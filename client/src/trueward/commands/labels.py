"""``trueward labels``: what people say of responses, in and out, and what they should label next."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from trueward.commands.jsonl import reading, write_bytes
from trueward.commands.report import add_row, new_table, plain, show, show_json
from trueward.commands.service import AsJson, Url, connect
from trueward.errors import FieldProblem, InvalidRequest
from trueward.rows import read_rows, tabular, write_rows
from trueward.wire.label import LabelFormat, LabelsStored

if TYPE_CHECKING:
    from trueward.client import Client
    from trueward.commands.label_parts import FilePart
    from trueward.wire.draw import DrawRequest

app = typer.Typer(help="Labels: import, export, draw what to label next, agreement.", no_args_is_help=True)

Form = Annotated[LabelFormat | None, typer.Option("--format", help="Default: by the file's name.")]
Sample = Annotated[str | None, typer.Option(help="Only labels of this sample.")]
Record = Annotated[str | None, typer.Option(help="Only labels of this record's sample.")]
OfDraw = Annotated[str | None, typer.Option("--draw", help="Only labels of this draw.")]
Annotator = Annotated[str | None, typer.Option(help="Only labels of this annotator.")]
Source = Annotated[str | None, typer.Option(help="Only labels of this source.")]
_PLACE = re.compile(r"\b(line|task) (\d+)")


@app.command("import")
def import_labels(
    file: Annotated[str, typer.Argument(help="Labels; - is stdin.", show_default=False)],
    form: Form = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Store the labels of a file of any size, in parts of 10,000 at most.

    Where something is wrong nothing of its part is stored, and the parts after it are not sent. What is stored already
    is not stored twice, so a mended file is sent again as a whole.
    """
    from trueward.commands.label_parts import parts

    total = LabelsStored(stored=0, known=0)
    with connect(url) as client, _opened(file) as opened:
        for part in parts(opened, form or _form(file)):
            found = _stored(client, part, form or _form(file), total)
            total = LabelsStored(
                stored=total.stored + found.stored,
                known=total.known + found.known,
                changed=total.changed + found.changed,
            )
    if as_json:
        show_json(total.model_dump())
    else:
        if not total.stored + total.known:
            typer.echo(f"{'stdin' if file == '-' else file} has no label", err=True)
        changed = f", {total.changed:,} of them say otherwise than before" if total.changed else ""
        typer.echo(f"{total.stored:,} labels stored{changed}; {total.known:,} were there already")


@app.command("export")
def export_labels(
    out: Annotated[str, typer.Option(help="File; - is stdout.")] = "-",
    form: Form = None,
    sample: Sample = None,
    draw: OfDraw = None,
    annotator: Annotator = None,
    source: Source = None,
    url: Url = None,
) -> None:
    """Labels as a file that imports again to the same labels."""
    from trueward.client.call import RetryableFailure
    from trueward.client.label_calls import export_path

    asked = {"sample": sample, "draw": draw, "annotator": annotator, "source": source}
    path = export_path({**asked, "format": form or _form(out)})
    try:
        with connect(url) as client, client.pieces(path, client.deadline()) as pieces:
            if tabular(out):
                write_rows(out, map(json.loads, b"".join(pieces).splitlines()))
            else:
                write_bytes(out, pieces)
    except RetryableFailure as failure:
        raise failure.error from failure


@app.command("list")
def list_labels(
    sample: Sample = None,
    record: Record = None,
    draw: OfDraw = None,
    annotator: Annotator = None,
    source: Source = None,
    after: Annotated[str | None, typer.Option(help="List from after this label.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Labels at most.")] = 100,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Labels, newest first."""
    from trueward.client.label_calls import listing

    asked = {"sample": sample, "record": record, "draw": draw, "annotator": annotator, "source": source}
    with connect(url) as client:
        page = client.call(listing({**asked, "after": after, "limit": limit}))
    if as_json:
        show_json(page.model_dump(mode="json"))
        return
    table = new_table("label", "sample", "right", "annotator", "source", "note")
    for label in page.labels:
        says = {True: "right", False: "wrong", None: "cannot tell"}[label.right]
        later = " (after the reveal)" if label.after_reveal else ""
        add_row(table, label.id, label.sample[:12], says + later, label.annotator, label.source, label.note[:60])
    show(table, whole=True)


@app.command("draw")
def draw_items(
    spec: Annotated[str | None, typer.Argument(metavar="[SPEC]", help="JSON or YAML; - is stdin.")] = None,
    verifier: Annotated[str | None, typer.Option(help="Instead of SPEC: whose verdicts; or name@version.")] = None,
    second: Annotated[str | None, typer.Option(help="Another verifier; where the two disagree most is drawn.")] = None,
    run: Annotated[str | None, typer.Option(help="Only responses of this run.")] = None,
    disagree: Annotated[float, typer.Option(help="Share that is drawn where they disagree.")] = 0.8,
    rest: Annotated[float, typer.Option(help="Share that is drawn of all else.")] = 0.1,
    limit: Annotated[int | None, typer.Option(help="Draw about so many, by smaller shares.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="The same one with a larger share draws what it drew, and more.")] = 0,
    name: Annotated[str, typer.Option(help="What to call the draw, instead of its id.")] = "",
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Draw responses for labelling, each with a known probability; prints the draw's id, its page, what to do next.

    What is labelled already, in whichever draw, needs no label again.
    """
    from trueward.commands.audit.options import parse_verifier
    from trueward.commands.audit.reading import read_as, valid
    from trueward.wire.draw import DrawRequest

    if (spec is None) == (verifier is None):
        raise typer.BadParameter("name a SPEC, or --verifier, exactly one of them", param_hint="SPEC")
    if spec is not None:
        request = read_as(DrawRequest, spec, "SPEC")
    else:
        query = {"query": "disagreement", "other": parse_verifier(second or ""), "probability": disagree}
        asked = {"subject": parse_verifier(verifier or ""), "population": {"run": run}, "rest": rest, "seed": seed}
        asked |= {"limit": limit} if limit is not None else {}
        request = valid(DrawRequest, {**asked, "queries": [query] if second else []})
    request = request.model_copy(update={"name": name or request.name})
    with connect(url) as client:
        found = client.draw(request)
        page = f"{client.url.rstrip('/')}/ui/labels/{found.id}"
    if as_json:
        show_json(found.model_dump(mode="json"))
        return
    for note in found.notes:
        typer.echo(note, err=True)
    by_query = ", ".join(f"{count:,} by {query}" for query, count in found.queries.items())
    typer.echo(f"{found.id}  {found.drawn:,} of {found.population:,} responses" + (f": {by_query}" if by_query else ""))
    done = found.states.get("done", 0)
    left = f"{found.states.get('open', 0):,} to label" + (f", {done:,} were labelled before" if done else "")
    # not on stdout, whose first word is the id that scripts take
    typer.echo(plain(f"{left}: {page}"), err=True)
    typer.echo(plain(f"then: {_audit_of(request)}"), err=True)


def _audit_of(request: DrawRequest) -> str:
    """The command that audits what a draw is of."""
    subject, population = request.subject, request.population.model_dump(mode="json", exclude_none=True)
    shown = ["trueward audit run labelled", f"--{'verifier' if subject.verifier else 'recipe'}"]
    shown.append(shlex.quote(subject.name.removeprefix("recipe ")))
    shown += [f"--{name.replace('_', '-')} {shlex.quote(str(value))}" for name, value in population.items()]
    return " ".join(shown)


@app.command("agreement")
def agreement(
    draw: Annotated[
        str,
        typer.Argument(metavar="DRAW", help="Id, latest, name, run, or how the id begins.", show_default=False),
    ],
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """How far the annotators of a draw agree: Cohen's kappa by pair, Krippendorff's alpha over all."""
    with connect(url) as client:
        found = client.label_agreement(draw)
    if as_json:
        show_json(found.model_dump(mode="json"))
        return
    table = new_table("annotator", "and", "items", "agree on", "kappa")
    for pair in found.pairs:
        add_row(table, pair.first, pair.second, pair.items, _number(pair.share), _number(pair.kappa))
    show(table)
    typer.echo(f"alpha {_number(found.alpha)} over {found.items:,} items that at least two have decided")


@app.command("case")
def case(
    label: Annotated[str, typer.Argument(metavar="LABEL", help="Id of the label.", show_default=False)],
    verifier: Annotated[str | None, typer.Option(help="Verifier of the case; default: that of the record.")] = None,
    url: Url = None,
) -> None:
    """A label as a contract case, one line for tests/cases/<verifier>.jsonl; the file's name goes to stderr."""
    from trueward.client.label_calls import case as case_call

    with connect(url) as client:
        found = client.call(case_call(label, verifier))
    typer.echo(found.file, err=True)
    typer.echo(found.line)


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    """The labels of a file as a service takes them; those of a table are JSONL then."""
    if not tabular(file):
        with reading(file, "FILE") as opened:
            yield opened
        return
    try:
        lines = b"".join(json.dumps(row).encode() + b"\n" for row in read_rows(file))
    except (InvalidRequest, OSError) as failure:
        raise typer.BadParameter(str(failure), param_hint="FILE") from failure
    yield BytesIO(lines)


def _form(file: str) -> LabelFormat:
    return "csv" if file.endswith(".csv") else "label_studio" if file.endswith(".json") else "jsonl"


def _stored(client: Client, part: FilePart, form: LabelFormat, before: LabelsStored) -> LabelsStored:
    """Raises :class:`InvalidRequest` with the places of the file, not those of its part."""
    from trueward.client.label_calls import store_file

    try:
        return client.call(store_file(part.body, form))
    except InvalidRequest as refusal:
        if part.before == 0:
            raise
        kept = f"The {before.stored + before.known:,} labels before this part are stored: send the mended file again."
        raise InvalidRequest(
            _placed(refusal.detail, part.before).replace("Nothing was stored.", kept),
            errors=[_moved(problem, part.before) for problem in refusal.errors],
        ) from None


def _moved(problem: FieldProblem, before: int) -> FieldProblem:
    line = None if problem.line is None else problem.line + before
    moved = {"field": _placed(problem.field, before), "detail": _placed(problem.detail, before), "line": line}
    return problem.model_copy(update=moved)


def _placed(text: str, before: int) -> str:
    return _PLACE.sub(lambda found: f"{found[1]} {int(found[2]) + before}", text)


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
