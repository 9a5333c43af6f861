"""Jinja for the pages: everything that is put into a template is escaped, and its control characters replaced."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from app.pages import assets, inert, moments, paths, registry
from app.pages.digits import digits
from audits.figures.text import printable
from trueward.numerals import number, share

if TYPE_CHECKING:
    from jinja2 import Environment

HTMX = (
    '{"includeIndicatorStyles":false,"allowEval":false,"allowScriptTags":false,"selfRequestsOnly":true,'
    '"historyCacheSize":0,"responseHandling":[{"code":"204","swap":false},{"code":"[23]..","swap":true},'
    '{"code":"[45]..","swap":true,"target":"#notice","swapOverride":"innerHTML","select":"#problem"}]}'
)
"""htmx without what the policy forbids; a refusal is shown in the page's notice."""


def rendered(template: str, **values: object) -> str:
    return _environment().get_template(template).render(**values)


def field_value(text: str) -> Markup:
    """Text as the content of a ``textarea`` or of ``value=``: nothing in it replaced, for it is sent again."""
    return escape(text)


@cache
def _environment() -> Environment:
    """With what only pages need, which the first of them loads."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from app.pages import maths, prose
    from app.pages.ledger.marked import marked, tables
    from app.pages.runs.listing import counted
    from app.pages.runs.plots import drawing
    from app.pages.runs.spark import spark
    from audits.report import parts

    made = Environment(
        loader=FileSystemLoader([Path(__file__).parent / "templates", parts.FOLDER]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) or not isinstance(value, str) else printable(value),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., object]] = {
        "inert": inert.inert,
        "inert_line": inert.inert_line,
        "inert_json": inert.inert_json,
        "as_text": inert.as_text,
        "marked": marked,
        "named": inert.inert_line,
        "prose": prose.prose,
        "plain": prose.plain,
        "mathml": maths.mathml,
        "formatted": prose.formatted,
        "tables": tables,
        "field_value": field_value,
        "number": number,
        "share": share,
        "digits": digits,
        "moment": moments.moment,
        "ago": moments.ago,
        "spark": spark,
        "counted": counted,
    }
    made.filters.update(filters)
    parts.install(made)
    made.globals.update(
        asset=assets.address,
        navigation=registry.navigation,
        htmx_config=HTMX,
        shown=inert.SHOWN,
        drawn_run=drawing.drawn_run,
        drawn_strip=drawing.drawn_strip,
        recipe_path=paths.recipe_path,
        run_path=paths.run_path,
    )
    return made
