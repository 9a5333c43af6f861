"""The lanes on a Ray cluster: the same verdicts as those of the local lanes, and no wrong one when parts of it die.

The service and its cluster run in an environment of their own. The tests of the file share them, in their order.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.app.lanes.ray.cluster import BIN, PLUGIN, Cluster, cluster, kill, replicas
from tests.judges.tiny import Tiny
from tests.live import serving

pytestmark = [pytest.mark.trainer, pytest.mark.quiet]

LIMITS = {"workers": "1", "cpu_limit_s": "0.5", "wall_limit_s": "2"}
MATH = [
    {"response": r"\boxed{5/6}", "reference": r"\frac56"},
    {"response": r"\boxed{7}", "reference": "8"},
    {"response": r"\boxed{\sin(x)^2+\cos(x)^2+y}", "reference": "1+y"},
    {"response": r"\boxed{9^{9^{9^{9}}}}", "reference": "42"},
    {"response": "no answer", "reference": "1"},
]
HOSTILE = [
    {"response": response, "reference": reference}
    for response, reference in (
        ("fine", "fine"), ("spin", "fine"), ("sleep", "fine"), ("crash", "fine"), ("bloat", "fine"), ("nest", "fine"),
        ("raise", "fine"), ("fine", "spin"), ("fine", "crash"),
    )
]  # fmt: skip
DOUBLED = {"stdio": [{"stdin": "2\n", "stdout": "4\n"}, {"stdin": "5\n", "stdout": "10\n"}]}
CODE = [
    {"response": f"```python\n{source}\n```", "reference": DOUBLED}
    for source in ("print(2 * int(input()))", "print(4)", "while True: pass", "import os; os.kill(os.getpid(), 9)")
]


@pytest.fixture(scope="module")
def ray() -> Iterator[Cluster]:
    with cluster() as made:
        yield made


@pytest.fixture(scope="module")
def http(ray: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """The service whose lanes are on the cluster."""
    yield from _client(tmp_path_factory.mktemp("ray"), [BIN / "python"], ray_address=ray.address)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A service with lanes of its own, under the same limits."""
    yield from _client(tmp_path_factory.mktemp("local"), [])


def _client(folder: Path, prefix: list[str | Path], **settings: str) -> Iterator[httpx2.Client]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(PLUGIN))
        with (
            serving(folder, port=None, prefix=prefix, **LIMITS, **settings) as live,
            httpx2.Client(base_url=live.url, timeout=150.0, trust_env=False) as client,
        ):
            yield client


def _verify(
    http: httpx2.Client, verifier: str, samples: list[Any], deadline_s: float = 90.0, **params: Any
) -> list[dict[str, Any]]:
    body = {"verifier": verifier, "samples": samples, "deadline_s": deadline_s, "params": params}
    answer = http.post("/v1/verify", json=body)
    assert answer.status_code == 200, answer.text
    verdicts: list[dict[str, Any]] = answer.json()["verdicts"]
    return verdicts


def _said(verdicts: list[dict[str, Any]]) -> list[tuple[str, float | None, str]]:
    return [(one["outcome"], one["score"], one["reason_code"]) for one in verdicts]


def _slow(count: int, name: str, seconds: float = 0.05) -> list[dict[str, str]]:
    """Samples of the cpu lane that take a while each, all of them correct."""
    return [{"response": f"slow:{seconds}", "reference": "fine", "prompt": f"{name} {n}"} for n in range(count)]


def _until(holds: Callable[[], bool], within_s: float = 240.0) -> None:
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.1)


def _ready(http: httpx2.Client) -> dict[str, Any]:
    checks = http.get("/health/ready").json()["checks"]
    return {one["name"]: one for one in checks}


def _busy(http: httpx2.Client) -> bool:
    return "trueward_cpu_busy 0.0" not in http.get("/metrics").text


@pytest.mark.parametrize(
    ("verifier", "samples", "params"),
    [("math", MATH, {}), ("hostile", HOSTILE, {}), ("code", CODE, {"limits": {"wall_s": 1.0}})],
    ids=["math", "hostile", "code"],
)
def test_the_same_samples_have_the_same_verdicts(
    http: httpx2.Client, local: httpx2.Client, verifier: str, samples: list[Any], params: dict[str, Any]
) -> None:
    here, there = (_verify(client, verifier, samples, **params) for client in (local, http))
    assert _said(there) == _said(here)
    assert [one["producer"] for one in there] == [one["producer"] for one in here]


