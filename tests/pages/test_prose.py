"""A text as people read it: Markdown, formulas and code in few elements, with nothing left out, in bounded time."""

from __future__ import annotations

import re
import time
from string import ascii_letters

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.pages.inert import SHOWN
from app.pages.maths import ATTRIBUTES
from app.pages.maths import ELEMENTS as MATHEMATICS
from app.pages.prose import ELEMENTS, is_formatted, plain, prose
from tests.pages.hostile import PAYLOADS
from tests.pages.markup import Elements

SPECIAL = ["**", "```", "~~~", "|---|", "$$", "\\(", "\\)", "\\[", "\\]", "\\boxed{", "}", "<b>", "[a](b)", "![a](b)"]
PIECES = [
    *"*_`~#>|-+.$\\[]()<>!&:\n\t 019aB\ufdd0\ufdd1\u202e\x00\u0301",
    *SPECIAL,
    "\n\n",
    "\n- ",
    "\n1. ",
    "\r\n",
    "    ",
]
MARKDOWN = st.lists(st.sampled_from(PIECES), max_size=120).map("".join)
BOMBS = {
    "quotes": ">" * SHOWN,
    "lists": "- a\n" + "\n".join("  " * depth + "- a" for depth in range(60)),
    "emphasis": "*a **b " * 600,
    "stars": "a" + "*" * SHOWN,
    "strikes": "~~a " * 1000,
    "ticks": "".join("`" * (1 + number % 60) + "a" for number in range(130)),
    "a wide table": "|a" * 1000 + "\n" + "|-" * 1000 + "\n" + "x\n" * 100,
    "a long table": "|a|b|c\n|-|-|-\n" + "a\n" * 1990,
    "dollars": "$a" * 2000,
    "boxes": "\\boxed{" * 570,
    "fences": "```\na\n" * 600,
    "brackets": "[a](" * 1000,
    "mixed": "> - 1. *`$" * 400,
}


def assert_known(text: str, spans: list[tuple[int, int]] | None = None) -> Elements:
    made = Elements(prose(text, SHOWN, spans or []))
    for tag, attributes in made.tags:
        assert tag in ELEMENTS | MATHEMATICS
        allowed = {"class"} | (set(ATTRIBUTES) if tag in MATHEMATICS else {"start"} if tag == "ol" else set())
        assert set(attributes) <= allowed
    return made


@settings(max_examples=300, deadline=None)
@given(MARKDOWN, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=3))
def test_no_element_or_attribute_beside_the_known_ones(text: str, spans: list[tuple[int, int]]) -> None:
    assert_known(text)
    assert_known(text, spans)


@settings(max_examples=300, deadline=None)
@given(MARKDOWN)
def test_no_letter_is_left_out(text: str) -> None:
    """Those of a formula are its symbols' names, so there are none in the alphabet of this test but two."""
    letters = [character for character in text.replace("boxed", "") if character in "aB"]
    shown = [character for character in assert_known(text).text.replace("boxed", "") if character in "aB"]
    assert shown == letters


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_takes_bounded_time_and_room(name: str) -> None:
    started = time.process_time()
    made = prose(BOMBS[name])
    assert time.process_time() - started < 1.0
    assert len(made) < 40 * SHOWN


@pytest.mark.parametrize("payload", PAYLOADS)
def test_every_payload_keeps_its_letters(payload: str) -> None:
    """A formula shows symbols for names, so texts with a dollar are not counted."""
    made = assert_known(payload)
    if "$" not in payload and "\\" not in payload:
        kept = re.sub("[^a-zA-Z]", "", made.text)
        assert all(kept.count(letter) >= payload.count(letter) for letter in ascii_letters if letter != "U")


def test_markdown_is_read() -> None:
    made = assert_known(
        "# Head\n\n**bold** *it* ~~no~~ `x`\n\n3. a\n4. b\n\n- c\n\n> q\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n---"
    )
    tags = [tag for tag, _ in made.tags]
    assert ("p", {"class": "heading"}) in made.tags
    assert {"strong", "em", "s", "code", "ol", "ul", "li", "blockquote", "table", "th", "td", "hr"} <= set(tags)
    assert ("ol", {"start": "3"}) in made.tags
    assert ("td", {"class": "right"}) in made.tags


def test_links_images_html_and_entities_stay_text() -> None:
    text = "[a](http://b.c) ![d](e) <b>f</b> <http://g.h> &lt; http://i.j"
    made = assert_known(text)
    assert made.text == text
    assert [tag for tag, _ in made.tags] == ["p"]


def test_a_definition_of_a_link_is_shown() -> None:
    assert "secret" in assert_known("text\n\n[secret]: http://a.b 'title'").text


def test_cells_beyond_the_head_are_shown() -> None:
    made = assert_known("| a |\n|---|\n| 1 | 2 |")
    assert made.text.count("2") == 1
    assert "table" not in {tag for tag, _ in made.tags}


def test_lines_keep_their_ends_and_indents() -> None:
    assert assert_known("x = 1\n      * 2\n  y").text == "x = 1\n      * 2\n  y"


def test_formulas_stand_in_markdown_untouched() -> None:
    made = prose(
        "**so** $a_1 + b_1$ and *then* \\(c_2*d*e\\)\n\n- $x$ | \\[\n\\begin{aligned}\n- y &= 1\n\\end{aligned}\n\\]"
    )
    assert made.count("<math") == 4
    assert "<em>then</em>" in made


@pytest.mark.parametrize("text", ["$ 5 \\times 13 $", "$ x = 5 $", "\\boxed{\\frac{1}{2}}", "\\boxed 5 and \\boxed{7}"])
def test_spaced_dollars_and_bare_boxes_are_formulas(text: str) -> None:
    assert prose(text).count("<math") == 1


def test_a_box_of_words_keeps_their_spaces() -> None:
    assert prose("\\boxed{no such number}") == '<p><span class="boxed">no such number</span></p>'


def test_no_formula_is_looked_for_in_code() -> None:
    assert assert_known("`$x$` $5 `a$`\n\n~~~\n$y$\n~~~").text == "$x$ $5 a$$y$"


def test_a_block_of_code_shows_what_it_calls_itself_unless_that_is_its_language() -> None:
    assert assert_known("```answer 7\nx\n```").text == "answer 7\nx"
    assert assert_known("```python\nx\n```").text == "x"


def test_a_span_is_marked_in_text_formula_and_code() -> None:
    assert prose("so 42.", spans=[(3, 5)]) == "<p>so <mark>42</mark>.</p>"
    assert "<mark><math" in prose("$\\boxed{5}$", spans=[(8, 9)])
    assert "<mark>7</mark>" in prose("```\nx = 7\n```", spans=[(8, 9)])
    assert "<strong><mark>7</mark></strong>" in prose("**7**", spans=[(2, 3)])
    assert plain("**7** <b>", spans=[(2, 3), (2, 3), (8, 99)]) == "**<mark>7</mark>** &lt;b&gt;"


def test_a_text_that_reads_as_it_was_written_needs_no_second_view() -> None:
    assert not is_formatted(prose("Two lines.\n\nAnd <b>one</b> more \u202e."))
    assert not is_formatted(prose("so 42.", spans=[(3, 5)]))
    assert is_formatted(prose("a **b**"))
    assert is_formatted(prose("$x$"))
