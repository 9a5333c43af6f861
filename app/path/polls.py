"""Judges the samples of one request as the lanes do, and its groups as group verifiers ask for.

A group is judged once, with all its members in the request and those of its pair, whichever of them is asked about
first. What a group verifier said of a group is kept under the hash of the whole group, in order, and never by
response.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from app.admission.admit import Admitted
from app.kit.pace import LoopPace
from app.lanes.lanes import Pending, RequestLanes, may_reuse
from trueward.authoring.verifier import Params, Verifier
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.grouped import Company, GroupVerifier, companies

_GroupKey = tuple[str, str, str]


class Polls:
    """``names`` is the group of each sample, by index; ``apart`` where each is to be judged by itself."""

    def __init__(
        self,
        asked: RequestLanes,
        items: Sequence[Admitted],
        names: Sequence[str],
        pace: LoopPace | None = None,
        *,
        apart: bool = False,
    ) -> None:
        self._pace = pace or LoopPace()
        self._asked = asked
        self._lanes = asked.lanes
        self._items = items
        self._names = [str(place) for place in range(len(items))] if apart else names
        self._places = {item.sample.id: place for place, item in enumerate(items)}
        self._companies = companies(self._names, [item.sample for item in items])
        self._polls: dict[_GroupKey, asyncio.Task[list[Verdict]]] = {}

    def judge(self, verifier: Verifier, admitted: Admitted, deadline: float) -> Pending:
        """The verdict, or a task that ends with it by ``deadline`` (loop time). Never raises."""
        if not isinstance(verifier, GroupVerifier) or admitted.verdict is not None:
            return self._asked.judge(verifier, admitted, deadline)
        place = self._places[admitted.sample.id]
        name = self._names[place]
        key = (verifier.producer.name, verifier.producer.params, name)
        if key not in self._polls:
            poll = self._poll(verifier, self._companies[name], deadline)
            self._polls[key] = asyncio.ensure_future(poll)
        return asyncio.ensure_future(_one(self._polls[key], self._companies[name].group.index(place)))

    async def _poll(self, verifier: GroupVerifier[Params], company: Company, deadline: float) -> list[Verdict]:
        members = [self._items[place] for place in company.everyone]
        key = self._lanes.identity(verifier.inner, self._asked.demand) + _hash(verifier, members, len(company.group))
        held = self._lanes.group_verdicts.get(key)
        if held is not None:
            return [verdict.model_copy(update={"cached": True}) for verdict in held]

        async def ask(asked: Sequence[tuple[int, Sample]]) -> list[Verdict]:
            said = []
            for place, sample in asked:
                await self._pace.turn()
                said.append(self._compare(verifier.inner, members[place], sample, deadline))
            return [one if isinstance(one, Verdict) else await one for one in said]

        samples = [item.sample for item in members]
        known = {place: item.verdict for place, item in enumerate(members) if item.verdict is not None}
        verdicts = await verifier.judge_group(samples, company, ask, known)
        if verifier.inner.deterministic and all(may_reuse(verifier.inner, verdict) for verdict in verdicts):
            self._lanes.group_verdicts.put(key, verdicts)
        return verdicts

    def _compare(self, inner: Verifier, item: Admitted, sample: Sample, deadline: float) -> Pending:
        # a large group has far more pairs than members, and what is judged inline looks at no clock
        if asyncio.get_running_loop().time() > deadline:
            return Verdict.timeout("deadline", "the deadline passed before this answer was compared")
        return self._asked.judge(inner, _against(item, sample), deadline)


async def _one(poll: asyncio.Task[list[Verdict]], position: int) -> Verdict:
    # of its members each may go away, and the others still wait for the group
    return (await asyncio.shield(poll))[position].model_copy()


def _against(item: Admitted, sample: Sample) -> Admitted:
    """The item with another reference, or other baselines. Its content is not recorded: a name of its own suffices."""
    named = json.dumps([item.fingerprint, sample.reference, sample.baselines]).encode()
    return replace(item, sample=sample, content="", fingerprint=hashlib.blake2b(named, digest_size=20).hexdigest())


def _hash(verifier: Verifier, members: Sequence[Admitted], size: int) -> str:
    producer = verifier.producer
    named = [producer.name, producer.version, producer.params, str(size), *(item.fingerprint for item in members)]
    return hashlib.blake2b("\0".join(named).encode(), digest_size=20).hexdigest()
