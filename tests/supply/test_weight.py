"""The table of what things weigh: every distribution and extra has its row, the page has what the command writes."""

from __future__ import annotations

import datetime
import re

from scripts.parts import part
from scripts.weight import BEGIN, END, HEADER, PAGE, Weight, installations, table

WEIGHT = Weight("trueward[data]", 23, 151.4, 0.2149, 0.5, "import trueward.client")


def test_every_distribution_and_extra_has_a_row() -> None:
    assert re.findall(r"^\| `(trueward\S*)` \|", part(PAGE, BEGIN, END), re.MULTILINE) == list(installations())


def test_the_page_says_when_and_how_it_was_measured() -> None:
    assert re.match(r"\n`make weight`, \d\d \w+ 20\d\d, Python 3\.\d+, without torch:\n\n", part(PAGE, BEGIN, END))
    assert HEADER in part(PAGE, BEGIN, END)


def test_help_starts_within_four_tenths_of_a_second_of_the_processor() -> None:
    took_s = [
        float(found)
        for found in re.findall(r"^\| `trueward.*?\| \d+ \| \d+ \| ([\d.]+) s", part(PAGE, BEGIN, END), re.MULTILINE)
    ]
    assert took_s
    assert max(took_s) < 0.4


def test_a_row_rounds_what_was_measured() -> None:
    day = datetime.date(2026, 11, 28)
    *_, row = table([WEIGHT], day).splitlines()
    assert row == "| `trueward[data]` | 23 | 151 | 0.21 s | 0.50 s | `import trueward.client` |"
    assert "28 November 2026" in table([WEIGHT], day)


def test_an_extra_is_weighed_with_its_distribution_and_the_developers_is_not() -> None:
    asked = installations()
    assert set(asked["trueward"]) < set(asked["trueward[data]"])
    assert set(asked["trueward"]) < set(asked["trueward-server"])
    assert "trueward-server[dev]" not in asked
    assert not any(line.startswith("trueward") for lines in asked.values() for line in lines)
