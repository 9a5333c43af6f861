"""The figures of a run without a browser: what they hold, and how they are drawn."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest

from app.pages.runs.drawing import figures
from app.pages.runs.plots.colours import styles
from app.pages.runs.plots.drawing import draw_run, draw_strip
from app.pages.runs.plots.figure import MarkedRange, RunFigure
from app.pages.runs.views import MarkRow
from app.runs.points import RecordRow, bins_of, points_of
from app.runs.prompt_rates import prompt_rates
from app.runs.series import Series
from tests.pages.hostile import PAYLOADS

SVG = "{http://www.w3.org/2000/svg}"


def series(steps: int = 4, **fields: Any) -> Series:
    """Two prompts with two responses each, of which one is right more often from step to step."""
    rows = [_row(step, number)._replace(**fields) for step in range(steps) for number in range(4)]
    bins = bins_of(row.score for row in rows)
    points = points_of(rows, bins)
    return Series(True, "steps", len(rows), points, bins, prompt_rates(rows, range(steps)))


def _row(step: int, number: int) -> RecordRow:
    right = float(number <= step)
    return RecordRow(
        place=step,
        record=f"{step:02d}-{number}",
        sample=f"{step}-{number}",
        step=step,
        member=f"g{number // 2}",
        prompt=f"p{number // 2}",
        outcome="correct" if right else "incorrect",
        reason_code="said",
        policy="v1",
        source=None,
        length=10,
        split="train",
        score=right,
        named={"answer": right},
    )


def drawn(found: Series, marks: tuple[MarkRow, ...] = (), ranges: tuple[MarkedRange, ...] = ()) -> list[RunFigure]:
    return figures(found, lambda point: f"/ui/ledger?step={point.first_step}", marks, ranges)


def svg(figure: RunFigure) -> Element:
    return fromstring(str(draw_run(figure, "one")))


def named(found: list[RunFigure], title: str) -> RunFigure:
    return next(one for one in found if title in one.title)


def test_every_point_leads_to_its_samples_and_says_its_values() -> None:
    for figure in drawn(series()):
        links = svg(figure).findall(".//g[@class='spots']/a")
        assert [link.get("href") for link in links] == [f"/ui/ledger?step={step}" for step in range(4)]
        assert [link.get("tabindex") for link in links] == ["-1", "-1", "-1", "0"]
    title = svg(drawn(series())[0]).find(".//g[@class='spots']/a[2]/title")
    assert title is not None
    assert (title.text or "").splitlines()[:2] == ["step 1, 4 records", "reward 0.5 [0, 1]"]


def test_points_within_one_step_say_their_own_values() -> None:
    """As of a long run of few steps, whose points are records in a row."""
    rows = [_row(place, number)._replace(step=3) for place in range(3) for number in range(4)]
    bins = bins_of(row.score for row in rows)
    points = points_of(rows, bins)
    found = Series(True, "sampled", len(rows), points, bins, prompt_rates(rows, range(3)))
    titles = svg(drawn(found)[0]).findall(".//g[@class='spots']/a/title")
    told = [(title.text or "").splitlines()[1:] for title in titles]
    assert [[line.split(" [")[0] for line in lines] for lines in told] == [
        [f"{name} {share}" for name in ("reward", "answer")] for share in ("0.25", "0.5", "0.75")
    ]


def test_shares_of_outcomes_and_bins_add_up() -> None:
    found = drawn(series())
    for figure in (named(found, "Outcomes"), named(found, "spread")):
        assert [sum(line.y[place] or 0 for line in figure.lines) for place in range(4)] == [1.0] * 4


def test_a_component_that_pays_nobody_or_everybody_is_named() -> None:
    nobody = drawn(series(named={"answer": 1.0, "form": 0.0}))[0].note
    assert "form pays nobody: it is 0 in all 16 records." in nobody
    assert "answer pays everybody the same: it is 1 in all 16 records." in nobody
    assert "pays" not in drawn(series())[0].note


def test_a_reward_that_is_its_only_component_is_drawn_broad_below_it() -> None:
    figure = drawn(series())[0]
    assert "its only component" in figure.note
    classes = [one.get("class") for one in svg(figure).findall("path") if "curve" in (one.get("class") or "")]
    assert [("broad" in (one or "")) for one in classes] == [True, False]


def test_names_keep_their_style_and_no_two_of_a_figure_share_one() -> None:
    one, other = styles(["reward", "answer", "format"]), styles(["reward", "format"])
    assert (one[0], one[2]) == (other[0], other[1])
    assert styles(["correct: a", "incorrect: b"]) == ["s2", "s1"]
    assert len(set(styles([f"name {number}" for number in range(8)]))) == 8
    assert len(styles([f"name {number}" for number in range(30)])) == 30
    assert len(set(styles(["reward", "answer", "format", "math", "code", "exact", "judge"]))) == 7


def test_names_of_marks_that_lie_close_stand_in_rows_or_are_left_out() -> None:
    marks = tuple(MarkRow(kind="policy", text=f"policy checkpoint-{step}", step=step) for step in range(12))
    figure = drawn(series(12), marks)[0]
    texts = svg(figure).findall(".//g[@class='mark']/text")
    rows: dict[str, list[tuple[float, float]]] = {}
    for text in texts:
        at = float(text.get("x") or 0)
        rows.setdefault(text.get("y") or "", []).append((at, at + 6.6 * len("".join(text.itertext()))))
    assert len(rows) > 1
    for spans in rows.values():
        assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert len({line.get("x1") for line in svg(figure).findall(".//g[@class='mark']/line")}) == 12


def test_no_mark_runs_through_the_name_of_the_axis() -> None:
    marks = tuple(MarkRow(kind="policy", text=f"v{step}", step=step) for step in range(12))
    for figure in drawn(series(12), marks):
        root = svg(figure)
        name = next(text for text in root.iter("text") if "".join(text.itertext()) == figure.y)
        end = float(name.get("x") or 0) + 6 * len(figure.y)
        for line in root.findall(".//g[@class='mark']/line"):
            x, one, other = (float(line.get(key) or 0) for key in ("x1", "y1", "y2"))
            assert x > end or max(one, other) < 4 or min(one, other) > 16, figure.title


@pytest.mark.parametrize("steps", [(), (1,), (0, 1, 2, 3)])
def test_every_text_of_a_figure_lies_within_its_frame(steps: tuple[int, ...]) -> None:
    """The name of the y axis too, which stands highest where there is no mark."""
    marks = tuple(MarkRow(kind="policy", text=f"policy checkpoint-{step}", step=step) for step in steps)
    for figure in drawn(series(), marks):
        root = svg(figure)
        _, top, _, height = map(float, (root.get("viewBox") or "").split())
        for text in root.iter("text"):
            assert top <= float(text.get("y") or 0) - 9, "".join(text.itertext())
            assert float(text.get("y") or 0) + 3 <= top + height, "".join(text.itertext())


def test_long_names_of_a_legend_are_told_apart() -> None:
    names = [f"incorrect: unequal_{kind}" for kind in ("rational", "text", "relation", "numeric", "unit")]
    figure = drawn(series())[0]
    line = figure.lines[0]
    figure = figure.model_copy(update={"lines": [line.model_copy(update={"name": name}) for name in names]})
    shown = ["".join(text.itertext()) for text in svg(figure).findall(".//g[@class='legend']/text")]
    assert shown == names


def test_no_line_of_a_mark_crosses_the_name_of_another() -> None:
    marks = tuple(MarkRow(kind="policy", text=f"policy v{step}", step=step) for step in (0, 2, 3, 7, 9, 10, 11))
    group = svg(drawn(series(12), marks)[0]).find(".//g[@class='mark']")
    assert group is not None
    names = [
        (float(text.get("x") or 0), float(text.get("y") or 0), 6.6 * len("".join(text.itertext())))
        for text in group.findall("text")
    ]
    assert len({y for _, y, _ in names}) > 1
    for line in group.findall("line"):
        at, top = float(line.get("x1") or 0), min(float(line.get("y1") or 0), float(line.get("y2") or 0))
        assert not any(left < at < left + width and top < y for left, y, width in names)


def test_an_alarm_is_a_bar_over_its_steps_and_one_of_all_steps_is_none() -> None:
    ranges = (MarkedRange(low=1, high=2, text="drift"), MarkedRange(low=0, high=3, text="all"))
    bars = svg(drawn(series(), ranges=ranges)[0]).findall("rect[@class='alarmed']/title")
    assert [bar.text for bar in bars] == ["drift"]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_payload_becomes_an_element(payload: str) -> None:
    hostile = series(named={payload: 1.0}, reason_code=payload, source=payload, policy=payload)
    for figure in drawn(hostile, (MarkRow(kind="pin", text=payload, step=1),)):
        tags = {one.tag.removeprefix(SVG) for one in svg(figure).iter()}
        assert tags <= {"svg", "title", "g", "line", "text", "path", "circle", "rect", "a"}


def test_a_strip_has_a_cell_for_each_point_that_has_a_rate() -> None:
    strip = fromstring(str(draw_strip([0.0, None, 1.0], "rates")))
    assert [one.get("x") for one in strip] == ["0", "2"]
