"""Jinja for the pages: everything that is put into a template is escaped, and its control characters replaced.

A moment is shown in UTC, which a script of ours puts the reader's own time beside.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from app.pages import assets, inert, paths, registry
from app.pages.digits import digits
from audits.figures.text import printable
from trueward.numerals import number, share

if TYPE_CHECKING:
    from jinja2 import Environment
from datetime import UTC, datetime

from app.kit.clock import now

HTMX = (
    '{"includeIndicatorStyles":false,"allowEval":false,"allowScriptTags":false,"selfRequestsOnly":true,'
    '"historyCacheSize":0,"responseHandling":[{"code":"204","swap":false},{"code":"[23]..","swap":true},'
    '{"code":"[45]..","swap":true,"target":"#notice","swapOverride":"innerHTML","select":"#problem"}]}'
)
"""htmx without what the policy forbids; a refusal is shown in the page's notice."""


def render_template(template: str, **values: object) -> str:
    return _environment().get_template(template).render(**values)


def field_value(text: str) -> Markup:
    """Text as the content of a ``textarea`` or of ``value=``: nothing in it replaced, for it is sent again."""
    return escape(text)


@cache
def _environment() -> Environment:
    """With what only pages need, which the first of them loads."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from app.pages import maths, prose
    from app.pages.ledger.markup import mark_steps, tables
    from app.pages.runs.listing import format_count
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
        "inert_words": inert.inert_words,
        "inert_json": inert.inert_json,
        "sentence": inert.sentence,
        "as_text": inert.as_text,
        "marked": mark_steps,
        "named": inert.inert_line,
        "prose": prose.prose,
        "plain": prose.plain,
        "mathml": maths.mathml,
        "formatted": prose.is_formatted,
        "tables": tables,
        "field_value": field_value,
        "number": number,
        "share": share,
        "digits": digits,
        "moment": moment,
        "ago": format_age,
        "spark": spark,
        "counted": format_count,
    }
    made.filters.update(filters)
    parts.install(made)
    made.globals.update(
        asset=assets.address,
        navigation=registry.navigation,
        home=registry.home,
        htmx_config=HTMX,
        shown=inert.SHOWN,
        drawn_run=drawing.draw_run,
        drawn_strip=drawing.draw_strip,
        recipe_path=paths.recipe_path,
        run_path=paths.run_path,
    )
    return made


_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def moment(at: datetime | None, form: str = "%Y-%m-%d %H:%M") -> Markup:
    """The time in UTC; a dash for none."""
    if at is None:
        return Markup("\u2013")
    utc = at.astimezone(UTC)
    told = Markup('<time datetime="{}">{} UTC</time>')
    return told.format(utc.isoformat(timespec="seconds"), utc.strftime(form))


def format_age(at: datetime) -> str:
    """``2 minutes ago``; ``just now`` within a minute, and for a clock that is ahead of ours."""
    passed_s = (now() - at).total_seconds()
    for seconds, unit in _UNITS:
        count = int(passed_s // seconds)
        if count >= 1:
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"
