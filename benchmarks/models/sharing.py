"""What sharing a prompt saves, against the bound of tokens; and log-probabilities of spans over a large vocabulary."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import torch

from benchmarks.models.rates import Clock
from benchmarks.models.subject import Size, ids
from judges.engine.loaded import LoadedModel
from judges.engine.work import Read, Work

GROUP = 16


@dataclass(frozen=True, slots=True)
class Saving:
    """``f`` is the prompt's share of the tokens; ``bound`` is ``1/(f/G + 1 - f)``."""

    f: float
    length: int
    bound: float
    speedup: float
    apart: float

    @property
    def reached(self) -> float:
        return self.speedup / self.bound


def saving(loaded: LoadedModel, size: Size, f: float, length: int, rounds: int, device: str) -> Saving:
    """A group that shares its prompt, against the same sequences without, one batch after the other."""
    prompt = int(f * length)
    [head] = ids(1, prompt, 1, size)
    members = [head + tail for tail in ids(GROUP, length - prompt, 2, size)]
    clock = Clock(device)
    apart, together = ([_work(one, shared) for one in members] for shared in (0, prompt))
    scores = [[rows[0][0] for rows in loaded.run(batch)] for batch in (apart, together)]
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for batch, spent in zip((apart, together), times, strict=True):
            start = clock.now()
            loaded.run(batch)
            if device != "cpu":
                torch.cuda.synchronize()
            spent.append(clock.now() - start)
    bound = 1 / (f / GROUP + 1 - f)
    farthest = max(abs(a - b) for a, b in zip(*scores, strict=True))
    return Saving(f, length, bound, median(times[0]) / median(times[1]), farthest)


def _work(sequence: tuple[int, ...], shared: int) -> Work:
    return Work(sequence, Read((len(sequence) - 1,)), shared=shared)


@dataclass(frozen=True, slots=True)
class SpanCost:
    """Of log-probabilities of a span's rows: seconds of CPU, and memory beyond what stood before."""

    way: str
    seconds: float
    memory_bytes: int


ROWS, POSITIONS = 128, 2_048
_FORGET = Path("/proc/self/clear_refs")
"""5 written here makes what is used now the highest of this process."""


def span_costs(path: Path, *, apart: bool) -> list[SpanCost]:
    """Each way in a process of its own, for memory is only ever seen at its highest; or, roughly, in this process."""
    found = []
    for way in ("engine", "whole log-softmax"):
        said = _apart(way, path) if apart else _measured(way, str(path), forget=True)
        found.append(SpanCost(way, said["seconds"], int(said["memory_bytes"])))
    return found


def _apart(way: str, path: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.models.sharing", way, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return said


def _measured(way: str, path: str, *, forget: bool = False) -> dict[str, float]:
    from judges.engine.load import load
    from trueward.wire.model import ModelEntry

    loaded = load(ModelEntry(name="spans", kind="causal", path=path, device="cpu"))
    sequence = tuple(3 + n % 7_000 for n in range(POSITIONS))
    positions = tuple(range(POSITIONS - ROWS - 1, POSITIONS - 1))
    work = Work(sequence, Read(positions, tuple((sequence[n + 1],) for n in positions)))
    loaded.run([Work(sequence[:64], Read((3,), ((5,),)))])
    if forget:
        _FORGET.write_text("5", encoding="ascii")
    before, start = _highest(), time.process_time()
    if way == "engine":
        loaded.run([work])
    else:
        _whole(loaded, sequence)
    return {"seconds": time.process_time() - start, "memory_bytes": _highest() - before}


def _whole(loaded: LoadedModel, sequence: Sequence[int]) -> None:
    """As a plain function would: logits and log-softmax of every position."""
    with torch.inference_mode(), loaded.network.using("sdpa"):
        logits = loaded.network.model(torch.tensor([sequence]), use_cache=False).logits
        torch.log_softmax(logits.float(), dim=-1)[0, :-1].gather(1, torch.tensor(sequence[1:])[:, None])


def _highest() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


if __name__ == "__main__":
    print(json.dumps(_measured(sys.argv[1], sys.argv[2])))
