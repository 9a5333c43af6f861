"""A job of a million rows, killed twice on the way: is any lost, or recorded twice?

``python -m benchmarks.million [--short | --long]``. Uploads NDJSON, kills the service with SIGKILL when a quarter
and when half is done, starts it again on the same SQLite file, then counts what the results and the ledger hold.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2

from benchmarks import servers
from benchmarks.report import Form, called, finish
from trueward.client.state import JobState

POLL_S = 0.02
MEMORY_EVERY_S = 1.0
_KILLED = {1: "the service was killed on the way", 2: "the service was killed twice on the way"}
CORRECT_IN = 3
"""One row in so many is right."""


@dataclass(frozen=True, slots=True)
class Scale:
    """``kill_at``: shares of the job at which the service is killed."""

    count: int
    patience_s: float
    kill_at: tuple[float, ...] = (0.25, 0.5)


SCALES: dict[Form, Scale] = {
    "short": Scale(count=4_000, patience_s=300.0, kill_at=(0.25,)),
    "quick": Scale(count=100_000, patience_s=600.0),
    "long": Scale(count=1_000_000, patience_s=3600.0),
}


@dataclass(slots=True)
class Story:
    """What happened: seconds by the clock, bytes of the service with its workers."""

    upload_s: float = 0.0
    total_s: float = 0.0
    results_s: float = 0.0
    done_at_kills: list[int] = field(default_factory=list)
    restart_s: list[float] = field(default_factory=list)
    most_memory_bytes: int = 0
    survivors: list[int] = field(default_factory=list)
    state: str = ""


@dataclass(slots=True)
class Count:
    """Of result lines and of ledger rows."""

    lines: int = 0
    out_of_place: int = 0
    records: int = 0
    misjudged: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    ledger_rows: int = 0


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("million", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    story, count = Story(), Count()
    with TemporaryDirectory(prefix="trueward-million-") as data_dir:
        _live(scale, Path(data_dir), story, count)
        count.ledger_rows = _ledger_rows(Path(data_dir) / "trueward.db")
    document = {
        "scale": scale,
        "rows_per_s": round(scale.count / story.total_s, 1),
        "story": story,
        "count": count,
    }
    finish("million", call, document, claims(scale, story, count))


def _live(scale: Scale, data_dir: Path, story: Story, count: Count) -> None:
    """The lives of the service, all but the last cut short; ``total_s`` is from the upload to the job's end."""
    job, began = "", 0.0
    for share in (*scale.kill_at, None):
        starting = time.monotonic()
        with servers.trueward(data_dir) as server:
            if job:
                story.restart_s.append(round(time.monotonic() - starting, 3))
            else:
                began = time.monotonic()
                job = _submit(server, scale.count)
                story.upload_s = round(time.monotonic() - began, 3)
            state = _watch(server, job, scale, share, story)
            story.state = state.state
            if state.ended:
                story.total_s = round(time.monotonic() - began, 3)
                _read_results(server, job, story, count)
            else:
                story.done_at_kills.append(state.done)
                server.crash()
        story.survivors += server.survivors
        if state.ended:
            return


def _submit(server: servers.Server, count: int) -> str:
    answer = httpx2.post(
        f"{server.url}/v1/jobs",
        content=_rows(count),
        headers={"Content-Type": "application/x-ndjson"},
        timeout=None,
    )
    if answer.status_code != 202:
        raise RuntimeError(f"the job was not accepted: {answer.status_code} {answer.text[:1000]}")
    return JobState.model_validate_json(answer.content).id


def _rows(count: int) -> Iterator[bytes]:
    """The body without samples, then one exact sample a line, some hundred lines at a time."""
    yield b'{"verifier": "math"}\n'
    lines: list[str] = []
    for number in range(count):
        answer = number if number % CORRECT_IN == 0 else number + 1
        response = f"Adding the {number} units one by one gives the total, so the answer is $\\boxed{{{answer}}}$."
        lines.append(json.dumps({"id": str(number), "response": response, "reference": str(number)}))
        if len(lines) == 500 or number == count - 1:
            yield ("\n".join(lines) + "\n").encode()
            lines = []


def _watch(server: servers.Server, job: str, scale: Scale, share: float | None, story: Story) -> JobState:
    """The job's state when it has ended, or when ``share`` of it is done. Raises TimeoutError."""
    deadline = time.monotonic() + scale.patience_s
    weighed = 0.0
    while time.monotonic() < deadline:
        state = JobState.model_validate_json(server.get(f"/v1/jobs/{job}", timeout_s=60.0))
        if time.monotonic() - weighed > MEMORY_EVERY_S:
            weighed = time.monotonic()
            story.most_memory_bytes = max(story.most_memory_bytes, server.tree.footprint().memory_bytes)
        if state.ended or (share is not None and state.done >= share * scale.count):
            return state
        time.sleep(POLL_S)
    raise TimeoutError(f"the job is not done after {scale.patience_s:g} s: {state!r}")


def _read_results(server: servers.Server, job: str, story: Story, count: Count) -> None:
    began = time.monotonic()
    records: set[str] = set()
    with httpx2.stream("GET", f"{server.url}/v1/jobs/{job}/results", timeout=None) as answer:
        answer.raise_for_status()
        for line in answer.iter_lines():
            verdict = json.loads(line)
            count.out_of_place += verdict["id"] != str(count.lines)
            count.misjudged += (verdict["outcome"] == "correct") != (int(verdict["id"]) % CORRECT_IN == 0)
            count.outcomes[verdict["outcome"]] += 1
            records.add(verdict["record"])
            count.lines += 1
    count.records = len(records)
    story.results_s = round(time.monotonic() - began, 3)


def _ledger_rows(database: Path) -> int:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM verdicts").fetchone()[0])


def claims(scale: Scale, story: Story, count: Count) -> dict[str, bool]:
    """What must hold whatever the machine does."""
    return {
        "the job completed": story.state == "completed",
        _KILLED[len(scale.kill_at)]: len(story.done_at_kills) == len(scale.kill_at),
        "no process outlived a kill": not story.survivors,
        "one result a row, in input order": count.lines == scale.count and count.out_of_place == 0,
        "no ledger id was given twice": count.records == scale.count,
        "the ledger has each row once": count.ledger_rows == scale.count,
        "every row was judged as its construction says": count.misjudged == 0,
    }


if __name__ == "__main__":
    main()
