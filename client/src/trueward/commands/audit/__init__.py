"""``trueward audit``: how often a verifier or a recipe is wrong, from the command line. Wiring only."""

from __future__ import annotations

import typer

from trueward.commands.audit.check import check
from trueward.commands.audit.labels import plan
from trueward.commands.audit.run import app as run
from trueward.commands.audit.run import bench, reverify
from trueward.commands.audit.show import cancel, card, list_audits, report, show_audit

app = typer.Typer(help="Audits: how often a verifier or a recipe is wrong.", no_args_is_help=True)
app.add_typer(run, name="run")
app.command("bench")(bench)
app.command("reverify")(reverify)
app.command("plan")(plan)
app.command("list")(list_audits)
app.command("show")(show_audit)
app.command("cancel")(cancel)
app.command("report")(report)
app.command("card")(card)
app.command("check")(check)
