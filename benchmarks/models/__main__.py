"""The model lane, measured: ``python -m benchmarks.models [--short | --long]``.

In one run: the engine's rate beside plain transformers and beside the limit (the fastest bare forward pass of the same
tokens), what sharing a prompt saves, log-probabilities of spans over 128k tokens, and how long a lone request waits
behind a crowd. A Llama with random weights: on CPU 25 million parameters in float32 and one thread, in CPU seconds;
where a GPU is present also one of a billion in bfloat16, by the clock.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.report import Aim, Form, called, finish, rows, show_aims

if TYPE_CHECKING:
    from benchmarks.models.rates import Lone, Rate
    from benchmarks.models.sharing import Saving

ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
"""One thread, ours and the engine's; read when torch is imported, which is later."""

LIMIT_SHARE, BOUND_SHARE, BATCHES = 0.9, 0.85, 3.0
TOLERANCE = {"float32": 1e-3, "bfloat16": 0.25}


@dataclass(frozen=True, slots=True)
class Scale:
    texts: int
    rounds: int
    lone: int
    small: bool = False


SCALES: dict[Form, Scale] = {
    "short": Scale(texts=12, rounds=1, lone=3, small=True),
    "quick": Scale(texts=24, rounds=2, lone=20),
    "long": Scale(texts=48, rounds=3, lone=100),
}
SHARES = ((0.5, 300), (0.85, 300), (0.5, 1_000), (0.85, 1_000))


@dataclass(frozen=True, slots=True)
class Measured:
    device: str
    dtype: str
    tokens: int
    rates: list[Rate]
    apart: float
    savings: list[Saving]
    lone: Lone

    def rate(self, name: str) -> float:
        return next(rate.median for rate in self.rates if rate.name == name)

    @property
    def limit(self) -> Rate:
        return max((rate for rate in self.rates if rate.name.startswith("bare")), key=lambda rate: rate.median)


async def measured(scale: Scale, device: str, path: Path) -> Measured:
    from benchmarks.models import bare, subject
    from benchmarks.models.rates import lone, rates
    from benchmarks.models.sharing import saving
    from judges.engine.load import load
    from judges.engine.process import EngineProcess
    from trueward.wire.model import ModelEntry

    size = subject.SMALL if scale.small else subject.CPU if device == "cpu" else subject.GPU
    subject.save(size, path)
    texts = subject.texts(scale.texts if device == "cpu" else 8 * scale.texts, seed=3)
    entry = ModelEntry(name="reward", kind="reward", path=str(path), device=device, dtype=size.dtype)
    budget = 2_048 if device == "cpu" else 16_384
    engine = EngineProcess(device, memory_bytes=2**36, batch_tokens=budget, queue_tokens=2**24, hang_s=600.0)
    try:
        plain = bare.Plain(path, device)
        found, apart = await rates(entry, engine, plain, bare.Bare(path, device), texts, scale.rounds, device)
        waited = await lone(engine, entry, texts, scale.lone)
    finally:
        await engine.close()
    loaded = load(entry)
    shares = SHARES[:2] if scale.small else SHARES
    savings = [saving(loaded, size, f, length, scale.rounds, device) for f, length in shares]
    tokens = sum(map(len, plain.tokenizer(texts)["input_ids"]))
    return Measured(device, size.dtype, tokens, found, apart, savings, waited)


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("models", (__doc__ or "").partition("\n")[0], arguments)
    import torch

    from benchmarks.models import sharing, subject

    torch.set_num_threads(1)
    scale = SCALES[call.form]
    devices = ["cpu", *(["cuda"] if torch.cuda.is_available() and not scale.small else [])]
    done = []
    with TemporaryDirectory() as folder:
        for device in devices:
            done.append(asyncio.run(measured(scale, device, Path(folder) / device)))
            show(done[-1])
        wide = subject.Size(256, 1, 4, 2, 512, 32_768 if scale.small else 131_072)
        saved = subject.save(wide, Path(folder) / "wide", causal=True)
        spans = sharing.span_costs(saved, apart=not scale.small)
    rows(
        f"Log-probabilities of {sharing.ROWS} rows of {sharing.POSITIONS}, {wide.vocabulary:,} tokens to choose from",
        ("", "CPU s", "MiB more"),
        [(cost.way, f"{cost.seconds:.2f}", f"{cost.memory_bytes / 2**20:.0f}") for cost in spans],
    )
    aims = [aim for one in done for aim in aims_of(one)]
    show_aims(aims)
    claims = {}
    for one in done:
        tolerance = TOLERANCE[one.dtype]
        claims[f"{one.device}: the engine says what plain transformers says (within {tolerance:g})"] = (
            one.apart < tolerance
        )
        farthest = max(share.apart for share in one.savings)
        claims[f"{one.device}: sharing a prompt changes no score (within {tolerance:g})"] = farthest < tolerance
    everything = spans[1].memory_bytes
    claims["no tensor of positions times vocabulary is made for spans"] = spans[0].memory_bytes < everything / 4
    finish("models", call, {"scale": scale, "measured": done, "spans": spans, "aims": aims}, claims)


def show(one: Measured) -> None:
    unit = "CPU second" if one.device == "cpu" else "second"
    limit = one.limit
    rows(
        f"{one.device}, {one.dtype}: tokens a {unit}, {one.tokens:,} tokens a round",
        ("", "tokens/s", "of the limit"),
        [(rate.name, f"{rate.median:,.0f}", f"{rate.median / limit.median:.2f}") for rate in one.rates],
    )
    rows(
        "A group of 16 that shares its prompt",
        ("tokens, share of the prompt", "times as fast", "bound", "reached"),
        [
            (f"{saved.length}, {saved.f:g}", f"{saved.speedup:.2f}", f"{saved.bound:.2f}", f"{saved.reached:.2f}")
            for saved in one.savings
        ],
    )
    rows(
        "A lone request behind a crowd",
        ("", "ms"),
        [
            ("median", f"{one.lone.p50_s * 1e3:.0f}"),
            ("p99", f"{one.lone.p99_s * 1e3:.0f}"),
            ("one batch", f"{one.lone.batch_s * 1e3:.0f}"),
        ],
    )


def aims_of(one: Measured) -> list[Aim]:
    reached = one.rate("engine") / one.limit.median
    found = [
        Aim(
            f"{one.device}: tokens a second against the limit ({one.limit.name})",
            f"{LIMIT_SHARE:g}",
            f"{reached:.2f}",
            reached >= LIMIT_SHARE,
            "tokenising, the queue and two processes come on top of the forward pass",
        )
    ]
    found += [
        Aim(
            f"{one.device}: a shared prompt, {saved.f:g} of {saved.length} tokens",
            f"{BOUND_SHARE:g} of {saved.bound:.2f} times",
            f"{saved.reached:.2f}",
            saved.reached >= BOUND_SHARE,
            "attention sees the prompt's keys once a member",
        )
        for saved in one.savings
        if saved.length <= 300
    ]
    batches = one.lone.p99_s / one.lone.batch_s
    found.append(
        Aim(
            f"{one.device}: p99 of a lone request behind a crowd",
            f"{BATCHES:g} batch times",
            f"{batches:.1f}",
            batches < BATCHES,
            "the batch that runs is never interrupted",
        )
    )
    return found


if __name__ == "__main__":
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    main()
