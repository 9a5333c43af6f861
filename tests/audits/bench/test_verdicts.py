"""Known responses against verdicts: rates by domain and type of answer, and what is passed at k."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import JsonValue

from tests.audits.bench.scripted import benched
from trueward.errors import InvalidRequest
from trueward.gate import gate
from trueward.wire.audit import Subject


def row(said: str, right: bool, number: int = 0, **rest: JsonValue) -> dict[str, JsonValue]:
    return {"prompt": f"q{number}", "response": said, "right": right, **rest}


TEN = [
    *(row("correct", True, number, domain="maths", answer_type="number") for number in range(3)),
    row("incorrect", True, 3, domain="maths", answer_type="set"),
    *(row("incorrect", False, number, domain="maths", answer_type="number") for number in range(4, 8)),
    row("correct", False, 8, domain="law", answer_type="text"),
    row("abstained", False, 9, domain="law", answer_type="text"),
]


async def test_rates_are_those_of_the_confusion() -> None:
    report = await benched("verdicts", TEN)
    findings: Any = report.findings
    found = findings["by_example"]
    assert (found["false_positive_rate"], found["false_negative_rate"]) == (1 / 5, 1 / 4)
    assert (found["precision"], found["recall"], found["accuracy"]["rate"]) == (3 / 4, 3 / 4, 7 / 9)
    assert findings["by_section"]["accuracy"]["rate"] == pytest.approx((7 / 8 + 0) / 2)
    assert findings["domains"]["law"]["wrong_missing"] == 1
    assert findings["answer_types"]["set"]["false_negative_rate"] == 1.0
    assert findings["missing"] == {"rows": 1, "by_reason": {"abstained": 1}}
    assert any(note.startswith("1 rows have no verdict") and note.endswith("abstained (1)") for note in report.notes)
    assert report.origins == {"benchmark": 10}


async def test_types_of_answer_are_a_table_where_rows_name_any() -> None:
    titles = [table.title for table in (await benched("verdicts", TEN)).tables]
    assert "By type of answer" in titles
    unnamed = [{name: value for name, value in one.items() if name != "answer_type"} for one in TEN]
    assert [table.title for table in (await benched("verdicts", unnamed)).tables] == [
        title for title in titles if title != "By type of answer"
    ]


async def test_the_gate_can_hold_them_against_limits() -> None:
    report = await benched("verdicts", TEN)
    assert [(one.errors, one.items) for one in report.false_positives[:2]] == [(1, 5), (1, 5)]
    assert gate(report, 0.25, 0.3, "rate").passed
    assert not gate(report, 0.25, 0.3, "upper").passed


async def test_scores_need_a_threshold() -> None:
    rows = [row("0.9", True, 1), row("0.2", False, 2), row("0.7", False, 3)]
    with pytest.raises(InvalidRequest, match="state the subject's threshold"):
        await benched("verdicts", rows)
    found: Any = (await benched("verdicts", rows, subject=Subject(verifier="scripted", threshold=0.5))).findings
    assert found["by_example"]["false_positive_rate"] == 0.5


async def test_one_class_leaves_the_other_rate_unknown() -> None:
    report = await benched("verdicts", [row("correct", True, number) for number in range(3)])
    found: Any = report.findings["by_example"]
    assert (found["false_positive_rate"], found["false_negative_rate"]) == (None, 0.0)
    assert any("false-positive rate is not known" in note for note in report.notes)
    assert any("tells nothing apart" in note for note in report.notes)
    assert not gate(report, 0.9, None, "rate").passed, "what is not known does not pass"


async def test_pass_at_k_by_label_and_as_judged() -> None:
    """The worked number: 3 of 10 right make .533333 at 2. The verifier accepts one wrong answer more."""
    rows = [row("correct" if number < 4 else "incorrect", number < 3) for number in range(10)]
    found: Any = (await benched("verdicts", rows)).findings["pass_at_k"]
    assert [one["k"] for one in found] == [1, 2, 4, 8]
    assert found[1]["true"] == pytest.approx(0.533333, abs=1e-6)
    assert found[1]["as_judged"] == pytest.approx(1 - 15 / 45)
    assert (await benched("verdicts", TEN)).findings["pass_at_k"] == []


async def test_false_acceptances_are_the_worst() -> None:
    worst: Any = (await benched("verdicts", TEN)).findings["worst"]
    assert [(one["row"], one["right"]) for one in worst] == [(9, False), (4, True)]


async def test_prompts_that_repeat_widen_the_interval() -> None:
    alone = await benched("verdicts", [row("correct", False, number) for number in range(20)])
    shared = await benched("verdicts", [row("correct", False, number // 10) for number in range(20)])
    for report, low in ((alone, 0.83), (shared, 0.34)):
        bootstrap = next(one for one in report.false_positives if one.method == "cluster_bootstrap")
        assert bootstrap.interval is not None
        assert bootstrap.interval[0] == pytest.approx(low, abs=0.01)


async def test_a_group_is_what_errs_together_and_without_one_the_prompt() -> None:
    """As in labelled audits. Whose rows name neither are each on their own."""
    rows = [row("correct" if place % 6 else "incorrect", True, place // 6) for place in range(360)]
    bare = [{name: value for name, value in one.items() if name != "prompt"} for one in rows]
    grouped = [one | {"group": place // 6} for place, one in enumerate(bare)]
    apart = [one | {"group": place} for place, one in enumerate(rows)]
    notes = [
        [one.note for one in (await benched("verdicts", some)).false_negatives] for some in (rows, grouped, bare, apart)
    ]
    assert notes[0] == notes[1] == ["", "", "60 groups"]
    assert notes[2] == notes[3]
    assert notes[2] != notes[0]
    assert not any("does not read" in note for note in (await benched("verdicts", grouped)).notes)


async def test_a_split_shows_its_drop() -> None:
    rows = [row("correct", number < 9, number, split="regular") for number in range(10)]
    rows += [row("correct", number < 5, number, split="hard") for number in range(10)]
    splits: Any = (await benched("verdicts", rows)).findings["splits"]
    assert splits[1]["drop"] == pytest.approx(0.4)


async def test_every_error_is_listed_with_the_end_of_its_response() -> None:
    long = [row("0" * 600 + "0.9", False, number, reference="5") for number in range(30)]
    rows = [row("0.1", True, 40, id="late"), *long, row("0.9", True, 41), row("0.1", False, 42)]
    report = await benched("verdicts", rows, subject=Subject(verifier="scripted", threshold=0.5))
    [table] = [table for table in report.tables if table.title == "Rows that were judged wrongly"]
    shown = [dict(zip(table.columns, each, strict=True)) for each in table.rows]
    assert [one["label"] for one in shown] == ["wrong"] * 30 + ["right"]
    assert [one["row"] for one in shown] == [*range(2, 32), 1]
    assert shown[-1]["id"] == "late"
    assert all(str(one["response"]).endswith("00.9") and one["reference"] == '"5"' for one in shown[:-1])
    assert not [each for each in (await benched("verdicts", TEN[:3])).tables if each.title == table.title]


async def test_data_sources_are_the_domains_where_no_row_names_one() -> None:
    rows = [row("correct", True, number, data_source=f"s{number % 2}") for number in range(4)]
    assert list(await _domains(rows)) == ["s0", "s1"]
    assert list(await _domains([*rows, row("correct", True, 9, domain="law")])) == ["(none)", "law"]
    many = [row("correct", True, number, data_source=f"s{number}") for number in range(201)]
    assert list(await _domains(many)) == ["(none)"]


async def _domains(rows: list[dict[str, JsonValue]]) -> dict[str, Any]:
    found: dict[str, Any] = (await benched("verdicts", rows)).findings["domains"]  # type: ignore[assignment]
    return found
