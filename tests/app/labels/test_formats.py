"""What is exported imports again to the same labels, whatever stands in them; what cannot be read is named."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from app.labels.formats import FORMATS
from app.labels.schemas import PlacedLabel
from trueward.errors import FieldProblem, InvalidRequest
from trueward.wire.label import Label, LabelFormat
from verifiers.legible import legible

FORMS: list[LabelFormat] = ["jsonl", "csv", "label_studio"]
ID = "01M7ZQGR5F8CDBBH21DHZ6XC80"
CONTENT: dict[str, JsonValue] = {"prompt": "1 + 1?", "response": "<script>2</script>", "reference": "2"}
HOSTILE = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "'=1",
    "''-1",
    "'",
    'a "b", c',
    "two\nlines",
    "\u2028",
    "'plain",
]


def label(**changes: Any) -> Label:
    fields = {
        "id": ID,
        "sample": "ab12",
        "record": None,
        "right": True,
        "score": None,
        "annotator": "",
        "source": "human",
        "note": "",
        "probability": None,
        "reference": None,
        "draw": None,
        "position": None,
        "after_reveal": False,
        "owner": None,
        "created_at": datetime(2026, 11, 21, 12, 0, 0, 123456, tzinfo=UTC),
    }
    return Label(**{**fields, **changes})


def written(form: LabelFormat, labels: list[Label]) -> bytes:
    made = FORMATS[form]
    return f"{made.head}{made.block(labels, {one.sample: CONTENT for one in labels})}{made.tail}".encode()


def read(form: LabelFormat, body: bytes) -> list[PlacedLabel | FieldProblem]:
    return list(FORMATS[form].read(body))


def problems(form: LabelFormat, body: str) -> list[tuple[int | None, str]]:
    found = read(form, body.encode())
    return [(one.line, one.code) for one in found if isinstance(one, FieldProblem)]


def again(form: LabelFormat, labels: list[Label]) -> list[dict[str, Any]]:
    found = read(form, written(form, labels))
    assert [one for one in found if isinstance(one, FieldProblem)] == []
    return [one.label.model_dump() for one in found if isinstance(one, PlacedLabel)]


TEXTS = st.text(max_size=30).map(legible)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40, deadline=None)
@given(
    right=st.sampled_from([True, False, None]),
    score=st.none() | st.floats(-1e300, 1e300),
    texts=st.tuples(TEXTS, TEXTS),
    reference=st.none() | TEXTS | st.integers() | st.lists(TEXTS, max_size=3) | st.dictionaries(TEXTS, st.booleans()),
    later=st.booleans(),
)
def test_any_label_comes_back_as_it_was(
    form: LabelFormat, right: bool | None, score: float | None, texts: tuple[str, str], reference: Any, later: bool
) -> None:
    queued: dict[str, Any] = {"draw": ID, "position": 3, "probability": 0.25, "record": ID} if later else {}
    one = label(
        right=right, score=score, annotator=texts[0], note=texts[1], reference=reference, after_reveal=later, **queued
    )
    assert again(form, [one]) == [one.model_dump(exclude={"owner"})]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_cell_of_a_spreadsheet_is_a_formula(text: str) -> None:
    body = written("csv", [label(note=text, annotator=text, reference=text)])
    for row in csv.reader(io.StringIO(body.decode(), newline="")):
        assert [cell for cell in row if cell[:1] in tuple("=+-@\t\r\n") and cell] == []
    assert again("csv", [label(note=text)])[0]["note"] == text


def test_a_person_may_write_a_csv_by_hand() -> None:
    body = '\ufeffRight,Record,Reference,score\r\nTRUE,r1,1/2,0.5\r\n,r2,,\r\n0,r3,"[1, 2]",\r\n'
    said = [one.label for one in read("csv", body.encode()) if isinstance(one, PlacedLabel)]
    assert [(one.right, one.record, one.reference, one.score) for one in said] == [
        (True, "r1", "1/2", 0.5),
        (None, "r2", None, None),
        (False, "r3", [1, 2], None),
    ]
    assert said[0].source == "human"


def test_lines_are_counted_where_a_cell_has_several() -> None:
    body = 'sample,right,note\na,true,"one\ntwo"\n\nb,maybe,\nc,true\nd,true,,\n'
    assert problems("csv", body) == [(5, "csv_cell"), (6, "csv_row"), (7, "csv_row")]


@pytest.mark.parametrize("header", ["", "sample", "right", "sample,right,right", "sample,right,verdict", "\x00"])
def test_a_header_that_does_not_do_says_which_columns_there_are(header: str) -> None:
    with pytest.raises(InvalidRequest, match="the first line names the columns"):
        read("csv", f"{header}\na,true\n".encode())


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="UTF-8"):
        read("csv", b"sample,right\n\xff\xfe,true\n")
    assert problems("jsonl", '{"sample": "a", "right": true}\n{broken\n\n[1]\n{"sample": "a"}\n') == [
        (2, "json_invalid"),
        (4, "model_type"),
        (5, "missing"),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"right": "yes"},
        {"right": 1},
        {"score": 1e400},
        {"score": 10**400},
        {"probability": 0},
        {"probability": 5e-324},
        {"probability": 1.5},
        {"record": "r"},
        {"id": "short"},
        {"verdict": "correct"},
        {"draw": "d"},
        {"after_reveal": True},
        {"annotator": "a" * 257},
        {"created_at": "0001-01-01T00:00:00+05:00"},
        {"created_at": "2026-01-01T00:00:00"},
        {"reference": "[" * 300 + "]" * 300, "position": 1},
    ],
)
def test_what_is_no_label_is_a_problem_of_its_line_not_a_crash(wrong: dict[str, Any]) -> None:
    line = json.dumps({"sample": "a", "right": True, **wrong}).replace("Infinity", "1e999")
    assert [place for place, _ in problems("jsonl", line)] == [1]


def test_what_people_said_in_label_studio_is_read() -> None:
    task = {
        "id": 7,
        "data": {"record": "r1", "response": "2"},
        "annotations": [
            {
                "completed_by": {"id": 3, "email": "ann@example.org"},
                "lead_time": 3.2,
                "result": [
                    {"id": "x", "from_name": "verdict", "type": "choices", "value": {"choices": ["Wrong"]}},
                    {"from_name": "note", "type": "textarea", "value": {"text": ["no", "unit"]}},
                    {"from_name": "reference", "type": "textarea", "value": {"text": ["5 cm"]}},
                    {"from_name": "region", "type": "labels", "value": {"start": 1, "end": 2, "labels": ["x"]}},
                ],
            },
            {"completed_by": 4, "result": [{"value": {"choices": ["cannot tell"]}}]},
            {"completed_by": 5, "was_cancelled": True, "result": []},
        ],
        "predictions": [{"result": []}],
    }
    said = [one.label for one in read("label_studio", json.dumps([task]).encode()) if isinstance(one, PlacedLabel)]
    assert [(one.annotator, one.right, one.note, one.reference, one.record) for one in said] == [
        ("ann@example.org", False, "no\nunit", "5 cm", "r1"),
        ("4", None, "", None, "r1"),
    ]


@pytest.mark.parametrize(
    "task",
    [
        7,
        {},
        {"data": {"sample": "a"}},
        {"data": {}, "annotations": [{"result": [{"value": {"choices": ["right"]}}]}]},
        {"data": {"sample": "a"}, "annotations": [{"result": []}]},
        {"data": {"sample": "a"}, "annotations": [{"result": [{"value": {"choices": ["right", "wrong"]}}]}]},
        {"data": {"sample": "a"}, "annotations": [{"result": [{"value": {"choices": [["right"]]}}]}]},
        {"data": {"sample": "a"}, "annotations": [{"result": [7]}]},
        {"data": {"sample": "a"}, "annotations": [7]},
        {
            "data": {"sample": "a"},
            "annotations": [{"result": [{"value": {"choices": ["right"]}}], "trueward": {"id": 1}}],
        },
    ],
)
def test_a_task_that_says_nothing_clear_is_named(task: JsonValue) -> None:
    good = {"data": {"sample": "a"}, "annotations": [{"result": [{"value": {"choices": ["right"]}}]}]}
    assert [place for place, _ in problems("label_studio", json.dumps([good, task]))] == [2]


def test_several_labels_of_a_sample_are_annotations_of_one_task() -> None:
    body = written("label_studio", [label(), label(right=False, annotator="b"), label(sample="cd")])
    tasks = json.loads(body)
    assert [len(task["annotations"]) for task in tasks] == [2, 1]
    assert tasks[0]["data"]["response"] == CONTENT["response"]
    with pytest.raises(InvalidRequest, match="list of tasks"):
        read("label_studio", b"{}")
