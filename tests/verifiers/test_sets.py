"""``sets``: measures are those of sets, whatever the order and the way of writing a list."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward import Sample, Verdict
from verifiers import registry
from verifiers.items import items

ITEMS = st.lists(st.sampled_from(["oslo", "rome", "bern", "lima", "new york", "7"]), min_size=1, max_size=8)
MEASURES = ("f1", "precision", "recall", "iou")


def judge(response: str, reference: list[str], measure: str = "f1") -> Verdict:
    verifier = registry.create("sets", {"measure": measure})
    return verifier.verify([Sample(response=response, reference=[*reference])])[0]


def written(texts: list[str]) -> list[str]:
    return [
        ", ".join(texts),
        "; ".join(texts),
        json.dumps(texts),
        "\n".join(f"- {text}" for text in texts),
        "\n".join(f"{i}. {text}" for i, text in enumerate(texts, start=1)),
        "{" + ", ".join(texts) + "}",
    ]


@given(ITEMS, ITEMS, st.integers(0, 5), st.sampled_from(MEASURES))
def test_measures_are_those_of_sets_in_every_way_of_writing(
    given_items: list[str], gold: list[str], way: int, measure: str
) -> None:
    asked, wanted = set(given_items), set(gold)
    common = len(asked & wanted)
    expected = {
        "precision": common / len(asked),
        "recall": common / len(wanted),
        "f1": 2 * common / (len(asked) + len(wanted)),
        "iou": common / len(asked | wanted),
    }
    verdict = judge(f"<answer>{written(given_items)[way]}</answer>", gold, measure)
    assert verdict.score is not None
    assert abs(verdict.score - expected[measure]) < 1e-12, verdict
    assert (verdict.outcome == "correct") == (asked == wanted)


@given(ITEMS.flatmap(lambda texts: st.tuples(st.just(texts), st.permutations(texts))))
def test_order_never_counts(pair: tuple[list[str], list[str]]) -> None:
    texts, shuffled = pair
    assert judge(", ".join(shuffled), texts).outcome == "correct"


@given(st.text(max_size=200))
def test_any_text_has_items_or_none(text: str) -> None:
    assert all(isinstance(item, str) for item in items(text, lambda _: False))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a, b and c", ["a", " b", "c"]),
        ("rock and roll", ["rock", "roll"]),
        ('["rock and roll"]', ["rock and roll"]),
        ("$\\left\\{1, 2\\right\\}$", ["1", " 2"]),
        ("∅", []),
    ],
)
def test_items_are_what_a_reader_sees(text: str, expected: list[str]) -> None:
    assert items(text, lambda _: False) == expected


NAMES = st.lists(st.sampled_from(["oslo", "rome", "bern", "lima", "new york"]), min_size=2, max_size=5, unique=True)


@given(NAMES)
def test_tables_and_slashes_list_what_commas_list(names: list[str]) -> None:
    rows = "\n".join(f"| {name} |" for name in names)
    numbered = "\n".join(f"| {i} | {name} |" for i, name in enumerate(names, start=1))
    for text in (
        " / ".join(names),
        f"| City |\n|---|\n{rows}",
        f"Here:\n\n| # | City |\n|--:|:-:|\n{numbered}\n\nDone.",
    ):
        assert judge(text, names).outcome == "correct", text
        assert judge(text, [*names, "paris"]).outcome == "partial", text
        assert judge(text, names[1:]).outcome == "partial", text


@given(NAMES, st.sampled_from(["...", "…", "\\ldots", "....."]))
def test_dots_at_the_end_of_a_list_are_an_item_too_many(names: list[str], dots: str) -> None:
    for text in (
        ", ".join([*names, dots]),
        ", ".join(names) + dots,
        "; ".join([*names, dots]),
        "\n".join(f"- {name}" for name in [*names, dots]),
        " / ".join([*names, dots]),
    ):
        verdict = judge(text, names)
        assert (verdict.outcome, verdict.evidence["extra"]) == ("partial", ["(and more)"]), text
