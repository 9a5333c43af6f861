"""What strangers wrote stays what it is: no payload becomes markup, in any function that shows text."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from xml.etree import ElementTree

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from app.pages.environment import render_template
from app.pages.highlight import LANGUAGES, highlight_code
from app.pages.inert import SHOWN, as_text, inert, inert_json, inert_line, inert_words, sentence
from app.pages.maths import ATTRIBUTES, ELEMENTS, LONGEST, mathml
from app.pages.prose import ELEMENTS as TEXT
from app.pages.prose import plain, prose
from tests.pages.hostile import LONG, PAYLOADS
from tests.pages.markup import Elements

SHOWING = (inert, inert_line, inert_words, inert_json, plain, prose)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("there is no run 'a'; GET /v1/runs lists them", "There is no run 'a'; GET /v1/runs lists them."),
        ("step_min must not be over step_max", "step_min must not be over step_max."),
        ("rest: Input should be less than 1", "rest: Input should be less than 1."),
        ("Is the service running there?", "Is the service running there?"),
        ("", ""),
    ],
)
def test_a_message_becomes_a_sentence_and_a_name_stays_as_it_is(message: str, told: str) -> None:
    assert sentence(message) == told


def assert_harmless(markup: Markup) -> None:
    for tag, attributes in Elements(markup).tags:
        assert tag in TEXT | ELEMENTS
        assert set(attributes) <= {"class"} | (
            set(ATTRIBUTES) if tag in ELEMENTS else {"start"} if tag == "ol" else set()
        )


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_payload_becomes_an_element(payload: str) -> None:
    for show in SHOWING:
        assert_harmless(show(payload))
        assert_harmless(show(f"$$ {payload} $$ ```python\n{payload}\n``` \\( {payload} \\)"))
    for language in LANGUAGES:
        assert_harmless(highlight_code(payload, language))


_VISIBLE = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"
"""Signs of Arabic and Syriac that are written, though Unicode calls them formats."""
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\ufe00\uffa0\U0001d159"
"""Letters and signs without ink."""
_UNSEEN = [
    character
    for character in map(chr, range(0xE0022))
    if character in _BLANK
    or (
        (unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") and character not in f"{_VISIBLE}\t\n\r")
        and not "\U000110bd" <= character <= "\U0001343f"
    )
]


@pytest.mark.parametrize("show", [inert, inert_line, inert_words, plain, prose])
@pytest.mark.parametrize(
    "form", ["{}ab cd", "ab{}cd", "ab cd{}", "ab{}\n\n- cd{}\n\n{}ef", "**a{}** `{}`", "| a{} |\n|---|\n| b |"]
)
def test_what_is_not_seen_is_shown_by_its_number(show: Callable[[str], Markup], form: str) -> None:
    for character in _UNSEEN:
        number = f"U+{ord(character):04X}"
        assert show(form.format(*[character] * form.count("{}"))).count(number) == form.count("{}"), number


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_no_text_becomes_an_element(text: str) -> None:
    for show in SHOWING:
        assert_harmless(show(text))


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("\\{}$&^_#ab1 <>()[]\n%frac sqrt text left right"), max_size=80))
def test_no_formula_becomes_more_than_mathematics(source: str) -> None:
    made = mathml(source)
    assert made is None or {tag for tag, _ in Elements(made).tags} <= ELEMENTS


def test_what_stands_between_backticks_is_code() -> None:
    made = inert_words("set `on_truncated`, not ` or `<b>`")
    assert made == "<bdi>set <code>on_truncated</code>, not <code> or </code>&lt;b&gt;`</bdi>"
    assert inert_words("a `b` c", 4) == "<bdi>a `b\u2026</bdi>"


def test_plain_text_is_shown_as_it_is() -> None:
    text = "Two lines:\n\ta < b && \"c\" 'd' \u00e9 \u4e2d \u0627\u0644 \U0001f600"
    assert Elements(inert(text)).text == text


def test_what_hides_or_turns_text_is_shown_by_its_number() -> None:
    shown = Elements(inert("a\u202eb\u200b\u200bc\x00d\ufeff\U000e0041")).text
    assert shown == "aU+202EbU+200B \u00d72cU+0000dU+FEFFU+E0041"
    assert Elements(inert("\ud800")).text == "U+D800"


def test_a_tower_of_marks_is_cut() -> None:
    shown = Elements(inert("e" + "\u0301" * 400)).text
    assert shown == "e" + "\u0301" * 6 + "394 combining marks"
    assert Elements(inert("e\u0301\u0302")).text == "e\u0301\u0302"


@pytest.mark.parametrize("show", SHOWING)
def test_no_more_is_shown_than_asked_for(show: object) -> None:
    assert callable(show)
    assert len(show(LONG)) < 60 * SHOWN
    assert len(Elements(show("a" * 9 * SHOWN)).text) <= SHOWN + 1


def test_mathematics_is_mathematics() -> None:
    made = prose(r"So $\frac{a}{b} \le \sqrt{2}$ and \[\begin{pmatrix}1 & 2\\ 3 & 4\end{pmatrix}\] hold.")
    tags = [tag for tag, _ in Elements(made).tags]
    assert (tags.count("math"), tags.count("mfrac"), tags.count("msqrt"), tags.count("mtd")) == (2, 1, 1, 4)
    for formula in ElementTree.fromstring(f"<p>{made}</p>").iter("math"):
        assert formula.get("display") in ("inline", "block")


@pytest.mark.parametrize("price", ["it costs $5 and $6", "US$ 5, CA$ 6", "a $ b $ c", "$a\nb$"])
def test_money_is_no_mathematics(price: str) -> None:
    assert {tag for tag, _ in Elements(prose(price)).tags} == {"p"}
    assert Elements(prose(price)).text == price


@pytest.mark.parametrize(
    "source",
    [
        r"\newcommand{\a}{\b\b}\a",
        r"\def\a{\a\a}\a",
        r"\href{javascript:alert(1)}{x}",
        r"\style{color:red}{x}",
        r"\class{bar}{x}",
        r"\unicode{x3c}",
        r"\hspace{9999em}",
        r"\rule{999em}{999em}",
        r"\color{red}x",
        r"\begin{evil}x\end{evil}",
        "{" * 40 + "x" + "}" * 40,
        r"\sqrt" * 199 + "x",
        "x" * (LONGEST + 1),
        r"\frac{1}{",
        "% a comment",
        r"\left" * 50,
        "",
    ],
)
def test_what_is_beyond_the_subset_is_shown_as_its_source(source: str) -> None:
    assert mathml(source) is None
    assert Elements(prose(f"\\({source}\\)")).text == f"\\({source}\\)"


def test_code_keeps_every_character() -> None:
    code = "def f(x):\n\treturn '<b>' # \u00e9\n\n\n  "
    for language in (*LANGUAGES, "unheard of"):
        assert Elements(highlight_code(code, language)).text == code
    assert ("span", {"class": "k"}) in Elements(prose(f"```python\n{code}\n```")).tags


def test_a_block_of_code_that_is_never_closed_is_code_to_the_end() -> None:
    made = Elements(prose("a\n```python\nx = $y$ <b>"))
    assert made.text == "ax = $y$ <b>"
    assert [tag for tag, _ in made.tags][:2] == ["p", "pre"]


def test_messages_are_shown_one_below_the_other() -> None:
    told = as_text([{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": [{"type": "text"}]}])
    assert told.startswith("[user]\n2+2?\n\n[assistant]\n")


def test_a_short_value_stands_on_one_line_and_a_long_one_on_several() -> None:
    assert as_text([88, 91]) == "[88, 91]"
    assert as_text([10**6] * 12).count("\n") == 13


def test_what_a_template_puts_in_plainly_is_escaped_as_well() -> None:
    class Visit:
        token = name = ""
        keyless = False
        principal = type("P", (), {"scopes": frozenset()})
        request = None

    class View:
        title, detail, errors, status, code = "<b>\u202e", "<i>", (), 404, "<u>"

    page = render_template("problem.html", visit=Visit, view=View)
    assert "&lt;b&gt;\ufffd" in page
    assert not {"b", "i", "u"} & {tag for tag, _ in Elements(page).tags}


def test_a_long_text_is_fetched_in_pieces_and_as_plain_text(site: str) -> None:
    long = LONG + "<script>"
    body = {"verifier": "exact", "samples": [{"prompt": long, "response": "a", "reference": "b"}]}
    record = httpx2.post(f"{site}/v1/verify", json=body, timeout=60.0).json()["verdicts"][0]["record"]
    whole = httpx2.get(f"{site}/ui/text/{record}/prompt", timeout=60.0)
    assert whole.text == long
    assert whole.headers["content-type"] == "text/plain; charset=utf-8"
    assert "sandbox" in whole.headers["content-security-policy"]
    assert httpx2.get(f"{site}/ui/text/{record}/prompt?offset={len(long) - 8}", timeout=60.0).text == "<script>"
    pieces, offset = [], 0
    while offset is not None:
        piece = httpx2.get(f"{site}/ui/text/{record}/prompt?piece=1&format=json&offset={offset}", timeout=60.0).json()
        pieces.append(piece["text"])
        offset = piece["next"]
    assert "".join(pieces) == long
    shown = httpx2.get(f"{site}/ui/text/{record}/prompt?piece=1", timeout=60.0).text
    assert "offset=20000" in shown
    assert {tag for tag, _ in Elements(shown).tags} <= {"p", "button", "a", "span"}
