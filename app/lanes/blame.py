"""Settles a crash while a sample was judged: :mod:`trueward.blame` with the service's lanes.

The controls are judged, then the response once more, then one control again: an outage that comes or goes meanwhile is
not taken for the response's doing. Tasks found sound are remembered, so that a policy that crashes us often costs us
two checks a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable

import structlog

from app.admission.demand import Demand
from app.kit.cache import Cache
from trueward.authoring.verifier import Verifier
from trueward.blame import UNJUDGEABLE, controls, is_compared, is_crash, sound, unjudgeable
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict

Attempt = Callable[[Verifier, Sample, float, Demand], Awaitable[Verdict]]
"""Judges a sample anew by a deadline (loop time): nothing is taken from a cache. Never raises."""

_REMEMBERED = 10_000
_POLICY_FIELDS = {*Sample.identity, "response", "reasoning", "tokens", "token_ids", "logprobs", "finish_reason"}

log = structlog.get_logger(__name__)


class Blame:
    """``priced`` counts the crashes that were the response's doing, since the start."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._sound: Cache[str, Sample] = Cache(_REMEMBERED, lambda sample: len(sample.model_dump_json()))
        self.priced = 0

    async def settle(
        self, verifier: Verifier, sample: Sample, fingerprint: str, crash: Verdict, deadline: float, demand: Demand
    ) -> Verdict:
        """The verdict that a crash comes to: that of a second try, ``unjudgeable_response``, or the crash itself."""
        control = await self._control(verifier, sample, deadline, demand)
        if control is None:
            return crash
        again = await self._attempt(verifier, sample, deadline, demand)
        if not is_crash(again):
            return again
        if not is_compared(await self._attempt(verifier, control, deadline, demand)):
            return again
        self.priced += 1
        producer = verifier.producer
        log.error(
            UNJUDGEABLE,
            verifier=producer.name,
            version=producer.version,
            params=verifier.params.model_dump(mode="json"),
            sample=sample.id,
            fingerprint=fingerprint,
            failure=again.reason_code,
            error=again.reason,
        )
        return unjudgeable(again)

    async def _control(self, verifier: Verifier, sample: Sample, deadline: float, demand: Demand) -> Sample | None:
        """A harmless response that is compared with this sample's reference; None where the task is not sound."""
        key = _task_of(verifier, sample)
        known = self._sound.get(key)
        if known is not None:
            return known
        asked = controls(verifier, sample)
        judged = [await self._attempt(verifier, one, deadline, demand) for one in asked]
        if not sound(judged):
            return None
        found = next(one for one, verdict in zip(asked, judged, strict=True) if is_compared(verdict))
        self._sound.put(key, found)
        return found


def _task_of(verifier: Verifier, sample: Sample) -> str:
    """A name of what the caller's side alone says: the verifier, its parameters and the sample without its response."""
    producer = verifier.producer
    content = sample.model_dump_json(exclude=_POLICY_FIELDS)
    named = "\0".join([producer.name, producer.version, producer.params, content])
    return hashlib.blake2b(named.encode(), digest_size=20).hexdigest()
