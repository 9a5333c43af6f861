"""Tables as people keep them, read and written by their endings: the same rows come back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import JsonValue
from typer.testing import CliRunner

from trueward import Client
from trueward.cli import app
from trueward.errors import InvalidRequest, NotInstalled
from trueward.rows import Row, read_rows, tabular, write_rows

ROOT = Path(__file__).parents[2]
ENVIRONMENT = ROOT / ".venv-trl/bin/python"
FORMS = ["rows.jsonl", "rows.csv", "rows.parquet", "rows.arrow", "rows.feather", "folder/"]
SAMPLES: list[Row] = [
    {"id": "a", "prompt": "2+2?", "response": "so \\boxed{4}, \u00e9 \u4f60\n", "reference": "4"},
    {"id": "b", "prompt": "2+2?", "response": "so \\boxed{5}", "reference": "4"},
]


@pytest.mark.parametrize("form", FORMS)
def test_rows_come_back_as_they_were_written(form: str, tmp_path: Path) -> None:
    write_rows(f"{tmp_path}/{form}", SAMPLES)
    assert list(read_rows(tmp_path / form)) == SAMPLES


@pytest.mark.parametrize("form", FORMS)
def test_a_table_without_rows_is_read(form: str, tmp_path: Path) -> None:
    write_rows(f"{tmp_path}/{form}", [])
    assert list(read_rows(tmp_path / form)) == []


@pytest.mark.parametrize("form", ["rows.parquet", "rows.arrow", "folder/"])
def test_columns_keep_types_and_say_objects_in_json(form: str, tmp_path: Path) -> None:
    rows: list[dict[str, JsonValue]] = [
        {"score": 0.5, "steps": [1, 2], "evidence": {"a": 1}, "mixed": 1, "turns": [{"role": "user"}]},
        {"score": None, "steps": [], "evidence": {"b": [2]}, "mixed": "one", "turns": []},
    ]
    write_rows(f"{tmp_path}/{form}", rows)
    first, second = read_rows(tmp_path / form)
    assert (first["score"], first["steps"]) == (0.5, [1, 2])
    assert "score" not in second
    texts = [first["evidence"], second["evidence"], first["mixed"], second["mixed"], first["turns"]]
    assert [json.loads(str(text)) for text in texts] == [{"a": 1}, {"b": [2]}, 1, "one", [{"role": "user"}]]


def test_a_stranger_s_parquet_is_plain_data(tmp_path: Path) -> None:
    moment = datetime(2026, 11, 1, tzinfo=UTC)
    rows: list[Any] = [
        {"prompt": [{"role": "user"}], "reference": {"tests": ["x"]}, "at": moment, "price": Decimal("1.50")},
        {"prompt": [{"role": "user", "name": "n"}], "reference": {"input": "y"}, "at": None, "price": None},
    ]
    of_text = pa.struct([("tests", pa.list_(pa.string())), ("input", pa.string())])
    turns = pa.list_(pa.struct([("role", pa.string()), ("name", pa.string())]))
    schema = pa.schema(
        [("prompt", turns), ("reference", of_text), ("at", pa.timestamp("s", "UTC")), ("price", pa.decimal128(4, 2))]
    )
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), tmp_path / "theirs.parquet")
    first, second = read_rows(tmp_path / "theirs.parquet")
    assert (first["prompt"], second["prompt"]) == ([{"role": "user"}], [{"role": "user", "name": "n"}])
    assert first["at"] == "2026-11-01T00:00:00+00:00"
    assert (first["reference"], first["price"]) == ({"tests": ["x"]}, "1.50")
    assert second["reference"] == {"input": "y"}


def test_rows_are_read_as_they_are_asked_for(tmp_path: Path) -> None:
    with (tmp_path / "rows.jsonl").open("w") as file:
        file.write('{"id": "a"}\n\nnothing\n')
    rows = read_rows(tmp_path / "rows.jsonl")
    assert next(rows) == {"id": "a"}
    with pytest.raises(InvalidRequest, match="line 3 is not JSON"):
        next(rows)


@pytest.mark.parametrize("form", ["rows.parquet", "rows.arrow"])
def test_a_file_that_is_something_else_is_named(form: str, tmp_path: Path) -> None:
    (tmp_path / form).write_text("id,response\na,b\n" * 100)
    with pytest.raises(InvalidRequest, match=f"{form} cannot be read as its name says"):
        list(read_rows(tmp_path / form))


def test_a_csv_with_too_many_cells_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id,response\na,b\nc,d,e\n")
    with pytest.raises(InvalidRequest, match="line 3 has more cells"):
        list(read_rows(tmp_path / "rows.csv"))


def test_folders_that_are_no_data_set_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match=r"no folder of Dataset\.save_to_disk"):
        read_all(tmp_path)
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    with pytest.raises(InvalidRequest, match="name the folder of one: train, test"):
        read_all(tmp_path)


def read_all(place: Path) -> list[Row]:
    return list(read_rows(place))


def test_without_pyarrow_the_install_line_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(NotInstalled, match=r"pip install 'trueward\[data\]'"):
        list(read_rows(tmp_path / "rows.parquet"))
    assert tabular("rows.parquet")
    assert not tabular("rows.jsonl")


def test_importing_the_module_loads_no_pyarrow() -> None:
    script = "import sys, trueward.rows, trueward.commands.jsonl; print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("form", FORMS)
def test_the_command_reads_samples_and_writes_results(form: str, tmp_path: Path) -> None:
    write_rows(f"{tmp_path}/{form}", SAMPLES)
    out = f"{tmp_path}/out-{form}"
    asked = ["verify", "--verifier", "math", "--file", f"{tmp_path}/{form}", "--out", out]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 1, done.output
    assert [row["outcome"] for row in read_rows(out)] == ["correct", "incorrect"]


def test_the_command_says_what_it_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "rows.parquet").write_text("nothing")
    done = CliRunner().invoke(app, ["verify", "--verifier", "math", "--file", f"{tmp_path}/rows.parquet"])
    assert done.exit_code == 2
    assert "cannot be read as its name says" in " ".join(done.output.split())


@pytest.mark.trainer
def test_hugging_face_s_datasets_reads_what_is_written_and_writes_what_is_read(tmp_path: Path) -> None:
    write_rows(f"{tmp_path}/ours/", SAMPLES)
    script = (
        "import datasets, json, sys\n"
        "here = sys.argv[1]\n"
        "print(json.dumps(datasets.load_from_disk(f'{here}/ours').to_list()))\n"
        "rows = datasets.Dataset.from_list(json.loads(sys.argv[2]))\n"
        "rows.save_to_disk(f'{here}/theirs')\n"
        "datasets.DatasetDict({'train': rows}).save_to_disk(f'{here}/splits')\n"
        "rows.to_parquet(f'{here}/theirs.parquet')\n"
    )
    command = [str(ENVIRONMENT), "-c", script, str(tmp_path), json.dumps(SAMPLES)]
    environment = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == SAMPLES
    for written in ("theirs", "splits/train", "theirs.parquet"):
        assert read_all(tmp_path / written) == SAMPLES


@pytest.mark.parametrize("form", ["labels.parquet", "folder/"])
def test_labels_go_out_and_in_as_a_table(form: str, live: str, tmp_path: Path) -> None:
    with Client(live) as client:
        verdicts = client.verify(SAMPLES, verifier="math")
        annotator = uuid.uuid4().hex
        client.label([{"record": one.record, "right": True, "annotator": annotator} for one in verdicts])
    out = f"{tmp_path}/{form}"
    asked = ["labels", "export", "--out", out, "--annotator", annotator, "--url", live]
    assert CliRunner().invoke(app, asked).exit_code == 0
    assert [row["right"] for row in read_rows(out)] == [True, True]
    done = CliRunner().invoke(app, ["labels", "import", out, "--url", live, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["known"] == 2
