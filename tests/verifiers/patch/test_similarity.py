"""SWE-RL's formula against its parts, and everything that is no patch by its rules."""

from __future__ import annotations

import difflib
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueward import Sample, Verdict
from verifiers.patch.edits import find_blocks
from verifiers.patch.similarity import PatchSimilarityParams, PatchSimilarityVerifier

FILES = {"a.txt": "one\ntwo\nthree\n", "b.txt": "x\n"}
LINES = st.lists(st.sampled_from(["one", "two", "three", "", "four"]), min_size=1, max_size=8)


def block(path: str, search: str, replace: str) -> str:
    return f"```\n### {path}\n<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n```\n"


def judged(
    *edits: str, patched: dict[str, str] | None = None, files: dict[str, str] = FILES, **params: bool
) -> Verdict:
    response = f"<think>why</think><solution>{''.join(edits)}</solution>"
    reference = {"files": dict(files), "patched": patched or {"a.txt": "one\n2\nthree\n"}}
    verifier = PatchSimilarityVerifier(PatchSimilarityParams(**params))
    return verifier.verify([Sample(response=response, reference=reference)])[0]


def diff(before: str, after: str) -> str:
    return "\n".join(list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=3))[2:])


def test_the_ratio_is_difflibs() -> None:
    verdict = judged(block("a.txt", "two", "zwei"))
    pair = (diff(FILES["a.txt"], "one\nzwei\nthree\n"), diff(FILES["a.txt"], "one\n2\nthree\n"))
    assert verdict.score == difflib.SequenceMatcher(None, *pair, autojunk=False).ratio()


def test_a_file_that_one_side_alone_changes_counts_as_zero() -> None:
    alone = judged(block("a.txt", "two", "zwei")).score
    both = judged(block("a.txt", "two", "zwei"), block("b.txt", "x", "y")).score
    assert alone is not None
    assert both == alone / 2


@given(before=LINES, gold=LINES, given_=LINES)
@settings(max_examples=60, deadline=None)
def test_the_score_is_the_formulas_for_any_three_texts(before: list[str], gold: list[str], given_: list[str]) -> None:
    old, wanted, new = ("\n".join(["START", *lines, "END"]) for lines in (before, gold, given_))
    verdict = judged(block("a.txt", old, new), files={"a.txt": old}, patched={"a.txt": wanted})
    if new == old:
        assert verdict.reason_code == "empty_edit"
        return
    ratio = difflib.SequenceMatcher(None, diff(old, new), diff(old, wanted), autojunk=False).ratio()
    assert verdict.score == (ratio if wanted != old else 0.0)


def test_a_search_text_is_replaced_wherever_it_begins_a_line() -> None:
    files = {"a.txt": "x = 1\ny = x = 1\nx = 1\n"}
    verdict = judged(block("a.txt", "x = 1", "x = 2"), files=files, patched={"a.txt": "x = 2\ny = x = 1\nx = 2\n"})
    assert verdict.outcome == "correct"


@pytest.mark.parametrize(
    ("response", "code"),
    [
        ("<think>t</think><solution></solution>", "no_edits"),
        ("<think>t</think>" + block("a.txt", "two", "2"), "bad_tags"),
        ("<think>t</think><think>u</think><solution>" + block("a.txt", "two", "2") + "</solution>", "bad_tags"),
        ("<think> </think><solution>" + block("a.txt", "two", "2") + "</solution>", "empty_thought"),
        ("<think>t</think><solution>" + block("a.txt", "zwei", "2") + "</solution>", "search_not_found"),
        ("<think>t</think><solution>" + block("a.txt", "wo", "2") + "</solution>", "search_not_found"),
        ("<think>t</think><solution>" + block("a.txt", "two", "two") + "</solution>", "empty_edit"),
        ("<think>t</think><solution>" + block("../a.txt", "two", "2") + "</solution>", "bad_path"),
        ("<think>t</think><solution>" + "x" * 300_000 + "</solution>", "too_long"),
    ],
)
def test_another_form_is_the_papers_minus_one(response: str, code: str) -> None:
    reference = {"files": dict(FILES), "patched": {"a.txt": "one\n2\nthree\n"}}
    verdict = PatchSimilarityVerifier().verify([Sample(response=response, reference=reference)])[0]
    assert (verdict.outcome, verdict.score, verdict.reason_code) == ("invalid", 0.0, code)


def test_thinking_that_the_template_opened_or_the_server_took_out_counts() -> None:
    solution = f"<solution>{block('a.txt', 'two', '2')}</solution>"
    reference = {"files": dict(FILES), "patched": {"a.txt": "one\n2\nthree\n"}}
    opened = Sample(response=f"why</think>{solution}", prefix="<think>\n", reference=reference)
    separate = Sample(response=solution, reasoning="why", reference=reference)
    assert [verdict.outcome for verdict in PatchSimilarityVerifier().verify([opened, separate])] == [
        "correct",
        "correct",
    ]


def test_edits_that_multiply_a_file_are_stopped() -> None:
    doubling = [block("a.txt", "two", "two \n" + "two") for _ in range(40)]
    assert judged(*doubling).reason_code == "patch_too_large"


@pytest.mark.parametrize("text", ["(" * 5000 + ")" * 5000, "x = (", "-" * 100_000 + "1"])
def test_python_that_cannot_be_parsed_any_more_is_invalid(text: str) -> None:
    files = {"a.py": "two\n"}
    verdict = judged(block("a.py", "two", text), files=files, patched={"a.py": "2\n"})
    assert verdict.outcome == "invalid"
    assert (
        judged(block("a.py", "two", "x = ("), files=files, patched={"a.py": "2\n"}, syntax=False).outcome == "partial"
    )


RELEASED = re.compile(
    r"```.*?\n### (.*)\n<<<<<<< SEARCH\n([\s\S]*?)\n=======\n([\s\S]*?)(?:\n|(?<=\n=======\n))>>>>>>> REPLACE\n```"
)
"""How the release finds blocks, but for a replacement of no line; its time grows with the square of some texts."""
PIECES = [
    *("```", "```python\n", "```\n", "### a\n", "### b.py\n", "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"),
    *("\n", "x", "x\n", " "),
]


@st.composite
def damaged_blocks(draw: st.DrawFn) -> str:
    text = ""
    for _ in range(draw(st.integers(1, 3))):
        parts = ["```python\n", "### a\n", "<<<<<<< SEARCH\n", "x\n", "=======\n", "y\n", ">>>>>>> REPLACE\n", "```"]
        for _ in range(draw(st.integers(0, 2))):
            place = draw(st.integers(0, len(parts)))
            parts[place : place + draw(st.integers(0, 1))] = [draw(st.sampled_from(PIECES))]
        text += "".join(parts) + draw(st.sampled_from(["", "\n", " x\n"]))
    return text


@settings(deadline=None)
@given(damaged_blocks() | st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_blocks_are_those_of_the_release(text: str) -> None:
    assert list(find_blocks(text)) == RELEASED.findall(text)


@pytest.mark.parametrize(
    "text",
    ["```" * 60_000, "```\n### a\n<<<<<<< SEARCH\n" * 6_000, "```\n### a\n<<<<<<< SEARCH\n" * 6_000 + "\n=======\n"],
)
def test_finding_blocks_is_linear(text: str) -> None:
    """With the release's expression the first of these takes a minute and a half."""
    start = time.process_time()
    assert not list(find_blocks(text))
    assert time.process_time() - start < 1
