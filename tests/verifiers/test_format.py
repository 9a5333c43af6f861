"""``format``: what is built by the rule is accepted, and whatever is damaged is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from trueward import Sample
from trueward.errors import InvalidParameters
from verifiers import registry

TAGS = ["plan", "code", "test"]
CONTENT = st.text(alphabet="ab \n<>/", min_size=1, max_size=20).map(lambda text: text + ".")
SPACE = st.text(alphabet=" \n\t", max_size=3)
VERIFIER = registry.create("format", {"tags": [*TAGS]})


def outcome(text: str) -> str:
    return VERIFIER.verify([Sample(response=text)])[0].outcome


@given(st.lists(CONTENT, min_size=3, max_size=3), st.lists(SPACE, min_size=4, max_size=4))
def test_sections_in_order_are_accepted_whatever_they_hold(contents: list[str], spaces: list[str]) -> None:
    sections = [f"<{tag}>{content}</{tag}>" for tag, content in zip(TAGS, contents, strict=True)]
    text = spaces[0] + "".join(section + space for section, space in zip(sections, spaces[1:], strict=True))
    assert outcome(text) == "correct"


@given(st.permutations(range(6)), st.integers(0, 5))
def test_any_other_order_and_any_missing_or_doubled_tag_is_refused(order: list[int], damaged: int) -> None:
    marks = [mark for tag in TAGS for mark in (f"<{tag}>", f"</{tag}>")]
    shuffled = [marks[i] for i in order]
    if shuffled != marks:
        assert outcome("x".join(shuffled)) == "incorrect"
    whole = "".join(mark if mark.startswith("</") else mark + "x" for mark in marks)
    assert outcome(whole) == "correct"
    assert outcome(whole.replace(marks[damaged], "")) == "incorrect"
    assert outcome(whole.replace(marks[damaged], marks[damaged] * 2)) == "incorrect"


@pytest.mark.parametrize("tags", [[], ["a", "a"], ["a b"], ["1"], ["a>"], ["x" * 65], [f"t{i}" for i in range(17)]])
def test_tags_that_cannot_be_are_refused(tags: list[JsonValue]) -> None:
    with pytest.raises(InvalidParameters):
        registry.create("format", {"tags": tags})
