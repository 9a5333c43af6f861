"""What a small reward model and a small process reward model are worth that are trained from a run's labels.

``python -m benchmarks.own_models --data FOLDER [--only reward | --only process] [--short | --long]``, after
``make real trl``.

FOLDER has material that people labelled: ``qa_human.jsonl`` (EVOUNA, arXiv 2305.12421: ``prompt``, ``response``,
``right``) and ``choice_solutions.jsonl`` (MR-Ben, arXiv 2406.13975: ``prompt``, ``options``, ``response``,
``first_error_step``). Some of it is scored in a run and labelled as people said; ``examples/own_models`` trains from
these labels, on SmolLM2-135M-Instruct; the models are registered, and audited on questions that were not trained on.
Beside each stands what needs no model: to take the longer response, and to guess a step.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.demo.real.model import NAME, unpack_model
from benchmarks import servers
from benchmarks.report import Form, called, finish, rows
from trueward import Client, Sample
from trueward.wire.audit import AuditReport
from trueward.wire.model import ModelEntry, StepReading

TRAINER = servers.ROOT / ".venv-trl" / "bin" / "python"
SCRIPTS = servers.ROOT / "examples" / "own_models"
PAIRS: dict[Form, tuple[int, int]] = {"short": (4, 4), "quick": (150, 100), "long": (800, 300)}
SOLUTIONS: dict[Form, tuple[int, int]] = {"short": (4, 4), "quick": (60, 60), "long": (600, 300)}
"""How many to train on, and to audit on."""
LONGEST = 1_200
"""Characters of a solution with its question: a CPU reads it in a moment."""
SEPARATOR = "<file_sep>"
DEADLINE_S = 1_200.0


@dataclass(frozen=True, slots=True)
class Trained:
    """``worth`` on ``held_out`` rows, with its interval; ``without`` is what needs no model."""

    model: str
    labels: int
    held_out: int
    measure: str
    worth: float
    interval: tuple[float, float] | None
    without: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Solution:
    prompt: str
    reference: str
    steps: list[str]
    first_error: int


def read(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def pairs(folder: Path, train: int, test: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Questions with a right and a wrong answer by people's word, each once."""
    by_question: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read(folder / "qa_human.jsonl"):
        by_question[row["prompt"]].append(row)
    draw = random.Random(7)
    found = []
    for prompt, said in sorted(by_question.items()):
        right, wrong = ([one["response"] for one in said if one["right"] is which] for which in (True, False))
        if right and wrong:
            found.append({"prompt": prompt, "chosen": draw.choice(right), "rejected": draw.choice(wrong)})
    draw.shuffle(found)
    return found[:train], found[train : train + test]


def solutions(folder: Path, train: int, test: int) -> tuple[list[Solution], list[Solution]]:
    """Short solutions with the first wrong step by people's word; questions of the test are not trained on."""
    by_question: defaultdict[str, list[Solution]] = defaultdict(list)
    for row in read(folder / "choice_solutions.jsonl"):
        steps = [one.strip() for one in re.split(r"(?m)^(?=Step \d+:|Solution:)", row["response"]) if one.strip()]
        steps = [re.sub(r"\n\s*\n", "\n", one) for one in steps]
        first = -1 if row["first_error_step"] == "N/A" else int(row["first_error_step"]) - 1
        prompt = f"{row['prompt']}\n{row['options']}".strip()
        if len(prompt) + len(row["response"]) <= LONGEST and first < len(steps):
            by_question[prompt].append(Solution(prompt, row["reference"], steps, first))
    questions = sorted(by_question)
    random.Random(7).shuffle(questions)
    every = [one for question in questions for one in by_question[question]]
    taken = {one.prompt for one in every[:train]}
    return every[:train], [one for one in every[train:] if one.prompt not in taken][:test]


def reward(client: Client, base: str, folder: Path, train: list[dict[str, Any]], test: list[dict[str, Any]]) -> Trained:
    samples = [Sample(prompt=one["prompt"], response=one[side]) for one in train for side in ("chosen", "rejected")]
    labels = [(right, "") for _ in train for right in (True, False)]
    seconds = learn(client, "reward", base, folder, samples, labels)
    client.add_model(ModelEntry(name="reward", kind="reward", path=str(folder / "reward")))
    accuracy = audit(client, "reward_model", "pairs", "reward", test)["by_example"]["accuracy"]
    longer = sum(len(one["chosen"]) > len(one["rejected"]) for one in test) / len(test)
    interval = (accuracy["interval"][0], accuracy["interval"][1])
    return Trained("reward", len(labels), len(test), "accuracy", accuracy["rate"], interval, longer, seconds)


