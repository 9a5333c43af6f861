"""One-sample calls of OpenRLHF and slime, against a reward server that calls math-verify itself, in one run.

``python -m benchmarks.trainers [--short | --long]``. In each round both servers are new; they are loaded in turn, never
at once, and no two loads share a sample. Rounds that other processes disturbed are discarded and taken again. Both have
two processes: the peer two of uvicorn's, Trueward its own and one worker of the cpu lane. ``POST /v1/rewards`` with one
sample a request stands beside them: what an adapter adds to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from benchmarks import servers
from benchmarks.corpus import GROUP, Item, rollouts
from benchmarks.load.generator import Request, post, write_requests
from benchmarks.measure import DISTURBED_CORES, Grades, Load, Run, measure
from benchmarks.path import FASTER, PROCESSES, SOONER, Tally
from benchmarks.report import Aim, Form, called, finish, rows, show_aims

SYMBOLIC_SHARE = 0.1
RECIPE = "math"
MOST_S = 240.0
"""A load ends when all its calls are answered; this long it may take on a machine that is busy."""


def _openrlhf(item: Item) -> object:
    return {"query": [f"{item.prompt}{item.response}<|im_end|>"], "prompts": [item.prompt], "labels": [item.reference]}


def _slime(item: Item) -> object:
    return {"prompt": item.prompt, "response": item.response, "label": item.reference}


def _rewards(item: Item) -> object:
    sample = {"prompt": item.prompt, "response": item.response, "reference": item.reference}
    return {"recipe": RECIPE, "samples": [sample]}


def _openrlhf_grades(body: bytes) -> list[bool | None]:
    """A number that stands in for a missing score counts as missing."""
    said = json.loads(body)
    missing = said["extra_logs"].get("trueward_missing", [0.0])
    return [None if lacks else number == 1.0 for number, lacks in zip(said["rewards"], missing, strict=True)]


def _slime_grades(body: bytes) -> list[bool | None]:
    return [json.loads(body) == 1.0]


def _rewards_grades(body: bytes) -> list[bool | None]:
    found = [reward["reward"] for reward in json.loads(body)["rewards"]]
    return [None if reward is None else reward == 1.0 for reward in found]


@dataclass(frozen=True, slots=True)
class Protocol:
    """``path`` is Trueward's; the peer's is the protocol's name."""

    name: str
    path: str
    body: Callable[[Item], object]
    grades: Grades


OPENRLHF = Protocol("openrlhf", f"/t/{RECIPE}/openrlhf", _openrlhf, _openrlhf_grades)
SLIME = Protocol("slime", f"/t/{RECIPE}/slime", _slime, _slime_grades)
REWARDS = Protocol("/v1/rewards", "/v1/rewards", _rewards, _rewards_grades)
TRAINERS = (OPENRLHF, SLIME)
CONNECTIONS = (64, 512)


@dataclass(frozen=True, slots=True)
class Target:
    protocol: Protocol
    server: Literal["peer", "trueward"]
    connections: int

    @property
    def name(self) -> str:
        server = "Trueward" if self.server == "trueward" else "inline math-verify"
        return f"{server}, {self.protocol.name}, {self.connections} connections"

    @property
    def path(self) -> str:
        return self.protocol.path if self.server == "trueward" else f"/{self.protocol.name}"


def _both(connections: int) -> list[Target]:
    """In turn, so that both meet the same minutes."""
    return [Target(protocol, server, connections) for protocol in TRAINERS for server in ("peer", "trueward")]


PLAIN = Target(REWARDS, "trueward", 64)
TARGETS = (*_both(64), PLAIN, *_both(512))


@dataclass(frozen=True, slots=True)
class Scale:
    """``calls`` of each target in each round."""

    rounds: int
    most_rounds: int
    calls: int
    warm: int


