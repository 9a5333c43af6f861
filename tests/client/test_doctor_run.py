"""``trueward doctor --run`` against a real service: what is wrong with a run, safely printed, and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from trueward import Client
from trueward.cli import app
from trueward.client.plan import Recipe

BOXED: Recipe = {"terms": [{"verifier": "math", "params": {"extract": "boxed"}}]}


def doctor(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["doctor", *arguments])


@pytest.fixture(scope="module")
def client(live: str) -> Iterator[Client]:
    with Client(live) as client:
        yield client


def sent(client: Client, run: str, text: str, **fields: Any) -> None:
    client.reward(
        [
            {"prompt": f"{n // 4}?", "response": f"Number {n}: {text.format(n)}", "reference": str(n // 2 * 2)} | fields
            for n in range(64)
        ],
        recipe=BOXED,
        run=run,
    )


def test_a_fault_is_named_with_what_to_change_and_ends_with_one(live: str, client: Client) -> None:
    sent(client, "cli/ill", "<answer>{}</answer>")
    done = doctor("--url", live, "--run", "cli/ill", "--json")
    assert done.exit_code == 1
    (fault,) = [one for one in json.loads(done.stdout) if not one["ok"]]
    assert fault["check"] == "run: no_answer"
    assert "the responses write <answer>, the verifier reads \\boxed" in fault["detail"]
    assert (
        "With `extract: tag` 100% of these samples would have an answer (now 0%) and 50% would be paid"
        in fault["detail"]
    )
    assert all(record in fault["detail"] for record in client.diagnose("cli/ill").faults[0].records)


def test_a_clean_run_ends_with_zero_and_promises_nothing(live: str, client: Client) -> None:
    sent(client, "cli/clean", "\\boxed{{{}}}")
    done = doctor("--url", live, "--run", "cli/clean")
    assert done.exit_code == 0
    assert "Nothing wrong found in 64 records" in " ".join(done.stdout.split())


def test_an_unknown_run_is_something_wrong(live: str) -> None:
    done = doctor("--url", live, "--run", "cli/none", "--json")
    assert done.exit_code == 1
    assert "there is no run 'cli/none'" in done.stdout


def test_what_a_caller_wrote_moves_no_terminal(live: str, client: Client) -> None:
    sent(client, "cli/hostile", "\\boxed{{{}}}", reference="x^ (\x1b[2J\u202e", data_source="\x1b[31mX")
    done = doctor("--url", live, "--run", "cli/hostile")
    assert done.exit_code == 1
    assert "\x1b[2J" not in done.stdout
    assert not {"\x1b[31m", "\u202e"} & {
        done.stdout[at : at + size] for at in range(len(done.stdout)) for size in (1, 5)
    }


def test_a_service_that_cannot_be_asked_is_something_wrong() -> None:
    assert doctor("--url", "http://127.0.0.1:1", "--run", "r").exit_code == 1


def test_a_run_without_a_service_is_wrong_usage() -> None:
    assert doctor("--run", "r").exit_code == 2
