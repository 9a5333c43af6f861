"""What a request costs the service, beside an earlier revision of this repository: CPU seconds, taking turns.

``python -m benchmarks.revisions [--short | --long] --before REVISION``. Both revisions run with the packages that are
installed here, each from a checkout of its own, with one worker and a cold cache; one connection asks, so that nothing
waits. Each round starts both, in an order that changes from round to round, and asks for every kind of request. What
counts is the CPU time of the service and of all that it started, a request.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import servers
from benchmarks.corpus import Item, corpus
from benchmarks.load.generator import Request, fire, post, write_requests
from benchmarks.measure import OK, WARM_S, trueward_requests
from benchmarks.processes import billed
from benchmarks.report import Aim, Form, called, finish, rows, show_aims

BATCH = 64
MOST_RATIO = 1.02
DEFAULT = "6a23f679"
"""The release that was measured before the house was rebuilt."""


@dataclass(frozen=True, slots=True)
class Scale:
    rounds: int
    seconds: float
    items: int
    """Samples of each kind of request: more than are answered in ``seconds``."""


SCALES: dict[Form, Scale] = {
    "short": Scale(1, 0.2, 1_000),
    "quick": Scale(3, 4.0, 30_000),
    "long": Scale(9, 8.0, 60_000),
}


def rewards_requests(items: Iterable[Item], batch: int = 1) -> Iterable[Request]:
    """``POST /v1/rewards`` by the recipe ``math``, with ``batch`` samples each."""
    samples = [{"prompt": "What is it?", "response": one.response, "reference": one.reference} for one in items]
    for at in range(0, len(samples) - batch + 1, batch):
        body = {"recipe": "math", "samples": samples[at : at + batch]}
        yield post("/v1/rewards", json.dumps(body).encode(), 0)


KINDS: dict[str, tuple[Callable[[Iterable[Item], int], Iterable[Request]], int]] = {
    "/v1/verify, one sample": (trueward_requests, 1),
    f"/v1/verify, {BATCH} samples": (trueward_requests, BATCH),
    "/v1/rewards, one sample": (rewards_requests, 1),
    f"/v1/rewards, {BATCH} samples": (rewards_requests, BATCH),
}


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds of one request, the median over the rounds; ``ratio`` is the median of the rounds' ratios."""

    kind: str
    before_s: float
    after_s: float
    ratio: float
    ratios: list[float]
    failed: int


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """A checkout of the revision, which is removed afterwards. Raises CalledProcessError where there is none."""
    with TemporaryDirectory(prefix="trueward-revision-") as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "worktree", "add", "--detach", str(tree), revision], cwd=servers.ROOT, check=True)
        try:
            yield tree
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=servers.ROOT, check=True)


@dataclass(frozen=True, slots=True)
class Spent:
    """``cpu_s`` of one request, and how many of them failed."""

    cpu_s: float
    failed: int


def spend(tree: Path, prepared: dict[str, tuple[Path, Path]], seconds: float) -> dict[str, Spent]:
    """What each kind of request takes of a service of this checkout."""
    found = {}
    with servers.trueward(None, tree, workers=1) as server:
        for kind, (warm, requests) in prepared.items():
            fire(server.port, warm, connections=1, seconds=min(WARM_S, seconds))
            with billed(server.tree) as bill:
                shots = fire(server.port, requests, connections=1, seconds=seconds).shots
            failed = sum(shot.status != OK for shot in shots)
            found[kind] = Spent(bill.tree_s / max(1, len(shots)), failed)
    return found


def prepare(folder: Path, items: int) -> dict[str, tuple[Path, Path]]:
    """For each kind the file of its warm-up and that of its requests; no two share an answer."""
    prepared = {}
    for number, (kind, (requests, batch)) in enumerate(KINDS.items()):
        files = []
        for name, seed, count in (("warm", 2 * number, items), ("load", 2 * number + 1, items)):
            path = folder / f"{number}.{name}"
            files.append(write_requests(path, requests(corpus(count, seed=seed), batch)))
        prepared[kind] = (files[0], files[1])
    return prepared


def compare(before: Path, after: Path, scale: Scale) -> list[Cost]:
    with TemporaryDirectory(prefix="trueward-requests-") as folder:
        prepared = prepare(Path(folder), scale.items)
        pairs: list[tuple[dict[str, Spent], dict[str, Spent]]] = []
        for number in range(scale.rounds):
            order = [before, after] if number % 2 == 0 else [after, before]
            found = {tree: spend(tree, prepared, scale.seconds) for tree in order}
            pairs.append((found[before], found[after]))
            print(f"revisions: round {number + 1} of {scale.rounds}", flush=True)
    return [_cost(kind, [(one[kind], other[kind]) for one, other in pairs]) for kind in KINDS]


def _cost(kind: str, pairs: Sequence[tuple[Spent, Spent]]) -> Cost:
    ratios = [round(after.cpu_s / before.cpu_s, 4) for before, after in pairs]
    before_s, after_s = (round(median(one.cpu_s for one in side), 7) for side in zip(*pairs, strict=True))
    failed = sum(before.failed + after.failed for before, after in pairs)
    return Cost(kind, before_s, after_s, round(median(ratios), 4), ratios, failed)


def main(arguments: Sequence[str] | None = None) -> None:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--before", default=DEFAULT)
    options, rest = own.parse_known_args(arguments)
    call = called("revisions", (__doc__ or "").partition("\n")[0], rest)
    scale = SCALES[call.form]
    with checked_out(options.before) as before:
        costs = compare(before, servers.ROOT, scale)
    limit = "what verdicts, recipes and records have learned since"
    aims = [Aim(one.kind, f"at most {MOST_RATIO}", f"{one.ratio:.2f}", one.ratio <= MOST_RATIO, limit) for one in costs]
    table = [[one.kind, f"{1e3 * one.before_s:.3f}", f"{1e3 * one.after_s:.3f}", f"{one.ratio:.2f}"] for one in costs]
    rows("CPU ms of a request", ["request", options.before, "here", "ratio"], table)
    show_aims(aims)
    claims = {"every request is answered": all(one.failed == 0 for one in costs)}
    finish("revisions", call, {"scale": scale, "before": options.before, "aims": aims, "costs": costs}, claims)


if __name__ == "__main__":
    main()
