"""`make demo`: the main job on embedded defaults.

Starts the service on a free port with a fresh SQLite database, POSTs the shipped batch through the client,
prints a table a verifier and every disagreement with the batch's own labels. On a terminal the service
then stays until Ctrl-C. The batch's labels are its author's: disagreements are cases to look at, no rate.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from trueward import Client, Outcome, Sample, Verdict
from trueward.errors import TruewardError

BATCH = Path(__file__).parents[1] / "examples" / "demo_batch.jsonl"
_START_S = 60.0


@dataclass(frozen=True, slots=True)
class Case:
    """One response of the batch; ``right`` is what its author says of it."""

    verifier: str
    params: dict[str, JsonValue]
    sample: Sample
    right: bool


def read_batch(path: Path = BATCH) -> list[Case]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [
        Case(line["verifier"], line.get("params", {}), Sample.model_validate(line["sample"]), line["label"] == "right")
        for line in lines
    ]


def score(client: Client, cases: list[Case]) -> dict[str, list[tuple[Case, Verdict, float]]]:
    """Each case with its verdict and its seconds over the wire, by verifier; one request a case."""
    scored: dict[str, list[tuple[Case, Verdict, float]]] = defaultdict(list)
    for case in cases:
        start = time.perf_counter()
        [verdict] = client.verify([case.sample], verifier=case.verifier, params=case.params, run="demo")
        scored[case.verifier].append((case, verdict, time.perf_counter() - start))
    return dict(scored)


def table(scored: dict[str, list[tuple[Case, Verdict, float]]]) -> Table:
    shown = Table(title="Verdicts by verifier (p50 and p99: one request a response, from the client)")
    for heading in ("verifier", "responses", "accepted", "rejected", "invalid", "no verdict", "p50", "p99"):
        shown.add_column(heading, justify="left" if heading == "verifier" else "right")
    for verifier, rows in sorted(scored.items()):
        outcomes = [verdict.outcome for _, verdict, _ in rows]
        seconds = sorted(elapsed for _, _, elapsed in rows)
        shown.add_row(
            verifier,
            str(len(rows)),
            _share(sum(outcome is Outcome.CORRECT for outcome in outcomes), len(rows)),
            _share(sum(outcome in (Outcome.INCORRECT, Outcome.PARTIAL) for outcome in outcomes), len(rows)),
            _share(sum(outcome is Outcome.INVALID for outcome in outcomes), len(rows)),
            _share(sum(outcome.missing for outcome in outcomes), len(rows)),
            _milliseconds(_quantile(seconds, 0.5)),
            _milliseconds(_quantile(seconds, 0.99)),
        )
    return shown


def disagreements(scored: dict[str, list[tuple[Case, Verdict, float]]]) -> list[tuple[Case, Verdict]]:
    """Cases whose verdict is not what the batch's author says."""
    return [
        (case, verdict)
        for rows in scored.values()
        for case, verdict, _ in rows
        if (verdict.outcome is Outcome.CORRECT) != case.right
    ]


def _share(count: int, total: int) -> str:
    return f"{count} ({100 * count / total:.1f}%)"


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"


def _quantile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@contextmanager
def serving(data_dir: Path) -> Iterator[str]:
    """The URL of a service of our own, in a process of its own, ended with the block."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    command = [sys.executable, "-m", "trueward.cli", "serve", "--port", str(port), "--data-dir", str(data_dir)]
    quiet = {**os.environ, "TRUEWARD_LOG_LEVEL": "warning"}
    process = subprocess.Popen(command, env=quiet, start_new_session=True)  # noqa: S603 - our own command
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_ready(url, process)
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_S
    with Client(url) as client:
        while time.monotonic() < deadline and process.poll() is None:
            try:
                client.health()
            except TruewardError:
                time.sleep(0.1)
            else:
                return
    raise SystemExit("the service did not become ready; its output is above")


def main() -> None:
    console = Console(width=None if sys.stdout.isatty() else 120)
    cases = read_batch()
    with tempfile.TemporaryDirectory(prefix="trueward-demo-") as folder, serving(Path(folder)) as url:
        with Client(url) as client:
            scored = score(client, cases)
        console.print(table(scored))
        differing = disagreements(scored)
        console.print(f"\n{len(differing)} of {len(cases)} verdicts differ from the batch's own labels:")
        for case, verdict in differing:
            said = "right" if case.right else "wrong"
            text = f"  {case.verifier} {case.sample.id}: labelled {said}, {verdict.outcome} ({verdict.reason_code}): "
            console.print(escape(text + repr(verdict.reason)[:100]), soft_wrap=True)
        console.print(f"\nThe service runs at {url} (API documentation: {url}/docs)")
        if sys.stdin.isatty() and sys.stdout.isatty():
            console.print("Ctrl-C stops it.")
            try:
                signal.pause()
            except KeyboardInterrupt:
                console.print("Stopped.")


if __name__ == "__main__":
    main()