def test_a_model_answers_the_same_and_takes_new_weights(http: httpx2.Client, local: httpx2.Client, tiny: Tiny) -> None:
    samples = [{"prompt": "1+1?", "response": text} for text in ("2", "three", "it is 2")]
    entry = {"name": "rm", "kind": "reward", "path": str(tiny.classifier()), "device": "cpu"}
    scores = []
    for client in (local, http):
        assert client.post("/v1/models", json=entry).status_code in (200, 201)
        before = [one["score"] for one in _verify(client, "reward_model", samples, model="rm")]
        pushed = client.post("/v1/models/rm/weights", json={"path": str(tiny.classifier(seed=1))})
        assert pushed.status_code == 200, pushed.text
        scores.append((before, [one["score"] for one in _verify(client, "reward_model", samples, model="rm")]))
    (before, after), there = scores
    assert before != after
    assert None not in [*before, *after]
    assert there[0] == pytest.approx(before)
    assert there[1] == pytest.approx(after)


def test_native_protocols_run_their_programs_there(http: httpx2.Client) -> None:
    answer = http.post("/run_code", json={"code": "print(input() + '!')", "language": "python", "stdin": "here"}).json()
    assert answer["run_result"]["stdout"] == "here!\n"
    assert {one["name"] for one in http.get("/v1/languages").json()["languages"] if one["usable"]} >= {"python"}


def test_a_killed_replica_and_a_killed_worker_cost_no_verdict(http: httpx2.Client) -> None:
    with ThreadPoolExecutor() as threads:
        asked = threads.submit(_verify, http, "hostile", [*_slow(60, "killed"), HOSTILE[1]])
        _until(lambda: _busy(http) or asked.done())
        [replica, *_] = replicas("cpu")
        workers = [one for one in replica.children(recursive=True) if "forkserver" in " ".join(one.cmdline())]
        os.kill(workers[-1].pid, signal.SIGKILL)
        time.sleep(0.3)  # the load goes on in between
        replica.kill()
        verdicts = asked.result()
    assert _said(verdicts) == [("correct", 1.0, "survived")] * 60 + [("invalid", 0.0, "resource_limit")]


def test_a_deadline_that_passes_is_null_and_the_work_ends(http: httpx2.Client) -> None:
    [late] = _verify(http, "hostile", [{**HOSTILE[2], "prompt": "late"}], deadline_s=1.5)
    assert (late["outcome"], late["score"], late["reason_code"]) == ("timeout", None, "deadline")
    _until(lambda: not _busy(http))


def test_load_brings_another_replica_and_the_loss_of_its_node_costs_no_verdict(
    ray: Cluster, http: httpx2.Client
) -> None:
    second = ray.node(num_cpus=1)
    with ThreadPoolExecutor(8) as threads:
        asked: list[Future[list[dict[str, Any]]]] = []

        def two() -> bool:
            if sum(not one.done() for one in asked) < 6:
                asked.append(threads.submit(_verify, http, "hostile", _slow(40, f"load {len(asked)}")))
            return "cpu: 2 replicas" in _ready(http)["ray"]["detail"]

        _until(two)
        on_second = {one.pid for one in _family(second)} & {one.pid for one in replicas("cpu")}
        kill(second)
        verdicts = [verdict for one in asked for verdict in one.result()]
    assert on_second, "the second replica is where there was room for it"
    assert set(_said(verdicts)) == {("correct", 1.0, "survived")}


def test_a_lost_cluster_is_named_scores_nothing_and_is_found_again(ray: Cluster, http: httpx2.Client) -> None:
    ray.close()
    _until(lambda: not _ready(http)["ray"]["ok"])
    assert (
        _said(_verify(http, "hostile", _slow(3, "lost"), deadline_s=2.0)) == [("error", None, "lane_unreachable")] * 3
    )
    ray.head(programs=1)
    ray.up()
    _until(lambda: http.get("/health/ready").status_code == 200)
    assert _said(_verify(http, "hostile", _slow(3, "found"))) == [("correct", 1.0, "survived")] * 3


def test_the_command_shows_the_lanes_and_takes_them_away(ray: Cluster) -> None:
    shown = ray.trueward("ray", "status", "--address", ray.address).stdout
    assert [line.split()[:2] for line in shown.splitlines()[:3]] == [
        ["cpu", "HEALTHY"],
        ["sandbox", "HEALTHY"],
        ["models", "HEALTHY"],
    ]
    ray.trueward("ray", "down", "--address", ray.address)
    refused = ray.trueward("ray", "status", "--address", ray.address, check=False)
    assert refused.returncode == 1
    assert "trueward ray up" in refused.stderr


def _family(node: Any) -> list[Any]:
    import psutil

    return psutil.Process(node.pid).children(recursive=True)
