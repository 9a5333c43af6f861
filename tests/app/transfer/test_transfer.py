"""An export holds everything, moves between both databases without a difference, and arrives whole or not at all."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from pathlib import Path

import pytest

from app import tables
from app.kit.claim import sole_server
from app.kit.db import Database
from app.kit.migrate import upgrade
from app.replay.service import replay
from app.transfer.exporting import export_to
from app.transfer.importing import import_from
from tests.app.records import count
from tests.app.retention.made import label, make_project, make_run, write
from trueward.errors import AlreadyServed, Conflict


async def filled(url: str) -> None:
    """Names that each database would sort in its own way, text beyond ASCII, floats that show their last bit."""
    await upgrade(url)
    async with Database(url) as db:
        await make_project(db, "p", "k")
        for run in ("b-2", "B 1", "ä", "a_3"):
            await make_run(db, run)
        await write(db, ["one", "zwei ü \U0001f600", "three"], run="b-2", owner="k", subject="Ada")
        await write(db, ["four"], days=400)
        await label(db, "one")


def told(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix == ".ndjson"}


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'from.db'}"


@pytest.mark.postgres
async def test_there_and_back_makes_no_difference(sqlite: str, empty_postgres: str, tmp_path: Path) -> None:
    await filled(sqlite)
    first = await export_to(sqlite, tmp_path / "first", with_keys=True)
    await import_from(empty_postgres, tmp_path / "first")
    await export_to(empty_postgres, tmp_path / "second", with_keys=True)
    await import_from(f"sqlite:///{tmp_path / 'back.db'}", tmp_path / "second")
    await export_to(f"sqlite:///{tmp_path / 'back.db'}", tmp_path / "third", with_keys=True)
    assert told(tmp_path / "first") == told(tmp_path / "second") == told(tmp_path / "third")
    assert first.tables["verdicts"].rows == first.tables["rewards"].rows == 4
    reports = []
    for url in (sqlite, empty_postgres):
        async with Database(url) as db:
            reports.append([report async for report in replay(db, "b-2")][-1])
    assert reports[0] == reports[1]
    assert reports[0].rewards == 3


async def test_an_import_makes_the_folder_of_a_new_file(sqlite: str, tmp_path: Path) -> None:
    await filled(sqlite)
    await export_to(sqlite, tmp_path / "out", with_keys=False)
    new = tmp_path / "data" / "of" / "another" / "trueward.db"
    manifest = await import_from(f"sqlite:///{new}", tmp_path / "out")
    assert new.is_file()
    assert sum(file.rows for file in manifest.tables.values()) > 0


async def test_an_export_says_what_it_holds(sqlite: str, tmp_path: Path) -> None:
    await filled(sqlite)
    manifest = await export_to(sqlite, tmp_path / "out", with_keys=False)
    assert set(manifest.tables) == set(tables.Table.metadata.tables)
    for name, file in manifest.tables.items():
        text = (tmp_path / "out" / f"{name}.ndjson").read_bytes()
        assert (text.count(b"\n"), hashlib.sha256(text).hexdigest()) == (file.rows, file.sha256)
    (key,) = [json.loads(line) for line in (tmp_path / "out" / "keys.ndjson").read_text().splitlines()]
    assert (key["project"], key["digest"]) == ("p", "not exported: k")


async def test_an_export_of_four_times_the_rows_takes_no_more_memory(empty_url: str, tmp_path: Path) -> None:
    await upgrade(empty_url)
    peaks: list[int] = []
    for start, end in ((0, 600), (600, 2_400)):
        async with Database(empty_url) as db:
            await write(db, [f"{index}{'x' * 400}" for index in range(start, end)])
        tracemalloc.start()
        await export_to(empty_url, tmp_path / str(end), with_keys=False)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


async def test_an_import_that_breaks_leaves_nothing(sqlite: str, empty_url: str, tmp_path: Path) -> None:
    await filled(sqlite)
    await export_to(sqlite, out := tmp_path / "out", with_keys=True)
    whole = (out / "verdicts.ndjson").read_text()
    lines = whole.splitlines(keepends=True)
    other = [lines[0].replace('"cached":false', '"cached":true'), *lines[1:]]
    for broken in (
        "".join(lines[:-1]),
        whole[:-20],
        "".join(other),
        whole.replace('"cached"', '"kept"'),
        whole + lines[0],
    ):
        (out / "verdicts.ndjson").write_text(broken)
        with pytest.raises(Conflict, match=r"verdicts\.ndjson"):
            await import_from(empty_url, out)
        async with Database(empty_url) as db:
            assert [await count(db, table) for table in (tables.Sample, tables.Verdict, tables.Key)] == [0, 0, 0]
    (out / "verdicts.ndjson").write_text(whole)
    await import_from(empty_url, out)
    async with Database(empty_url) as db:
        assert await count(db, tables.Verdict) == 4


async def test_a_database_that_holds_anything_is_refused(sqlite: str, tmp_path: Path) -> None:
    await filled(sqlite)
    await export_to(sqlite, out := tmp_path / "out", with_keys=True)
    with pytest.raises(Conflict, match="rows in"):
        await import_from(sqlite, out)
    with pytest.raises(Conflict, match="not empty"):
        await export_to(sqlite, out, with_keys=True)
    async with Database(sqlite) as db:
        with sole_server(db), pytest.raises(AlreadyServed):
            await import_from(sqlite, out)


async def test_an_export_without_its_end_or_of_another_schema_is_refused(sqlite: str, tmp_path: Path) -> None:
    await filled(sqlite)
    manifest = await export_to(sqlite, out := tmp_path / "out", with_keys=True)
    target = f"sqlite:///{tmp_path / 'to.db'}"
    (out / "manifest.json").write_text(manifest.model_copy(update={"revision": "0007"}).model_dump_json())
    with pytest.raises(Conflict, match="0007"):
        await import_from(target, out)
    (out / "manifest.json").unlink()
    with pytest.raises(Conflict, match="whole export"):
        await import_from(target, out)
