"""A check on a cluster: the verdict that a replica gives, or null and the reason why there is none."""

from __future__ import annotations

from app.admission.demand import Demand
from app.lanes.ray.link import ItemLost, RayLink, Stopped, Unreachable
from app.lanes.ray.messages import CheckMessage, pack, read
from app.lanes.shutdown import report_shutdown
from trueward.authoring.verifier import Task, Verifier, report_crash
from trueward.wire.verdict import Verdict


async def judge_remotely(
    link: RayLink, lane: str, verifier: Verifier, task: Task, deadline: float, demand: Demand
) -> Verdict:
    """The verdict on ``task`` by ``deadline`` (the loop's time). Never raises but CancelledError."""
    try:
        reply = await link.ask(lane, "judge", pack(CheckMessage.of(verifier, task, demand)), deadline)
        verdict = Verdict.model_validate_json(read(reply))
    except TimeoutError:
        verdict = Verdict.timeout("deadline", "the deadline passed before this sample was judged")
    except Stopped:
        return report_shutdown()
    except Unreachable as trouble:
        verdict = Verdict.error("lane_unreachable", f"the lane {lane} could not be reached: {trouble}"[:300])
    except ItemLost as lost:
        verdict = Verdict.error("lane_lost", f"two replicas of the lane {lane} ended with this sample: {lost}"[:300])
    except Exception as failure:  # noqa: BLE001 - a task that cannot be pickled, or a reply that is no verdict: our crash
        verdict = report_crash(failure)
    return verdict
