"""An audit and its report as one HTML page.

Jinja escapes whatever is put into the template, after :func:`~audits.figures.text.printable` has made it fit to stand
in a page; figures are trees of elements that escape by themselves.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from markupsafe import Markup

from audits.figures.text import printable, short
from trueward.wire.audit import Audit, AuditReport

if TYPE_CHECKING:
    from jinja2 import Environment

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}
"""What a browser is told of the page: nothing in it may load, run or send anything."""


def page(audit: Audit, report: AuditReport) -> str:
    """The whole page, as text of one file."""
    from audits.report import parts, view

    return (
        _environment()
        .get_template("report.html")
        .render(
            audit=audit,
            report=report,
            view=view,
            style=Markup((parts.FOLDER / "report.css").read_text(encoding="utf-8")),  # noqa: S704 - a file of ours
            trueward=version("trueward"),
        )
    )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from audits.report import parts

    made = Environment(
        loader=FileSystemLoader(parts.FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: (
            value if isinstance(value, Markup) else printable(value) if isinstance(value, str) else value
        ),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["short"] = short
    made.filters["named"] = _named
    parts.install(made)
    return made


def _named(text: str, length: int) -> Markup:
    """On one line, apart from what stands around it; where that cuts it, more of it is its title."""
    cut = short(text, length)
    if cut == text:
        return Markup("<bdi>{}</bdi>").format(cut)
    return Markup('<bdi title="{}">{}</bdi>').format(short(text), cut)
