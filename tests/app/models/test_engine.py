"""The lane with an engine in a process of its own: what becomes of samples when it is killed; when it is started."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from app.admission.demand import Demand
from app.lanes.models import ModelLane
from judges.engine.process import EngineProcess
from judges.questions import Classify
from tests.app.models.scripted import Judge, JudgeParams, OneBackend
from tests.app.models.test_lane import Shelf, soon
from trueward.authoring.verifier import Task
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome

STARTS = """
import asyncio, sys
from pathlib import Path
from tests.walk import service

async def main():
    async with service(Path(sys.argv[1])) as http:
        assert (await http.get("/v1/models")).json() == {"object": "list", "data": []}
        assert (await http.get("/health/ready")).json()["ready"]
        assert "trueward_model_failures" in (await http.get("/metrics")).text
        body = {"verifier": "exact", "samples": [{"response": "a", "reference": "a"}]}
        assert (await http.post("/v1/verify", json=body)).json()["verdicts"][0]["score"] == 1.0

asyncio.run(main())
print(*sorted({"torch", "transformers", "safetensors"} & set(sys.modules)))
"""


async def test_an_engine_killed_in_a_batch_costs_no_sample(tmp_path: Path) -> None:
    engine = EngineProcess(
        "cpu", memory_bytes=1, batch_tokens=64, queue_tokens=10_000, hang_s=30.0, loader="tests.app.models.sleepy:load"
    )
    shelf = Shelf("rm")
    shelf.reweigh("rm", 4)
    lane = ModelLane(shelf, OneBackend(engine), 100)
    verifier = Judge(JudgeParams(model="rm"))
    late = asyncio.get_running_loop().time() + 60.0
    try:
        await lane.answer("rm", Classify("x"), Demand(), late)
        asked = [asyncio.ensure_future(lane.judge(verifier, task(verifier, "y" * n), late)) for n in range(1, 7)]
        await asyncio.sleep(0.1)
        assert engine.pid is not None
        os.kill(engine.pid, signal.SIGKILL)
        verdicts = await asyncio.gather(*asked)
        assert [(one.outcome, one.score) for one in verdicts] == [(Outcome.SCORED, float(n)) for n in range(1, 7)]
        assert {one.evidence["weights"] for one in verdicts} == {4}
        assert engine.counters()["restarts"] == 1
    finally:
        await lane.close()
    verdict = await lane.judge(verifier, task(verifier, "z"), soon())
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ERROR, None, "model_unavailable")


def test_a_service_without_models_starts_no_engine_and_imports_none_of_its_libraries(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STARTS, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[3])
    assert (ran.returncode, ran.stdout.strip()) == (0, ""), ran.stdout + ran.stderr


def task(verifier: Judge, response: str) -> Task:
    found = verifier.triage(Sample(response=response))
    assert isinstance(found, str)
    return found
