"""Figures: what is where, what is left out, and numbers that no plot expects."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits.figures.figure import describe_omissions, description, draw_figure, empty
from tests.audits.made import figures
from trueward.wire.audit import Figure, FigureLine

MATRIX, LINES, BARS, RELIABILITY, NOTHING = figures()


def svg(figure: Figure) -> Element:
    return fromstring(draw_figure(figure, "f1"))


def texts(root: Element) -> list[str]:
    return [element.text or "" for element in root.iter("text")]


def numbers(root: Element) -> list[float]:
    """Every coordinate of the drawing."""
    names = ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height")
    return [float(element.attrib[name]) for element in root.iter() for name in names if name in element.attrib]


@pytest.mark.parametrize("figure", [MATRIX, LINES, BARS, RELIABILITY], ids=lambda figure: figure.kind)
def test_a_drawing_is_named_and_told_in_words(figure: Figure) -> None:
    root = svg(figure)
    title, told = root[0], root[1]
    assert (title.tag, title.text, title.attrib["id"]) == ("title", figure.title, "f1-title")
    assert (told.tag, told.text) == ("desc", description(figure))
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == "f1-title f1-text"


def test_the_words_have_the_numbers() -> None:
    assert description(MATRIX).startswith("right: accepted 460, rejected 40, no verdict 3; wrong: accepted 12")
    assert description(BARS) == ("gsm8k: 0.3 (0.2 to 0.4); aime: 0.1 (0 to 0.25); empty: no value; mark at 0.2: limit")
    assert description(LINES).startswith("invalid: 0 at 0 to 0.59 at 59, between 0 and 0.59; null: ")
    assert description(NOTHING) == "nothing to draw"


def test_a_gap_interrupts_a_line_and_its_band() -> None:
    paths = [element.attrib for element in svg(LINES).iter("path")]
    assert sum(path["class"] == "curve s0" for path in paths) == 2
    assert sum(path["class"] == "band s0" for path in paths) == 2
    assert sum(path["class"] == "curve s1" for path in paths) == 1


def test_marks_in_sight_are_drawn_and_others_are_not() -> None:
    assert "alarm" in texts(svg(LINES))
    assert "out of sight" not in texts(svg(LINES))
    assert "limit" in texts(svg(BARS))


def test_bars_are_in_the_order_of_x_and_say_where_nothing_is_known() -> None:
    shown = texts(svg(BARS))
    assert [name for name in shown if name in ("aime", "gsm8k", "empty")] == ["aime", "gsm8k", "empty"]
    assert "nothing to estimate from" in shown


def test_a_bar_lies_where_its_value_is() -> None:
    root = svg(BARS)
    ticks = {text.text: float(text.attrib["x"]) for text in root.iter("text") if text.text in ("0.1", "0.3")}
    assert [float(dot.attrib["cx"]) for dot in root.iter("circle")] == [ticks["0.1"], ticks["0.3"]]


def test_the_matrix_has_its_numbers_where_they_belong() -> None:
    shown = [text for text in texts(svg(MATRIX)) if text not in ("verdict", "truth")]
    assert shown == ["accepted", "rejected", "no verdict", "right", "460", "40", "3", "wrong", "12", "964", "\u2013"]


def test_the_reliability_diagram_has_its_diagonal_and_axes_from_0_to_1() -> None:
    root = svg(RELIABILITY)
    [diagonal] = [line for line in root.iter("line") if line.attrib.get("class") == "diagonal"]
    zero, one = (
        [float(text.attrib["x"]) for text in root.iter("text") if text.text == label] for label in ("0", "1.0")
    )
    assert float(diagonal.attrib["x1"]) in zero
    assert float(diagonal.attrib["x2"]) in one


def test_one_line_needs_no_legend_and_several_have_one() -> None:
    assert not [group for group in svg(RELIABILITY).iter("g") if group.attrib["class"] == "legend"]
    [legend] = [group for group in svg(LINES).iter("g") if group.attrib["class"] == "legend"]
    assert texts(legend) == ["invalid", "null"]


def test_a_long_name_is_cut_and_whole_in_a_title() -> None:
    long = "data_source=" + "x" * 500
    figure = BARS.model_copy(update={"lines": [FigureLine(name=long, x=[0.0], y=[0.5])]})
    [text] = [text for text in svg(figure).iter("text") if (text.text or "").startswith("data_source")]
    assert len(text.text or "") == 26
    assert [title.text for title in text] == [long]


def test_what_has_no_room_is_counted() -> None:
    many = [FigureLine(name=str(index), x=[float(index)], y=[0.5]) for index in range(100)]
    assert describe_omissions(Figure(kind="bars", title="", lines=many)) == "40 further rows are in the JSON report"
    assert describe_omissions(Figure(kind="lines", title="", lines=many)) == "76 further lines are in the JSON report"
    wide = Figure(kind="matrix", title="", lines=many, labels=[str(index) for index in range(20)])
    assert (
        describe_omissions(wide) == "70 further rows are in the JSON report; 8 further columns are in the JSON report"
    )
    assert describe_omissions(LINES) == ""


def test_a_figure_without_a_value_is_empty() -> None:
    assert empty(NOTHING)
    assert empty(Figure(kind="bars", title="", lines=[FigureLine(name="a", x=[0.0], y=[None])]))
    assert not empty(BARS)


VALUES = st.floats(allow_nan=False, allow_infinity=False)
LINE = st.builds(
    FigureLine,
    name=st.text(max_size=40),
    x=st.lists(VALUES, max_size=6),
    y=st.lists(st.none() | VALUES, max_size=6),
    low=st.none() | st.lists(st.none() | VALUES, max_size=6),
    high=st.none() | st.lists(st.none() | VALUES, max_size=6),
)


@settings(max_examples=150, deadline=None)
@given(
    kind=st.sampled_from(["lines", "bars", "reliability", "matrix"]),
    lines=st.lists(LINE, max_size=5),
    labels=st.lists(st.text(max_size=20), max_size=14),
    marks=st.lists(st.tuples(VALUES, st.text(max_size=20)), max_size=3),
)
def test_any_numbers_make_a_drawing_within_its_frame(
    kind: str, lines: list[FigureLine], labels: list[str], marks: list[tuple[float, str]]
) -> None:
    figure = Figure.model_validate({"kind": kind, "title": "t", "lines": lines, "labels": labels, "marks": marks})
    root = svg(figure)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for number in numbers(root):
        assert math.isfinite(number)
        assert -30 <= number <= max(width, height) + 30