SCALES: dict[Form, Scale] = {
    "short": Scale(rounds=1, most_rounds=1, calls=48, warm=8),
    "quick": Scale(rounds=3, most_rounds=3, calls=2_000, warm=200),
    "long": Scale(rounds=3, most_rounds=4, calls=10_000, warm=200),
}


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("trainers", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    with TemporaryDirectory(prefix="trueward-trainers-") as scratch:
        loads = {target: _load(target, number, scale, Path(scratch)) for number, target in enumerate(TARGETS)}
        tallies = _rounds(loads, scale)
    medians = {target: tally.middle(scale.rounds) for target, tally in tallies.items()}
    disturbed = {target for target, tally in tallies.items() if tally.disturbed(scale.rounds)}
    repeated = repeated_share(loads[PLAIN].items)
    aims = judge(medians, disturbed)
    _show(medians, disturbed)
    show_aims(aims)
    document = {
        "scale": scale,
        "symbolic_share": SYMBOLIC_SHARE,
        "responses_a_prompt": GROUP,
        "repeated_share": repeated,
        "processes": PROCESSES,
        "disturbed_above_cores": DISTURBED_CORES,
        "aims": aims,
        "ratios": _ratios(medians),
        "over_rewards_s": {target.name: _over_rewards_s(medians, target) for target in TARGETS if _is_adapter(target)},
        "targets": {
            target.name: {
                "median": medians[target],
                "disturbed": target in disturbed,
                "runs": tally.kept,
                "discarded": tally.discarded,
            }
            for target, tally in tallies.items()
        },
    }
    finish("trainers", call, document, claims(tallies))


def _load(target: Target, number: int, scale: Scale, scratch: Path) -> Load:
    """Samples of its protocol and connections, the same for both servers."""
    seed = 2 * ((*TRAINERS, REWARDS).index(target.protocol) + 3 * target.connections)
    items = list(rollouts(scale.calls, seed=seed, symbolic_share=SYMBOLIC_SHARE))
    warm = rollouts(scale.warm, seed=seed + 1, symbolic_share=SYMBOLIC_SHARE)
    return Load(
        requests=write_requests(scratch / f"load-{number}", _requests(target, items)),
        warm=write_requests(scratch / f"warm-{number}", _requests(target, warm)),
        items=items,
        batch=1,
        grades=target.protocol.grades,
    )


def _requests(target: Target, items: Sequence[Item] | Iterator[Item]) -> Iterator[Request]:
    for item in items:
        yield post(target.path, json.dumps(target.protocol.body(item)).encode(), int(item.symbolic))


def _rounds(loads: Mapping[Target, Load], scale: Scale) -> dict[Target, Tally]:
    """Each round has new servers: a sample is sent to none twice."""
    tallies = {target: Tally([], []) for target in loads}
    for _ in range(scale.most_rounds):
        wanted = [target for target, tally in tallies.items() if len(tally.kept) < scale.rounds]
        if not wanted:
            break
        with servers.peer("naive", PROCESSES) as peer, servers.trueward(workers=PROCESSES - 1) as trueward:
            for target in wanted:
                server = trueward if target.server == "trueward" else peer
                run = measure(server, loads[target], connections=target.connections, seconds=MOST_S)
                (tallies[target].discarded if run.disturbed else tallies[target].kept).append(run)
    return tallies


def repeated_share(items: Sequence[Item]) -> float:
    """The share of samples whose answer was given before for the same reference."""
    pairs = {(item.response.rpartition("\\boxed")[2], item.reference) for item in items}
    return round(1 - len(pairs) / len(items), 3)


def claims(tallies: Mapping[Target, Tally]) -> dict[str, bool]:
    """What must hold of Trueward whatever the machine does."""
    ours = [tally for target, tally in tallies.items() if target.server == "trueward"]
    runs = [run for tally in ours for run in (*tally.kept, *tally.discarded)]
    return {
        "every call was sent and answered": all(run.failed == 0 and run.exhausted for run in runs),
        "no score was missing": all(run.missing == 0 for run in runs),
        "every sample was judged as its construction says": all(run.right == 1 for run in runs),
    }


@dataclass(frozen=True, slots=True)
class Ratio:
    """Trueward's over the peer's: calls a second, CPU of all processes a call, p99 of exact-path samples."""

    rate: float
    cpu: float
    late: float


def _ratio(medians: Mapping[Target, Run], protocol: Protocol, connections: int) -> Ratio:
    ours, peer = (medians[Target(protocol, server, connections)] for server in ("trueward", "peer"))
    return Ratio(
        round(ours.samples_per_s / max(peer.samples_per_s, 1e-9), 3),
        round(ours.cpu_per_sample_s / max(peer.cpu_per_sample_s, 1e-9), 3),
        round((ours.exact.p99_s or 0.0) / (peer.exact.p99_s or 1e-9), 3),
    )


def _ratios(medians: Mapping[Target, Run]) -> dict[str, Ratio]:
    return {f"{one.name}, {count}": _ratio(medians, one, count) for one in TRAINERS for count in CONNECTIONS}


def judge(medians: Mapping[Target, Run], disturbed: set[Target]) -> list[Aim]:
    return [aim for protocol in TRAINERS for aim in _aims(medians, disturbed, protocol)]


def _aims(medians: Mapping[Target, Run], disturbed: set[Target], protocol: Protocol) -> Iterator[Aim]:
    def pair(connections: int) -> tuple[Target, Target]:
        return Target(protocol, "trueward", connections), Target(protocol, "peer", connections)

    few, many = (_ratio(medians, protocol, count) for count in CONNECTIONS)
    ours, peer = (medians[target] for target in pair(64))
    yield Aim(
        f"{protocol.name}: rate at 64 connections",
        f"at least {FASTER:g} times inline math-verify",
        f"{few.rate:.2f} times ({ours.samples_per_s:.0f} against {peer.samples_per_s:.0f} a second, "
        f"{_us(ours.cpu_per_sample_s)} against {_us(peer.cpu_per_sample_s)} us of CPU a call)",
        None if disturbed.intersection(pair(64)) else few.rate >= FASTER,
        _limit(ours),
    )
    ours, peer = (medians[target] for target in pair(512))
    yield Aim(
        f"{protocol.name}: p99 of exact-path samples at 512 connections",
        f"at most {SOONER:g} of inline math-verify's",
        f"{many.late:.2f} ({_ms(ours.exact.p99_s)} ms against {_ms(peer.exact.p99_s)}); "
        f"symbolic {_ms(ours.symbolic.p99_s)} ms against {_ms(peer.symbolic.p99_s)}",
        None if disturbed.intersection(pair(512)) else many.late <= SOONER,
        _limit(ours),
    )


def _is_adapter(target: Target) -> bool:
    return target.server == "trueward" and target.connections == PLAIN.connections and target != PLAIN


def _over_rewards_s(medians: Mapping[Target, Run], target: Target) -> float:
    """CPU of the serving process a call, less that of ``POST /v1/rewards``."""
    return round(medians[target].server_cpu_per_sample_s - medians[PLAIN].server_cpu_per_sample_s, 8)


def _limit(run: Run) -> str:
    """Who is busy tells what to make cheaper."""
    return f"server {run.server_cores:.2f}, worker {run.worker_cores:.2f}, client {run.client_cores:.2f} cores busy"


def _show(medians: Mapping[Target, Run], disturbed: set[Target]) -> None:
    header = ["", "calls/s", "exact p50", "p99", "symbolic p50", "p99", "CPU us", "server", "client", "failed", "right"]
    body = [
        [
            target.name + (" (disturbed)" if target in disturbed else ""),
            f"{run.samples_per_s:,.0f}",
            *(_ms(seconds) for seconds in (run.exact.p50_s, run.exact.p99_s)),
            *(_ms(seconds) for seconds in (run.symbolic.p50_s, run.symbolic.p99_s)),
            _us(run.cpu_per_sample_s),
            _us(run.server_cpu_per_sample_s),
            _us(run.client_cpu_per_sample_s),
            f"{run.failed:.0f}",
            f"{run.right:.1%}",
        ]
        for target, run in medians.items()
    ]
    rows("Latency in ms; CPU us a call: of all processes, of the one that was started, of the client", header, body)


def _ms(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e3:,.1f}"


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:,.0f}"


if __name__ == "__main__":
    main()
