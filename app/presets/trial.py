"""One sample judged by a preset, with all that is said on the way: for whoever writes the preset."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from pydantic import JsonValue

from app.presets.overheard import Overheard
from app.scoring.admit import Admitted
from app.scoring.demand import Demand
from app.scoring.models import ModelLane
from judges.presets import Preset
from judges.presets.check import VERIFIERS
from trueward.presets import Exchange, PresetTried
from trueward.types import Sample, Verdict
from trueward.verifier import Abstain, Task, Verifier, crashed
from verifiers import registry


async def tried(
    preset: Preset,
    admitted: Admitted,
    params: Mapping[str, JsonValue],
    lane: ModelLane,
    demand: Demand,
    deadline: float,
) -> PresetTried:
    """Nothing is recorded. Raises :class:`trueward.errors.InvalidParameters` for parameters that the preset's verifier
    does not have."""
    verifier = registry.create(VERIFIERS[preset.head.mechanism], {**params, "preset": preset.name})
    exchanges: list[Exchange] = []
    task: Verdict | Task = admitted.verdict
    if task is None:
        task = await asyncio.to_thread(_triaged, verifier, admitted.sample)
    if isinstance(task, Verdict):
        task.producer = verifier.producer
        verdict = task
    else:
        verdict = await lane.judge(verifier, task, deadline, demand, lambda models: Overheard(models, exchanges))
    return PresetTried(verifier=verifier.name, verdict=verdict, exchanges=exchanges)


def _triaged(verifier: Verifier, sample: Sample) -> Verdict | Task:
    try:
        return verifier.triage(sample)
    except Abstain as refusal:
        return Verdict.abstained(refusal.reason_code, refusal.reason)
    except Exception as failure:  # noqa: BLE001 - a bug in a verifier is told as in a batch
        return crashed(failure)
