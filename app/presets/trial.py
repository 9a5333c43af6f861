"""One sample judged by a preset, with all that is said on the way: for whoever writes the preset."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from pydantic import JsonValue

from app.admission.admit import Admitted
from app.admission.demand import Demand
from app.lanes.models import ModelLane
from app.presets.trial_models import Overheard
from judges.presets import Preset
from judges.presets.check import VERIFIERS
from trueward.authoring.verifier import Abstain, Task, Verifier, report_crash
from trueward.wire.preset import Exchange, PresetTried
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers import registry


async def try_out(
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
        return report_crash(failure)
