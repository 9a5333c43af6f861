"""What a replica does, without Ray around it: the same as the local lanes, and nothing for another version."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import yaml

from app.admission.demand import NONE
from app.lanes.ray import messages as asked
from app.lanes.ray.batches import Batches
from app.lanes.ray.hosts import Host, host_of
from app.lanes.ray.messages import CheckMessage, RunMessage, pack, read
from app.lanes.ray.shape import BadShape, Layout, arguments
from app.lanes.ray.shape import read as read_layout
from app.settings import Settings
from judges.base import ModelBusy, TooLong
from sandbox.base import Program, SandboxFailure
from sandbox.limits import Limits
from trueward.authoring.verifier import Verifier
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers import registry


@pytest.fixture
async def host(request: pytest.FixtureRequest) -> AsyncIterator[Host]:
    layout = Layout.model_validate({"cpu": {"num_cpus": 1}, "sandbox": {"num_cpus": 1}, "models": None})
    made = host_of(request.param, arguments(layout, Settings()))
    await made.start()
    yield made
    await made.stop()


def check(verifier: Verifier, response: str, reference: str) -> CheckMessage:
    task = verifier.triage(Sample(response=response, reference=reference))
    assert not isinstance(task, Verdict)
    return CheckMessage.of(verifier, task, NONE)


async def judged(host: Host, item: CheckMessage) -> Verdict:
    return Verdict.model_validate_json(read(await host.answer(("judge", 30.0, 0.0, pack(item)))))


@pytest.mark.parametrize("host", ["cpu"], indirect=True)
async def test_another_version_of_a_verifier_does_not_judge(host: Host) -> None:
    item = check(registry.create("regex", {"pattern": "a+"}), "aaa", "")
    assert (await judged(host, item)).score == 1.0
    for other in (
        CheckMessage(item.verifier, "0.0", item.params, item.task, "", None),
        CheckMessage("nothing", item.version, item.params, item.task, "", None),
    ):
        verdict = await judged(host, other)
        assert (verdict.score, verdict.reason_code) == (None, "lane_version")


@pytest.mark.parametrize("host", ["sandbox"], indirect=True)
async def test_programs_travel_there_and_back(host: Host) -> None:
    program = Program("python", "import sys; sys.stdout.buffer.write(bytes(range(256)))")
    reply = await host.answer(("run", 30.0, 0.0, pack(RunMessage(program, Limits(), b""))))
    assert asked.Executed.model_validate_json(read(reply)).done.stdout == bytes(range(256))
    with pytest.raises(TimeoutError):
        read(await host.answer(("run", 0.0, 0.0, pack(RunMessage(program, Limits(), b"")))))


def test_failures_travel_as_what_they_are() -> None:
    for failure in (ModelBusy("full"), SandboxFailure("gone"), TooLong("prompt", 7, 5)):
        with pytest.raises(type(failure), match=str(failure)):
            read(asked.pack_failure(failure))
    with pytest.raises(ZeroDivisionError):
        asked.pack_failure(ZeroDivisionError())
    with pytest.raises(ValueError, match="no known form"):
        read(b"?")


def test_a_layout_says_where_it_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "lanes.yaml"
    path.write_text("cpu: {max_replicas: 8}\nmodels: null\n")
    layout = read_layout(path)
    assert (layout.cpu and layout.cpu.max_replicas, layout.models) == (8, None)
    assert layout.cpu is not None
    assert layout.cpu.batch == 64
    for wrong in ("cpu: {cpus: 1}", "cpu: {min_replicas: 9}", "gpu: {}", "- 1", "{"):
        path.write_text(wrong)
        with pytest.raises(BadShape, match=r"lanes\.yaml"):
            read_layout(path)


def test_the_page_shows_the_default_layout() -> None:
    page = (Path(__file__).parents[4] / "docs/ray.md").read_text(encoding="utf-8")
    [shown] = [block.partition("```")[0] for block in page.split("```yaml\n")[1:]]
    default = Layout().model_dump()
    for lane, fields in yaml.safe_load(shown).items():
        assert {name: default[lane][name] for name in fields} == fields


class _Replicas:
    """Answers calls with streams that the test holds."""

    def __init__(self) -> None:
        self.answer = self
        self.calls: list[list[asked.Asked]] = []
        self.cancelled = 0
        self.waves: asyncio.Queue[asked.Wave | Exception] = asyncio.Queue()

    def remote(self, items: list[asked.Asked]) -> _Replicas:
        self.calls.append(items)
        return self

    def cancel(self) -> None:
        self.cancelled += 1

    def __aiter__(self) -> _Replicas:
        return self

    async def __anext__(self) -> asked.Wave:
        wave = await self.waves.get()
        if isinstance(wave, Exception):
            raise wave
        if not wave:
            raise StopAsyncIteration
        return wave


class _Told:
    def __init__(self) -> None:
        self.replies: dict[int, bytes] = {}
        self.losses: dict[int, str] = {}
        self.news = asyncio.Event()

    def reply(self, number: int, body: bytes) -> None:
        self.replies[number] = body
        self.news.set()

    def report_loss(self, number: int, why: str) -> None:
        self.losses[number] = why
        self.news.set()


ITEM: asked.Asked = ("judge", 1.0, 0.0, b"")


async def test_items_travel_together_and_each_is_told_of() -> None:
    replicas, told = _Replicas(), _Told()
    batches = Batches(replicas, 3, told)
    for number in range(1, 4):
        batches.add(number, ITEM, alone=False)
    batches.add(4, ITEM, alone=True)
    await asyncio.sleep(0)
    assert [len(call) for call in replicas.calls] == [3, 1]
    batches.cancel(4)
    replicas.waves.put_nowait([(1, b"two")])
    replicas.waves.put_nowait(RuntimeError("the replica died"))
    while len(told.losses) < 2:
        told.news.clear()
        await told.news.wait()
    assert told.replies == {2: b"two"}
    assert {number: "the replica died" in why for number, why in told.losses.items()} == {1: True, 3: True}
    assert replicas.cancelled == 1