def process(client: Client, base: str, folder: Path, train: list[Solution], test: list[Solution]) -> Trained:
    samples = [Sample(prompt=one.prompt, response="\n\n".join(one.steps)) for one in train]
    labels = [(one.first_error < 0, f"step {one.first_error + 1}" if one.first_error >= 0 else "") for one in train]
    seconds = learn(client, "process", base, folder, samples, labels)
    steps = StepReading(style="separator", separator=SEPARATOR)
    client.add_model(ModelEntry(name="process", kind="process", path=str(folder / "process"), steps=steps))
    held_out = [{"prompt": one.prompt, "steps": one.steps, "label": one.first_error} for one in test]
    found = audit(client, "process_reward", "first_error", "process", held_out)
    whole = found["by_example"]
    interval = None if whole["interval"] is None else (whole["interval"][0], whole["interval"][1])
    return Trained(
        "process", len(labels), len(test), "F1 of the first error", whole["f1"], interval, guessed(test), seconds
    )


def guessed(test: Sequence[Solution]) -> float:
    """F1 of who draws a step, or none, with the same chance each."""
    erroneous = [1 / (len(one.steps) + 1) for one in test if one.first_error >= 0]
    flawless = [1 / (len(one.steps) + 1) for one in test if one.first_error < 0]
    found, spared = (sum(some) / max(1, len(some)) for some in (erroneous, flawless))
    return 2 * found * spared / (found + spared) if found + spared else 0.0


def learn(
    client: Client,
    script: str,
    base: str,
    folder: Path,
    samples: Sequence[Sample],
    labels: Sequence[tuple[bool, str]],
) -> float:
    """Scores, labels and trains; the seconds of training."""
    verdicts = client.verify(samples, verifier="length", run=f"own-{script}", deadline_s=DEADLINE_S)
    said = zip(verdicts, labels, strict=True)
    client.label([{"record": one.record, "right": right, "note": note} for one, (right, note) in said])
    started = time.perf_counter()
    command: list[str | Path] = [
        TRAINER,
        SCRIPTS / f"{script}.py",
        "--url",
        client.url,
        "--run",
        f"own-{script}",
        "--base",
        base,
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run([*command, "--out", folder / script], env=environment, check=True)
    return time.perf_counter() - started


def audit(client: Client, verifier: str, form: str, model: str, held_out: Sequence[dict[str, Any]]) -> dict[str, Any]:
    subject = {"verifier": verifier, "params": {"model": model}}
    spec: dict[str, Any] = {"kind": "bench", "subject": subject, "format": form, "rows": list(held_out)}
    report = client.wait_for_audit(client.start_audit(spec).id, timeout_s=DEADLINE_S).report
    assert isinstance(report, AuditReport), "the audit failed"
    return dict(report.findings)


def main(arguments: Sequence[str] | None = None) -> None:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--data", type=Path, required=True)
    own.add_argument("--only", choices=("reward", "process"))
    said, rest = own.parse_known_args(arguments)
    call = called("own_models", (__doc__ or "").partition("\n")[0], rest)
    base = str(unpack_model().resolve())
    found = []
    with (
        tempfile.TemporaryDirectory() as scratch,
        servers.trueward(workers=1, max_deadline_s=DEADLINE_S) as server,
        Client(server.url) as client,
    ):
        if said.only != "process":
            found.append(reward(client, base, Path(scratch), *pairs(said.data, *PAIRS[call.form])))
            print(found[-1], flush=True)
        if said.only != "reward":
            found.append(process(client, base, Path(scratch), *solutions(said.data, *SOLUTIONS[call.form])))
            print(found[-1], flush=True)
    rows(
        f"trained on {NAME}, the last four layers and the head",
        ["model", "labels", "held out", "measure", "worth", "without a model", "s of training"],
        [
            [
                one.model,
                str(one.labels),
                str(one.held_out),
                one.measure,
                f"{one.worth:.1%}" + (f" [{one.interval[0]:.0%}, {one.interval[1]:.0%}]" if one.interval else ""),
                f"{one.without:.1%}",
                f"{one.seconds:.0f}",
            ]
            for one in found
        ],
    )
    finish("own_models", call, {"models": found}, {})


if __name__ == "__main__":
    main()
