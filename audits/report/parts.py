"""What ``parts.html`` needs of the Jinja environment that it is used in.

The environment brings one filter itself: ``named(length)``, which shows a stranger's text on one line, cut.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from jinja2 import Environment

from audits.figures import figure
from audits.report import view
from audits.report.words import words

FOLDER = Path(__file__).parent
"""Where the templates are."""


def install(environment: Environment) -> None:
    """Filters and functions; the folder has to be among those of the environment's loader."""
    filters: dict[str, Callable[..., object]] = {
        "rate_rows": view.rate_rows,
        "words": words,
        "table_rows": view.table_rows,
        "numeric": view.numeric,
        "holds_nothing": figure.empty,
        "left_out": figure.describe_omissions,
    }
    environment.filters.update(filters)
    environment.globals.update(drawn=figure.draw_figure)
